/* SPDX-License-Identifier: MIT
 *
 * link_maps.h - the dynamic linker's list of objects, as debuggers find it: without a call of libc,
 * so before any constructor has run. Where threads may open or close libraries, the caller holds
 * the linker's lock, as in a callback of dl_iterate_phdr().
 */
#ifndef DWELL_RUNTIME_PROCESS_LINK_MAPS_H
#define DWELL_RUNTIME_PROCESS_LINK_MAPS_H

#include <link.h>

/* The dynamic section of the program, by what the kernel has left of it; NULL: it has none. */
const ElfW(Dyn) * link_maps_program(void);

/* The first of all objects of the program's namespace, which is the program. NULL: not known. */
const struct link_map *link_maps_first(void);

/* The object that this code is in; NULL: not known. */
const struct link_map *link_maps_own(void);

#endif
