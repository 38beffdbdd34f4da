/* SPDX-License-Identifier: MIT
 *
 * put_back.h - makes calls under way return to their callers without their stubs: puts their return
 * addresses back into their frames.
 */
#ifndef DWELL_RUNTIME_CALLS_PUT_BACK_H
#define DWELL_RUNTIME_CALLS_PUT_BACK_H

#include "base/injected.h"
#include "calls.h"

/*
 * Makes the innermost call of the thread above sp return to its caller without its stub, for an
 * unwinder that cannot be controlled at a stub.
 */
void put_back_innermost(struct calls_thread *thread, uintptr_t sp);

/*
 * Makes the thread's active calls above sp, on the current stack, return to their callers without
 * their stubs, and counts them without times.
 */
void put_back_stack(struct calls_thread *thread, uintptr_t sp);

/* Makes the call of a stopped thread return to its caller without its stub. Its slot stays until
 * the thread has its registers back: if that never happens, it returns to the stub. */
void put_back_call(struct injected_call *call);

/* Gives the slot up, and counts the call without a time. */
void put_back_finish(const struct injected_call *call);

/*
 * Makes all calls of a stopped thread return to their callers without their stubs, and counts them
 * without times. Returns how many it could not: the thread is in the wrapper, or an exception is in
 * flight.
 */
uint32_t put_back_all(struct calls_thread *thread);

#endif
