// A case whose control variant is broken; the check has to fail on it.
// expect: nothing
int value = nothing;
