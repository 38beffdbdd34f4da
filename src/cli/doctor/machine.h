/* SPDX-License-Identifier: MIT
 *
 * machine.h - capabilities of this machine, here and now: each is tried. Versions and settings only
 * explain the results.
 */
#ifndef DWELL_CLI_DOCTOR_MACHINE_H
#define DWELL_CLI_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_UNKNOWN (-100) /* a setting that this kernel does not have */

/* The result of recording a small command. */
struct machine_run {
	bool works;
	char why[192];  /* if it does not work: one sentence */
	char clock[20]; /* the clock of the samples */
};

/* The result of each trial is 0, or the errno that refused it. */
struct machine {
	char kernel[66];

	int perf_whole;  /* a perf event on our CPU time, kernel included */
	int perf_user;   /* the same without the kernel */
	int perf_signal; /* one that sends SIGTRAP, without the kernel */
	int perf_child;  /* one on a child, by its PID */
	int paranoid;    /* kernel.perf_event_paranoid */

	int timer;      /* a POSIX timer on the CPU clock of a thread */
	int seccomp;    /* 0: no filter; 1: strict; 2: filter */
	bool is_traced; /* by a debugger, which takes SIGTRAP */

	int read_child; /* memory of a child */
	int ptrace_scope;
	bool is_root;

	bool counter_is_steady; /* according to the CPU */
	bool counter_is_used;   /* as the clock of recordings */
	char clocksource[32];   /* of the kernel */

	char libc[32];                     /* its version */
	struct machine_run audit, got;     /* calls, by both interception methods */
	struct machine_run record;         /* samples */
	bool has_musl;                     /* there are libraries for programs that use musl */
	uint64_t limit_memory, limit_file; /* bytes; UINT64_MAX: unlimited */
	uint64_t limit_descriptors;
	int folder; /* a file in the current directory, allocated, mapped and shared */
	bool folder_is_memory;
};

/* Tries everything. */
void machine_look(struct machine *machine);

/* Try the parts that have a file of their own: machine_child.c, machine_run.c. */
void machine_try_child(struct machine *machine);
void machine_try_runs(struct machine *machine);

/* Tries a perf event on the CPU time of a process; 0 is the caller. Returns 0 or an errno. */
int machine_try_perf(int pid, bool with_kernel, bool with_signal);

#endif
