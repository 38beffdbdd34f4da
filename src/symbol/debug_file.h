/* SPDX-License-Identifier: MIT
 *
 * debug_file.h - where the symbols are that were stripped from a file: by its build-id, or by the
 * name and checksum in its .gnu_debuglink. On this machine alone: libdwfl's own search would ask
 * servers.
 */
#ifndef DWELL_SYMBOL_DEBUG_FILE_H
#define DWELL_SYMBOL_DEBUG_FILE_H

#include <libelf.h>

#include "symbol/build_id.h"

/* Where distributions install them. */
#define DEBUG_FILE_FOLDER "/usr/lib/debug"

/* A descriptor, and its path, to be freed; or -ENOENT. `folder` has .build-id/ and the folders of
 * files as they are below /; `path` is that of the file itself. */
int debug_file_open(Elf *elf, const char *path, const char *folder, char **found);

/* The file that dwz has put what several debug files have in common into: by its build-id in the
 * folder, or where the debug file says, which is at `path`. Answers as above. */
int debug_file_open_common(const char *name, const struct build_id *id, const char *path,
			   const char *folder, char **found);

#endif
