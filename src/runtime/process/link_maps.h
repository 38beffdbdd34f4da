/* SPDX-License-Identifier: MIT
 *
 * link_maps.h - the dynamic linker's list of objects, found as debuggers do: without a call of
 * libc, hence before any constructor has run. If threads may open or close libraries, the caller
 * holds the linker's lock, as in a callback of dl_iterate_phdr().
 */
#ifndef DWELL_RUNTIME_PROCESS_LINK_MAPS_H
#define DWELL_RUNTIME_PROCESS_LINK_MAPS_H

#include <link.h>

/* Returns the dynamic section of the program, by its auxiliary vector; NULL: it has none. */
const ElfW(Dyn) * link_maps_program(void);

/* Returns the first object of the program's namespace, which is the program. NULL: not known. */
const struct link_map *link_maps_first(void);

/* Returns the object that contains this code; NULL: not known. */
const struct link_map *link_maps_own(void);

#endif
