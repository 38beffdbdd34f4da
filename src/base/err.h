/* SPDX-License-Identifier: MIT
 *
 * err.h - an error on its way to the verb that prints it: one sentence, without a full stop, that
 * says what is wrong with what. For the tools; code inside the target has only -errno.
 */
#ifndef DWELL_BASE_ERR_H
#define DWELL_BASE_ERR_H

#include <errno.h>

/* Lives on the stack of whoever will print it, so that an error needs no memory and no freeing. */
struct err {
	char text[1024]; /* "" until something goes wrong; "..." at its end: it was cut */
};

/* Sets the sentence and answers -code, so that a function fails with `return err_set(...)`. */
__attribute__((format(printf, 3, 4))) int err_set(struct err *err, int code, const char *format,
						  ...);

int err_no_memory(struct err *err);

#endif
