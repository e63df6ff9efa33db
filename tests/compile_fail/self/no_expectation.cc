// A case that expects no message; the check has to fail on it.
#ifdef MUST_FAIL
int value = nothing;
#endif
