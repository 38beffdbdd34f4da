/* SPDX-License-Identifier: MIT
 *
 * xz.h - unpacks an .xz file in memory, as .gnu_debugdata contains one: blocks of LZMA2 and no
 * other filter. The bytes are untrusted; checksums are not looked at.
 *
 * liblzma cannot be used: names are looked up inside the target, which has libc alone, while the
 * linker has not run any of its code, and for libraries that it opens at any time later. dwell
 * cannot unpack them in advance, and a second way for `dwell list --functions` could show other
 * functions than those that are patched.
 */
#ifndef DWELL_ENTRY_XZ_H
#define DWELL_ENTRY_XZ_H

#include <stddef.h>
#include <stdint.h>

#include "entry/scratch.h"

/* Returns the contents, in scratch, and their size; NULL: it is not such a file, or there is no
 * memory. */
const uint8_t *xz_unpack(const uint8_t *bytes, size_t size, struct scratch *scratch,
			 size_t *unpacked);

#endif
