/* SPDX-License-Identifier: MIT
 *
 * jit_name.h - the parts of a name that a JIT gives to compiled code. V8 compiles a function
 * several times, and marks the name with the tier: "JS:~fib /home/me/app.js:3:13" is interpreted,
 * "JS:*fib
 * ..." optimised. All of them are one function, by name and position.
 */
#ifndef DWELL_RECORDING_READ_JIT_NAME_H
#define DWELL_RECORDING_READ_JIT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of a text, which are not terminated. */
struct jit_name {
	const char *name; /* without its tier */
	size_t name_length;
	char tier;        /* V8's mark; '\0': none */
	const char *file; /* NULL: no position */
	size_t file_length;
	uint32_t line, column;
};

/* Parses a name. One that is not of V8's form is all name. */
void jit_name_parse(struct jit_name *parts, const char *text);

#endif
