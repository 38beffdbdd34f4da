/* SPDX-License-Identifier: MIT
 *
 * begin.h - the start of a process that is recorded: common to libdwell-record.so and
 * libdwell-calls.so.
 */
#ifndef DWELL_RUNTIME_SAMPLING_BEGIN_H
#define DWELL_RUNTIME_SAMPLING_BEGIN_H

#include "recorder.h"

/* The functions that count calls in this process. */
struct begin_calls {
	recorder_entry *entry;
	void (*counter_lost)(void); /* the CPU's counter can be read no more: counter_guard.h */
	void (*prepare)(void);      /* a sandbox begins: sandbox_guard.h */
};

/*
 * Starts the guards, and the sampler if the recording requests samples. The recording is attached.
 * calls NULL: none are counted. Call once, by the constructor.
 */
void begin_process(char **environment, const struct begin_calls *calls);

#endif
