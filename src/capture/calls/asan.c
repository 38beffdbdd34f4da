/* SPDX-License-Identifier: MIT
 *
 * asan.c - lets programs that are built with AddressSanitizer start. Its runtime wants to be the
 * first library, and refuses to run behind one that is preloaded unless it is told that it may.
 */
#include "base/export.h"

/* AddressSanitizer asks for it by this name, and takes a program's own one if there is one. */
EXPORT const char *__asan_default_options(void);

EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
