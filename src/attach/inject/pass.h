/* SPDX-License-Identifier: MIT
 *
 * pass.h - gives a descriptor of ours to another process.
 */
#ifndef DWELL_ATTACH_INJECT_PASS_H
#define DWELL_ATTACH_INJECT_PASS_H

#include "attach/inject/remote.h"

/* The borrowed thread receives a duplicate of the descriptor through a socket. scratch: some memory
 * of the process that is ours. Returns its number there, or -errno. */
int pass_descriptor(struct remote *remote, uintptr_t scratch, int descriptor);

#endif
