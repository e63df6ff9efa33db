#pragma once

#include <span>

#include "base/explanation.h"

namespace moescope::stages {

// One entry per ID that markers, vocabularies and annotate rules (MS0xx), lint (MS1xx) and the
// source lint of emitters (EM) report, in order. The example is a whole input that gives this
// finding; MS012 needs the vocabulary plena_detail, MS111 a profile.
std::span<const Explanation> Explanations();

}  // namespace moescope::stages
