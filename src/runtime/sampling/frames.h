/* SPDX-License-Identifier: MIT
 *
 * frames.h - where an object has its call frame information, if its program headers do not say so.
 * Those of programs that musl-gcc has linked do not; the section headers do, which are in the file
 * alone.
 */
#ifndef DWELL_RUNTIME_SAMPLING_FRAMES_H
#define DWELL_RUNTIME_SAMPLING_FRAMES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* .eh_frame, as the file has its address. In any context; takes some system calls. False: there is
 * none, or the file is not the one that `head` was mapped from. */
bool frames_find(const char *path, const ElfW(Ehdr) * head, uintptr_t *address, size_t *size);

#endif
