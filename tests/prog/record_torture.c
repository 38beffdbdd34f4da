/* SPDX-License-Identifier: MIT
 *
 * record_torture.c WHAT [COUNT] - does something that a profiler may stumble over, checks that it
 * came out right, and prints that. Each uses enough CPU time to be interrupted many times, unless
 * WITHOUT_WORK is set.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "record_load.h"

DEFINE_BURNER(at_the_bottom)
DEFINE_BURNER(in_handler)
DEFINE_BURNER(in_coroutine)
DEFINE_BURNER(in_tiny_thread)
DEFINE_BURNER(without_descriptors)
DEFINE_BURNER(in_thread)

/* The part of the CPU time that is used: none where nothing samples it. */
static double part = 1;

#define CHECK(holds)                                                                               \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			printf("line %d: %s\n", __LINE__, #holds);                                 \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* ---- a deep stack ---- */

static __attribute__((noinline)) int recurse(int depth)
{
	volatile int mine = depth;

	if (depth == 0)
		at_the_bottom(part * 0.15);
	else
		CHECK(recurse(depth - 1) == depth - 1);
	return mine;
}

static void deep(int count)
{
	CHECK(recurse(count) == count);
}

/* ---- a stack that takes longer to walk than a tick of a fast clock lasts ---- */

#define SPACIOUS_FRAMES 400
#define ROUND           20000 /* steps, some 10 us */

static unsigned long rounds;

static void work(double seconds)
{
	while (seconds == 0 || process_cpu() < seconds) {
		for (volatile unsigned int i = 0; i < ROUND; i++)
			;
		rounds++;
	}
}

/* Each frame has pages of its own, and the walker has to ask for each whether it is there. */
static __attribute__((noinline)) void spread(int depth, double seconds)
{
	volatile char room[6000];

	room[depth] = 1;
	if (depth)
		spread(depth - 1, seconds);
	else
		work(seconds);
	room[depth]++;
}

/* Prints how much work is done in so many seconds of CPU time; 0: runs until it is killed. The
 * kernel ends it where the killer never gets to run. */
static void spacious(int seconds)
{
	const struct rlimit limit = { 30, 30 };

	CHECK(setrlimit(RLIMIT_CPU, &limit) == 0);
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	spread(SPACIOUS_FRAMES, seconds);
	printf("rounds %lu\n", rounds);
}

/* ---- handlers on a stack of their own, as small as the system says that it may be ---- */

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	in_handler(part * 0.01);
	handled++;
}

static void altstack(int count)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 16384;
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size }, now;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	for (int i = 0; i < count; i++)
		raise(SIGUSR1);
	CHECK(handled == count && sigaltstack(NULL, &now) == 0 && now.ss_sp == stack.ss_sp);
}

/* ---- alternate stacks with little room, or too little for a signal frame ---- */

#define AROUND 65536

static unsigned char *small; /* the stack, with memory around it that must stay untouched */

static void set_small(size_t size)
{
	stack_t stack = { .ss_size = size };

	small = mmap(NULL, AROUND + size + AROUND, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(small != MAP_FAILED);
	memset(small, 0xa5, AROUND + size + AROUND);
	small += AROUND;
	stack.ss_sp = small;
	CHECK(sigaltstack(&stack, NULL) == 0);
}

static void check_small(size_t size)
{
	for (size_t i = 0; i < AROUND; i++)
		CHECK(small[-1 - (ptrdiff_t)i] == 0xa5 && small[size + i] == 0xa5);
}

static void small_altstack(int size)
{
	set_small((size_t)size);
	at_the_bottom(part * 0.15);
	check_small((size_t)size);
}

/* Leaves next to nothing of the small stack to others. */
static void fill_small(int sig)
{
	volatile unsigned char *here = __builtin_frame_address(0);
	volatile unsigned char *mine = __builtin_alloca((size_t)(here - small) - 1024);

	(void)sig;
	*mine = 1;
	in_handler(part * 0.01);
	handled++;
}

static void tight_altstack(int size)
{
	struct sigaction action = { .sa_handler = fill_small, .sa_flags = SA_ONSTACK }, now;

	in_handler(0); /* binding what it calls takes more of a stack than is left */
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	set_small((size_t)size);
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	for (int i = 0; i < 10; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
	}
	check_small((size_t)size);
	CHECK(handled == 20);
	CHECK(sigaction(SIGUSR1, NULL, &now) == 0 && !sigismember(&now.sa_mask, SIGTRAP));
	CHECK(sigaction(SIGUSR2, NULL, &now) == 0 && !sigismember(&now.sa_mask, SIGTRAP));
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		CHECK(!sigismember(&now.sa_mask, i));
}

/* ---- alternate stacks that are unmapped while they are set ---- */

static void unmap_stack(void)
{
	const size_t size = 65536;
	stack_t stack = { .ss_size = size }, now;

	stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack.ss_sp != MAP_FAILED && sigaltstack(&stack, NULL) == 0);
	at_the_bottom(part * 0.05);
	CHECK(munmap(stack.ss_sp, size) == 0);
	at_the_bottom(part * 0.05);
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == stack.ss_sp && now.ss_size == size);
}

/* With another stack, or with none, they are sampled again. */
static void *use_gone_stack(void *unused)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	unmap_stack();
	unmap_stack();
	CHECK(sigaltstack(&none, NULL) == 0);
	in_thread(part * 0.05);
	return unused;
}

static void gone_altstack(int count)
{
	pthread_t threads[16];
	struct sigaction now;

	CHECK(count <= 16);
	for (int i = 0; i < count; i++)
		CHECK(pthread_create(&threads[i], NULL, use_gone_stack, NULL) == 0);
	use_gone_stack(NULL);
	for (int i = 0; i < count; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
}

static sem_t has_burnt, may_end;

static void *burn_unseen(void *unused)
{
	unmap_stack();
	at_the_bottom(part * 0.15);
	sem_post(&has_burnt);
	sem_wait(&may_end);
	return unused;
}

/* A thread without ticks ends long after it has run, and the process soon after that. */
static void late_bill(int count)
{
	pthread_t thread;

	CHECK(count == 1 && sem_init(&has_burnt, 0, 0) == 0 && sem_init(&may_end, 0, 0) == 0);
	CHECK(pthread_create(&thread, NULL, burn_unseen, NULL) == 0);
	sem_wait(&has_burnt);
	in_thread(1.1);
	sem_post(&may_end);
	CHECK(pthread_join(thread, NULL) == 0);
}

/* ---- coroutines ---- */

#define COROUTINES      8
#define COROUTINE_BYTES 65536

static ucontext_t scheduler, coroutines[COROUTINES];
static int turns[COROUTINES];

static void coroutine(int number, int count)
{
	for (int i = 0; i < count; i++) {
		in_coroutine(0.0005);
		turns[number]++;
		swapcontext(&coroutines[number], &scheduler);
	}
}

static void swap(int count)
{
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = malloc(COROUTINE_BYTES);
		coroutines[i].uc_stack.ss_size = COROUTINE_BYTES;
		coroutines[i].uc_link = &scheduler;
		makecontext(&coroutines[i], (void (*)(void))coroutine, 2, i, count);
	}
	for (int turn = 0; turn <= count; turn++)
		for (int i = 0; i < COROUTINES; i++)
			swapcontext(&scheduler, &coroutines[i]);
	for (int i = 0; i < COROUTINES; i++)
		CHECK(turns[i] == count);
}

/* ---- threads ---- */

/* The least that glibc permits. */
#ifdef __aarch64__
#define TINY_BYTES 131072
#else
#define TINY_BYTES 16384
#endif

static void *tiny_thread(void *unused)
{
	in_tiny_thread(part * 0.05);
	return unused;
}

/* With the smallest stacks there are, and all signals blocked. */
static void tiny(int count)
{
	pthread_t threads[64];
	pthread_attr_t attributes;
	sigset_t all;

	CHECK(count <= 64);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, TINY_BYTES) == 0);
	for (int i = 0; i < count; i++)
		CHECK(pthread_create(&threads[i], &attributes, tiny_thread, NULL) == 0);
	for (int i = 0; i < count; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	pthread_sigmask(SIG_BLOCK, NULL, &all);
	CHECK(sigismember(&all, SIGTRAP) && sigismember(&all, SIGRTMAX));
}

static pthread_barrier_t barrier;

static void *waiting_thread(void *unused)
{
	pthread_barrier_wait(&barrier);
	in_thread(0.001);
	return unused;
}

static void many_at_once(int count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t attributes;

	pthread_barrier_init(&barrier, NULL, (unsigned int)count);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int i = 0; i < count; i++)
		CHECK(pthread_create(&threads[i], &attributes, waiting_thread, NULL) == 0);
	for (int i = 0; i < count; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	free(threads);
}

static void *short_thread(void *unused)
{
	return unused;
}

static void many_in_turn(int count)
{
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, short_thread, NULL) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
}

/* ---- scarcity ---- */

static void close_all(int count)
{
	(void)count;
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	CHECK(open("/dev/null", O_RDONLY) == 3);
	without_descriptors(part * 0.15);
	CHECK(open("/dev/null", O_RDONLY) == 4);
}

/* Returns how many resident pages the process has, by the kernel's count. */
static long resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size, resident;

	CHECK(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
	fclose(file);
	return resident;
}

static void growth(int seconds)
{
	long before, half;

	at_the_bottom(part * 0.5);
	before = resident_pages();
	at_the_bottom(part * (double)seconds / 2);
	half = resident_pages();
	at_the_bottom(part * (double)seconds / 2);
	printf("grown %ld %ld KiB\n", (half - before) * 4, (resident_pages() - before) * 4);
}

/* Only read, write, _exit and sigreturn are left. */
static void strict(int count)
{
	(void)count;
	say_cpu();
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(77);
	for (volatile unsigned int i = 0; i < 300000000; i++)
		;
	if (write(STDOUT_FILENO, "fine\n", 5) == 5)
		syscall(SYS_exit, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} all[] = {
		{ "deep", deep },
		{ "spacious", spacious },
		{ "altstack", altstack },
		{ "small_altstack", small_altstack },
		{ "tight_altstack", tight_altstack },
		{ "gone_altstack", gone_altstack },
		{ "late_bill", late_bill },
		{ "swap", swap },
		{ "tiny", tiny },
		{ "many_at_once", many_at_once },
		{ "many_in_turn", many_in_turn },
		{ "close_all", close_all },
		{ "growth", growth },
		{ "strict", strict },
	};

	if (getenv("WITHOUT_WORK"))
		part = 0;
	for (size_t i = 0; argc == 3 && i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(argv[1], all[i].name) == 0) {
			all[i].run(atoi(argv[2]));
			puts("fine");
			fflush(stdout);
			say_cpu();
			return 0;
		}
	return 2;
}
