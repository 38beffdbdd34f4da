/* SPDX-License-Identifier: MIT */
#include "cli/roomy.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define ENOUGH_BYTES ((size_t)1 << 20) /* more than any verb and its libraries use */
#define STACK_BYTES  ((size_t)8 << 20)

/* makecontext() passes integers only. */
static struct {
	int (*run)(int argc, char **argv);
	int argc;
	char **argv;
	int status;
	ucontext_t here, there;
} roomy;

static bool is_enough(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= ENOUGH_BYTES;
}

static void run_there(void)
{
	roomy.status = roomy.run(roomy.argc, roomy.argv);
}

/* Maps a stack with an unmapped page below it. Returns NULL without memory. */
static char *new_stack(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED)
		return NULL;
	mprotect(stack, page, PROT_NONE);
	return stack;
}

int roomy_run(int (*run)(int argc, char **argv), int argc, char **argv)
{
	char *stack = is_enough() ? NULL : new_stack();

	if (!stack || getcontext(&roomy.there))
		return run(argc, argv);
	roomy.run = run;
	roomy.argc = argc;
	roomy.argv = argv;
	roomy.there.uc_stack.ss_sp = stack;
	roomy.there.uc_stack.ss_size = STACK_BYTES;
	roomy.there.uc_link = &roomy.here;
	makecontext(&roomy.there, run_there, 0);
	swapcontext(&roomy.here, &roomy.there);
	return roomy.status;
}
