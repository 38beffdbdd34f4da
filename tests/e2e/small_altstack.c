/* SPDX-License-Identifier: MIT
 *
 * Alternate signal stacks of the program, however small, are not overrun by ticks; and where a
 * signal frame does not fit, or the stack is not there any more, there is no tick.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define AROUND  65536
#define SECONDS 0.06 /* fifteen ticks, of the kernel's own as well */

/* A signal frame fits, with the largest registers that the kernel saves for this program. */
#ifdef __aarch64__
#define ENOUGH 5000 /* the kernel reserves 4 KiB in it */
#else
#define ENOUGH 4096
#endif

static unsigned short counters[4096];

struct area {
	unsigned char *stack;
	size_t size;
};

static struct area area_of(size_t size)
{
	unsigned char *memory = mmap(NULL, AROUND + size + AROUND, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		bail_out("mmap()");
	memset(memory, 0xa5, AROUND + size + AROUND);
	return (struct area){ memory + AROUND, size };
}

static bool is_untouched_around(struct area area)
{
	for (size_t i = 0; i < AROUND; i++)
		if (area.stack[-1 - (ptrdiff_t)i] != 0xa5 || area.stack[area.size + i] != 0xa5)
			return false;
	return true;
}

static bool set_stack(struct area area)
{
	stack_t stack = { .ss_sp = area.stack, .ss_size = area.size };

	return sigaltstack(&stack, NULL) == 0;
}

static void unset_stack(void)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	sigaltstack(&none, NULL);
}

static unsigned long counts_of_burn(void)
{
	memset(counters, 0, sizeof(counters));
	profil_linux(counters, sizeof(counters), (size_t)burn, 65536);
	burn(SECONDS);
	profil_linux(NULL, 0, 0, 0);
	return sum16(counters, sizeof(counters) / sizeof(counters[0]));
}

/* Checks a stack that was there before the clock, or comes after it. */
static void before_and_after(size_t size)
{
	struct area area = area_of(size);
	unsigned long counts;

	if (!set_stack(area)) {
		skip("an alternate stack", "it is refused here");
		return;
	}
	counts = counts_of_burn();
	ok(is_untouched_around(area), "a stack of %zu bytes, set before: nothing around it changes",
	   size);
	if (size >= ENOUGH)
		ok(counts > 0, "a stack of %zu bytes, set before: there are ticks, %lu", size,
		   counts);
	unset_stack();
	memset(counters, 0, sizeof(counters));
	profil_linux(counters, sizeof(counters), (size_t)burn, 65536);
	set_stack(area);
	burn(SECONDS);
	ok(is_untouched_around(area), "a stack of %zu bytes, set after: nothing around it changes",
	   size);
	unset_stack();
	burn(SECONDS);
	profil_linux(NULL, 0, 0, 0);
	counts = sum16(counters, sizeof(counters) / sizeof(counters[0]));
	ok(counts > 0, "without it, ticks go on: %lu", counts);
}

static pthread_barrier_t ready, end;

static void *with_stack(void *arg)
{
	struct area *area = arg;

	set_stack(*area);
	pthread_barrier_wait(&ready);
	burn(SECONDS);
	pthread_barrier_wait(&end);
	return NULL;
}

/* Checks a stack that only the thread itself can look up, unless it was noted at the time. */
static void of_another_thread(void)
{
	struct area area = area_of(2048);
	pthread_t thread;

	pthread_barrier_init(&ready, NULL, 2);
	pthread_barrier_init(&end, NULL, 2);
	if (pthread_create(&thread, NULL, with_stack, &area))
		bail_out("pthread_create()");
	pthread_barrier_wait(&ready);
	profil_linux(counters, sizeof(counters), (size_t)burn, 65536);
	burn(SECONDS);
	pthread_barrier_wait(&end);
	profil_linux(NULL, 0, 0, 0);
	pthread_join(thread, NULL);
	ok(is_untouched_around(area),
	   "a small stack of a thread that was there before: nothing around it changes");
}

/* ---- stacks that are gone ---- */

static void unmap(struct area area)
{
	munmap(area.stack - AROUND, AROUND + area.size + AROUND);
}

/* Unmaps the stack while ticks come, or before they do. */
static void gone(bool before)
{
	struct area area = area_of(AROUND);
	unsigned long counts, later;
	struct sigaction now;

	set_stack(area);
	if (before)
		unmap(area);
	memset(counters, 0, sizeof(counters));
	profil_linux(counters, sizeof(counters), (size_t)burn, 65536);
	burn(SECONDS);
	if (!before)
		unmap(area);
	burn(SECONDS);
	counts = sum16(counters, sizeof(counters) / sizeof(counters[0]));
	ok(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL,
	   "a stack that is unmapped %s ticks: the program goes on, after %lu of them",
	   before ? "before" : "among", counts);
	unset_stack();
	burn(SECONDS);
	profil_linux(NULL, 0, 0, 0);
	later = sum16(counters, sizeof(counters) / sizeof(counters[0]));
	ok(later > counts, "without it, ticks go on: %lu", later - counts);
}

static void *wait_on_gone(void *arg)
{
	struct area *area = arg;

	set_stack(*area);
	unmap(*area);
	pthread_barrier_wait(&ready);
	burn(SECONDS);
	return NULL;
}

static void gone_in_another_thread(void)
{
	struct area area = area_of(AROUND);
	pthread_t thread;

	pthread_barrier_init(&ready, NULL, 2);
	if (pthread_create(&thread, NULL, wait_on_gone, &area))
		bail_out("pthread_create()");
	profil_linux(counters, sizeof(counters), (size_t)burn, 65536);
	pthread_barrier_wait(&ready);
	burn(SECONDS);
	ok(pthread_join(thread, NULL) == 0, "a stack of another thread that is gone");
	profil_linux(NULL, 0, 0, 0);
}

int main(void)
{
	static const size_t sizes[] = { 2048, 3500, 4096, 5000, 8192 };

	setenv("PROFIL_HZ", "250", 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		before_and_after(sizes[i]);
	of_another_thread();
	if (is_emulated()) {
		skip("stacks that are unmapped", NO_UNDELIVERED);
	} else {
		gone(false);
		gone(true);
		gone_in_another_thread();
	}
	return tap_done();
}
