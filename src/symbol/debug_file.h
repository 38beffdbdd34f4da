/* SPDX-License-Identifier: MIT
 *
 * debug_file.h - finds the symbols that were stripped from a file: by its build-id, or by the name
 * and checksum in its .gnu_debuglink. Only on this machine: libdwfl's own search would ask servers.
 */
#ifndef DWELL_SYMBOL_DEBUG_FILE_H
#define DWELL_SYMBOL_DEBUG_FILE_H

#include <libelf.h>

#include "symbol/build_id.h"

/* The directory in which distributions install them, or the one that DWELL_DEBUGDIR names. */
const char *debug_file_folder(void);

/* Returns a descriptor, and its path, free with free(); or -ENOENT. `folder` has .build-id/ and the
 * directories of files as below /; `path` is that of the file itself. */
int debug_file_open(Elf *elf, const char *path, const char *folder, char **found);

/* Opens the file in which dwz has put the common parts of several debug files: by its build-id in
 * the folder, or by the name in the debug file, which is at `path`. Returns the same as above. */
int debug_file_open_common(const char *name, const struct build_id *id, const char *path,
			   const char *folder, char **found);

#endif
