// SPDX-License-Identifier: MIT
//
// record_truth.cc - the same as C++: one call of a leaf in 4096 throws an exception to walk_once(), past cleanups.
#include "record_truth.c"
