/* SPDX-License-Identifier: MIT
 *
 * perl_shadow.c - functions for Perl that call a function each, and so leave their number in the
 * native stack: see perl_truth.pl. Perl's headers are not needed for so little: none takes
 * arguments, and the mark of its own is left to the sub that calls it.
 */
#include <stddef.h>

int Perl_call_argv(void *perl, const char *name, int flags, char **arguments);

enum { DISCARD = 4, EVAL = 8 };

/* shadow_K(): half of them call as an eval does. */
#define SHADOW(number)                                                                             \
	void shadow_##number(void *perl, void *code);                                              \
	void shadow_##number(void *perl, void *code)                                               \
	{                                                                                          \
		char *none[] = { NULL };                                                           \
                                                                                                   \
		(void)code;                                                                        \
		Perl_call_argv(perl, "main::f_" #number, DISCARD | (number % 2 ? EVAL : 0), none); \
	}

SHADOW(0)
SHADOW(1)
SHADOW(2)
SHADOW(3)
SHADOW(4)
SHADOW(5)
SHADOW(6)
SHADOW(7)
