/* SPDX-License-Identifier: MIT
 *
 * emulated.h - special cases for tests under an emulator, which takes much longer for a signal, has
 * threads of its own, and does not support all of the kernel.
 */
#ifndef DWELL_TESTS_EMULATED_H
#define DWELL_TESTS_EMULATED_H

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns true if Meson or the kernel runs the test under an emulator: see tests/meson.build. */
static inline bool is_emulated(void)
{
	return getenv("TESTS_EMULATED") != NULL;
}

/*
 * Returns how many threads a clock may have when all but the first were joined. The kernel wakes
 * the thread that joins before the other one is gone, so a census may still find that. An emulator
 * has one more, its own.
 */
static inline unsigned int threads_at_most(void)
{
	return is_emulated() ? 3 : 2;
}

/* Blocked signals as the kernel shows them are the emulator's, which needs some of them. */
#define NO_MASKS "the emulator keeps masks of signals to itself"

/* qemu 7.2 expects a word for SA_RESTORER in struct sigaction on every CPU. The kernel of riscv64
 * has none, so that the emulator takes the word behind the struct for sa_mask. */
#define NO_HANDLER_MASKS "the emulator does not block the signals of sa_mask while a handler runs"

/* The runtime of dwell calls detects a fork() by a page that is zeroed in the child. */
#define NO_WIPE "the emulator takes MADV_WIPEONFORK and forgets it"

static inline bool wipes_on_fork(void)
{
	volatile char *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t child;

	*page = 1;
	madvise((void *)page, 4096, MADV_WIPEONFORK);
	child = fork();
	if (child == 0)
		_exit(*page);
	waitpid(child, &status, 0);
	munmap((void *)page, 4096);
	return status == 0;
}

/* The kernel shows other processes as it sees them: registers, code and command are the emulator's,
 * and no code of the program is executable. */
#define NO_PROCESSES "the kernel shows the emulator of a process, not the process itself"

/* The signals of a handler's mask stay blocked where the emulator finds no memory for its frame. */
#define NO_UNDELIVERED "the emulator has blocked a signal before it finds that it cannot deliver it"

/* A buffer for all code of the program has bins for them. */
#define NEAR_LIBRARIES "the emulator maps libraries near the program, which reads the clock in one"

#define NO_FAULTS_SENT "the emulator ends by itself when a process sends itself a fault"

#define NO_VDSO                                                                                    \
	"the emulator gives programs no vdso, or one that has other addresses in each of them"

#define NO_FILTERS "the emulator has no filters of system calls"

/* vfork() is fork() there: the parent does not learn that exec failed. */
#define NO_VFORK "posix_spawn() of an emulated program finds every program"

#define NO_TRACING "the emulator has no ptrace()"

/* dwell reads memory of processes that it attaches to by process_vm_readv(). */
#define NO_READING "the emulator has no process_vm_readv()"

static inline bool reads_processes(void)
{
	int word = 1, copy = 0;
	struct iovec from = { &word, sizeof(word) }, to = { &copy, sizeof(copy) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(word) || !is_emulated();
}

/* Returns true if signal stacks can be disabled while a handler runs. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31) /* not every libc names it */
#endif
#define NO_AUTODISARM "the emulator refuses SS_AUTODISARM"

static inline bool disarms_stacks(void)
{
	static char memory[65536];
	stack_t now, other = { .ss_sp = memory,
			       .ss_size = sizeof(memory),
			       .ss_flags = (int)SS_AUTODISARM };
	bool can = sigaltstack(&other, &now) == 0;

	sigaltstack(&now, NULL);
	return can;
}

#endif
