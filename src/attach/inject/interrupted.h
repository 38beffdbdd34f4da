/* SPDX-License-Identifier: MIT
 *
 * interrupted.h - system calls that return EINTR because their thread was stopped by ptrace(),
 * where a program without signal handlers expects none.
 */
#ifndef DWELL_ATTACH_INJECT_INTERRUPTED_H
#define DWELL_ATTACH_INJECT_INTERRUPTED_H

#include "attach/inject/remote.h"

/* Notes the system call that a thread is in, before it is stopped. */
void interrupted_note(struct remote *remote);

/* Keeps the note only if the stopped thread, whose registers were read, has left that very call. */
void interrupted_check(struct remote *remote);

/* Changes the registers that the stopped thread will get back so that it makes such a call again;
 * unless a signal is waiting, which will be the reason for EINTR. */
void interrupted_repeat(struct remote *remote);

#endif
