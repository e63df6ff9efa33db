// A case that is refused for another reason; the check has to fail on it.
// expect: this text is in no message
#ifdef MUST_FAIL
int value = nothing;
#endif
