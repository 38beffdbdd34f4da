/* SPDX-License-Identifier: MIT
 *
 * unwinders.h - makes the unwinders of a process that ran already find islands. Its objects are
 * bound to libc's _dl_find_object() and dl_iterate_phdr(), which know nothing of them: an exception
 * out of a signal handler, or a walk of the stack there, would end at a copied instruction. While
 * functions are patched, the tables of unwinders lead to ours: see guard/address_guard.c. Unwinders
 * that are opened meanwhile get ours from the linker, because libc's symbols have their addresses.
 */
#ifndef DWELL_RUNTIME_CALLS_UNWINDERS_H
#define DWELL_RUNTIME_CALLS_UNWINDERS_H

#include "got_objects.h"

/* Returns whether the object contains an unwinder. */
bool unwinders_are_in(struct walked *object);

/* Makes its tables lead to our functions. They can be written, and are restored by
 * got_object_restore(). */
void unwinders_redirect(struct walked *object);

/* Lists the changes of libc's symbols for the tool: the linker finds our functions by them. */
void unwinders_name_ours(void);

/* Reads an object that was opened meanwhile, while the linker's list is walked. Returns whether its
 * tables lead to our functions. */
bool unwinders_are_new(struct walked *object, const struct link_map *map,
		       const struct dl_phdr_info *info);

/* Makes them lead to libc's. They can be written. */
void unwinders_restore(struct walked *object);

#endif
