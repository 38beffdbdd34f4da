// SPDX-License-Identifier: MIT
//
// record_truth.cc - the same as C++: one leaf in 64 throws an exception to walk_once(), past cleanups.
#include "record_truth.c"
