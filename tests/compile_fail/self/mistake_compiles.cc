// A case whose mistake compiles; the check has to fail on it.
// expect: anything
int value = 1;
