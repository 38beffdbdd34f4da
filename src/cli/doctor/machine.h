/* SPDX-License-Identifier: MIT
 *
 * machine.h - what this machine permits, here and now: all of it is tried, and nothing guessed from
 * versions or settings, which are there to explain the answers.
 */
#ifndef DWELL_CLI_DOCTOR_MACHINE_H
#define DWELL_CLI_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_UNKNOWN (-100) /* a setting that this kernel does not have */

/* A small command that was recorded. */
struct machine_run {
	bool works;
	char why[192];  /* if not: one sentence */
	char clock[20]; /* of samples: by which they are taken */
};

/* Each trial is 0, or the errno that it was refused by. */
struct machine {
	char kernel[66];
	unsigned kernel_major, kernel_minor;

	int perf_whole;  /* a perf event on our CPU time, with that in the kernel */
	int perf_user;   /* without it */
	int perf_signal; /* one that sends SIGTRAP, without the kernel */
	int perf_child;  /* one on a process that we have started, by its number */
	int paranoid;    /* kernel.perf_event_paranoid */

	int timer;      /* a POSIX timer on the CPU clock of a thread */
	int seccomp;    /* 0: there is no filter; 1: strict; 2: there is one */
	bool is_traced; /* by a debugger, whose signal SIGTRAP is */

	int read_child; /* memory of a process that we have started */
	int ptrace_scope;
	bool is_root;

	bool counter_is_steady; /* says the CPU */
	bool counter_is_used;   /* as the clock of recordings */
	char clocksource[32];   /* of the kernel */

	char libc[32];                     /* its version */
	struct machine_run audit, got;     /* calls, by the two ways to get between */
	struct machine_run record;         /* samples */
	bool has_musl;                     /* libraries for programs with that libc */
	uint64_t limit_memory, limit_file; /* bytes; UINT64_MAX: there is none */
	uint64_t limit_descriptors;
	int folder; /* a file in the current directory, allocated, mapped and shared */
	bool folder_is_memory;
};

/* Tries everything. */
void machine_look(struct machine *machine);

/* The parts of it that need a file of their own: machine_child.c, machine_run.c. */
void machine_try_child(struct machine *machine);
void machine_try_runs(struct machine *machine);

/* A perf event on the CPU time of a process, 0 being ourselves: 0 or an errno. */
int machine_try_perf(int pid, bool with_kernel, bool with_signal);

#endif
