/* SPDX-License-Identifier: MIT
 *
 * entry_objects.h - --via entry without an auditor: patches the objects that got.c has found. In a
 * process that ran already, other threads may be in any function, so the changes are listed for the
 * tool, which makes them while all threads are stopped: base/injected.h.
 */
#ifndef DWELL_RUNTIME_CALLS_ENTRY_OBJECTS_H
#define DWELL_RUNTIME_CALLS_ENTRY_OBJECTS_H

#include "got_objects.h"

/* Patches an object that was registered. One that was opened later is lost if there are several
 * threads: they may be in its functions. */
void entry_objects_patch(struct walked *object, bool is_late);

/* Removes the island of an object whose functions are no longer patched, or which is gone. */
void entry_objects_unpatch(struct walked *object);

/* Lists one more change of memory for the tool. Returns false if no function is patched, or without
 * memory. */
bool entry_objects_change(const void *place, const void *bytes, size_t size);

struct injected;

/* Shows the listed changes to the tool; forgets them. */
void entry_objects_publish(struct injected *block);
void entry_objects_forget(struct injected *block);

#endif
