/* SPDX-License-Identifier: MIT
 *
 * record_crash.c [HOW] - lets children receive SIGSEGV in one way, or in all, and with several
 * claims on it, and prints what became of each. All have an alternate stack, and use CPU time
 * first.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "record_load.h"

DEFINE_BURNER(before_the_crash)

#define STACK_BYTES 65536

static volatile int *volatile null;

/* ---- ways to receive it ---- */

static void read_null(void)
{
	*null = 1;
}

static void write_code(void)
{
	*(volatile char *)(uintptr_t)read_null = 1;
}

/* No address that a CPU has: on x86, the signal has no code of its own. */
static void read_beyond(void)
{
	*(volatile int *)((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 2)) = 1;
}

static __attribute__((noinline)) void overflow(void)
{
	volatile char frame[4096];

	frame[0] = 1;
	if (!null)
		overflow();
	frame[1] = frame[0];
}

static void kill_myself(void)
{
	kill(getpid(), SIGSEGV);
}

static void raise_it(void)
{
	raise(SIGSEGV);
}

static void *crash_in_thread(void *unused)
{
	before_the_crash(0.004);
	read_null();
	return unused;
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, crash_in_thread, NULL);
	pthread_join(thread, NULL);
}

static void *wait_in_thread(void *unused)
{
	usleep(100000);
	return unused;
}

/* The kernel gives it to the only thread that does not block it, which is not the first. */
static void kill_thread(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	pthread_create(&thread, NULL, wait_in_thread, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGSEGV);
	pthread_join(thread, NULL);
}

static void unmap_stack(void)
{
	stack_t stack;

	sigaltstack(NULL, &stack);
	munmap(stack.ss_sp, stack.ss_size);
}

/* A signal of the program's own finds no stack. The first may count as a tick of the sampler's. */
static void gone(void)
{
	unmap_stack();
	raise(SIGUSR1);
	raise(SIGUSR1);
}

static void gone_beyond(void)
{
	unmap_stack();
	read_beyond();
}

static void gone_null(void)
{
	unmap_stack();
	read_null();
}

/* ---- claims on it ---- */

static char *stack_memory;

/* Shown by the exit status: the signal's code, and the stack that the handler is on. */
static void on_segv(int sig, siginfo_t *info, void *unused)
{
	char here;
	int code = info->si_code == SI_KERNEL ? 9 : info->si_code == SI_TKILL ? 8 : info->si_code;

	(void)sig;
	(void)unused;
	_exit((&here >= stack_memory && &here < stack_memory + STACK_BYTES ? 100 : 50) + code);
}

static void on_other(int sig)
{
	(void)sig;
}

static void set_default(void)
{
}

static void set_ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
}

static void set_handler(int flags)
{
	struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | flags };

	sigaction(SIGSEGV, &action, NULL);
}

static void set_plain(void)
{
	set_handler(0);
}

static void set_on_stack(void)
{
	set_handler(SA_ONSTACK);
}

/* It is the default that is shown, and that is in force again. */
static void set_and_unset(void)
{
	struct sigaction before, now;

	if (sigaction(SIGSEGV, NULL, &before) || before.sa_handler != SIG_DFL || before.sa_flags)
		_exit(30);
	set_on_stack();
	sigaction(SIGSEGV, &before, &now);
	if (now.sa_sigaction != on_segv)
		_exit(31);
	if (signal(SIGSEGV, SIG_DFL) != SIG_DFL)
		_exit(32);
}

static void set_blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

struct way {
	const char *name;
	void (*go)(void);
};

static const struct way crashes[] = {
	{ "null", read_null },          { "code", write_code },         { "beyond", read_beyond },
	{ "overflow", overflow },       { "kill", kill_myself },        { "raise", raise_it },
	{ "thread", in_thread },        { "kill_thread", kill_thread }, { "gone", gone },
	{ "gone_beyond", gone_beyond }, { "gone_null", gone_null },
};

static const struct way claims[] = {
	{ "default", set_default },   { "ignored", set_ignored },     { "plain", set_plain },
	{ "on_stack", set_on_stack }, { "and_unset", set_and_unset }, { "blocked", set_blocked },
};

static void child(const struct way *crash, const struct way *claim)
{
	struct sigaction other = { .sa_handler = on_other, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = STACK_BYTES };

	stack_memory =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack.ss_sp = stack_memory;
	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &other, NULL))
		_exit(3);
	claim->go();
	before_the_crash(0.004);
	crash->go();
	_exit(4);
}

/* If the stack is gone, a tick may call a handler of the program's: docs/RECORDING.md. */
static bool is_left_out(const struct way *crash, const struct way *claim)
{
	return strncmp(crash->name, "gone", 4) == 0 && claim->go == set_plain;
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 }, small_stack = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_STACK, &small_stack);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		for (size_t j = 0; j < sizeof(claims) / sizeof(claims[0]); j++) {
			siginfo_t ended;
			pid_t pid;

			if (is_left_out(&crashes[i], &claims[j]) ||
			    (argc > 1 && strcmp(argv[1], crashes[i].name) != 0))
				continue;
			pid = fork();
			if (pid == 0)
				child(&crashes[i], &claims[j]);
			if (pid < 0 || waitid(P_PID, (id_t)pid, &ended, WEXITED))
				return 1;
			printf("%s %s: code %d status %d\n", crashes[i].name, claims[j].name,
			       ended.si_code, ended.si_status);
			fflush(stdout);
		}
	return 0;
}
