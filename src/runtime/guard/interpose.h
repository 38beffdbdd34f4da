/* SPDX-License-Identifier: MIT
 *
 * interpose.h - functions of ours that stand in front of libc's: finds the one behind.
 *
 * Each file looks for its functions in a constructor, since dlsym() must not be called where the
 * program calls them: another thread may hold the linker's lock there. Constructors of other
 * libraries may call them before that; so each is looked for again where it is still NULL. Where
 * there is no such function, dlsym() allocates memory for its complaint.
 */
#ifndef DWELL_RUNTIME_GUARD_INTERPOSE_H
#define DWELL_RUNTIME_GUARD_INTERPOSE_H

#include <dlfcn.h>

/* Sets a pointer to the function of that name in the next library, or to NULL. */
#define INTERPOSE_FIND(pointer, name) ((pointer) = (__typeof__(pointer))dlsym(RTLD_NEXT, name))

#endif
