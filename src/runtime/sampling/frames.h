/* SPDX-License-Identifier: MIT
 *
 * frames.h - finds the call frame information of an object without a program header for it.
 * Programs linked by musl-gcc lack that header; they have section headers, which are only in the
 * file.
 */
#ifndef DWELL_RUNTIME_SAMPLING_FRAMES_H
#define DWELL_RUNTIME_SAMPLING_FRAMES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Finds .eh_frame, at its address in the file. Any context; takes some system calls. False: there
 * is none, or the file is not the one that `head` was mapped from.
 */
bool frames_find(const char *path, const ElfW(Ehdr) * head, uintptr_t *address, size_t *size);

#endif
