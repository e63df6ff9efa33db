// Text does not become a stage; it may be misspelt.
// expect: conversion from .* to non-scalar type|no viable conversion
#include "stages/stage.h"

#ifdef MUST_FAIL
moescope::stages::Stage stage = "gather";
#else
moescope::stages::Stage stage = moescope::stages::BuiltinStage("gather");
#endif
