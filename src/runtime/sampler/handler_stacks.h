/* SPDX-License-Identifier: MIT
 *
 * handler_stacks.h - the stacks that our signal handler runs on.
 *
 * The kernel delivers a signal on the stack that runs, or on the program's alternate one
 * (SA_ONSTACK), and either may have room for little more than the signal frame. So handler.S takes
 * one of these stacks first, for the time that the handler runs. They are as many as handlers that
 * can be under way at once; if all are taken, the tick is dropped, and the next one is billed for
 * both.
 */
#ifndef DWELL_RUNTIME_SAMPLER_HANDLER_STACKS_H
#define DWELL_RUNTIME_SAMPLER_HANDLER_STACKS_H

#include <stddef.h>

/* Allocates them, once. 0 or -ENOMEM. Under the lock. */
int handler_stacks_init(void);

/* In the child of a fork: the handlers that had taken some are not there. */
void handler_stacks_forget(void);

/*
 * Takes the last one, which handlers take only if all others are taken, for another use: its lowest
 * byte, and how many there are in *size. NULL: it is taken. handler_stacks_return() gives it back.
 */
char *handler_stacks_borrow(size_t *size);
void handler_stacks_return(void);

#endif
