/* SPDX-License-Identifier: MIT
 *
 * err.h - an error on its way to the verb that prints it: one sentence, without a full stop, that
 * names the thing and what is wrong with it. For the tools; code inside the target has only -errno.
 */
#ifndef DWELL_BASE_ERR_H
#define DWELL_BASE_ERR_H

#include <errno.h>

/* Lives on the stack of the function that prints it, so that an error needs no memory and no
 * freeing. */
struct err {
	char text[1024]; /* "" until something fails; "..." at its end: truncated */
};

/* Sets the sentence and returns -code, so that a function fails with `return err_set(...)`. */
__attribute__((format(printf, 3, 4))) int err_set(struct err *err, int code, const char *format,
						  ...);

int err_no_memory(struct err *err);

#endif
