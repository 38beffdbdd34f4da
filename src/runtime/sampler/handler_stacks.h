/* SPDX-License-Identifier: MIT
 *
 * handler_stacks.h - the stacks that our signal handler runs on.
 *
 * The kernel delivers a signal on the current stack, or on the program's alternate one
 * (SA_ONSTACK), and either may have room for little more than the signal frame. So handler.S first
 * takes one of these stacks, for the time that the handler runs. There are as many as handlers that
 * can run at once; if all are taken, the tick is dropped, and the next one is billed for both.
 */
#ifndef DWELL_RUNTIME_SAMPLER_HANDLER_STACKS_H
#define DWELL_RUNTIME_SAMPLER_HANDLER_STACKS_H

#include <stddef.h>

/* Allocates them, once. Returns 0 or -ENOMEM. Under the lock. */
int handler_stacks_init(void);

/* Frees all in the child of a fork: the handlers that had taken some do not exist there. */
void handler_stacks_forget(void);

/*
 * Takes the last stack, which handlers take only if all others are taken, for another use. Returns
 * its lowest byte, and its size in *size. NULL: it is taken. Give it back with
 * handler_stacks_return().
 */
char *handler_stacks_borrow(size_t *size);
void handler_stacks_return(void);

#endif
