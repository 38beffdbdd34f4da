// SPDX-License-Identifier: MIT
//
// sees_tree.h - libsees_tree_library.so: functions that call each other in every way. Each prints
// its path when it is called, as the functions under way on its stack are, without any folding:
//
//	call tree_branch;tree_leaf
#ifndef DWELL_TESTS_SEES_TREE_H
#define DWELL_TESTS_SEES_TREE_H

#include <csetjmp>

extern "C" {

// The number of functions under way on this thread. One that is left by a jump does not count down.
extern __thread int tree_depth;

void tree_leaf(void);
void tree_branch(int leaves);
void tree_down(int depth); // calls itself
void tree_even(int depth); // and tree_odd() call each other
void tree_odd(int depth);
void tree_throw(void);
void tree_pass(void);
void tree_catch(void);
void tree_jump(jmp_buf back);
void tree_raise(int signal);
void tree_fork(void);
}

#endif
