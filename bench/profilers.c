/* SPDX-License-Identifier: MIT */
#include "profilers.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <profil.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#undef profil /* the plain one, of libc or of whatever is preloaded */

/* ---- nothing: what the machine does by itself ---- */

static const char *none_start(void)
{
	return NULL;
}

static void none_stop(void)
{
}

static uint64_t none_samples(void)
{
	return 0;
}

/* ---- profil(): glibc's, or libprofil's when that is preloaded ---- */

/* With a scale of 0, every sample counts in the first counter: the number of all. It is static, or
 * in memory that was mapped for it. */
static unsigned short static_counter;
static volatile unsigned short *histogram_counter = &static_counter;
static unsigned short histogram_seen;
static uint64_t histogram_sum;

/* Called through a pointer: the header says nonnull, although NULL is how it is turned off. */
static int (*const plain_profil)(unsigned short *, size_t, size_t, unsigned int) = profil;

/* The counter is 16 bits wide, so this must be called before it has gone round. */
static uint64_t histogram_samples(void)
{
	unsigned short now = *histogram_counter;

	histogram_sum += (unsigned short)(now - histogram_seen);
	histogram_seen = now;
	return histogram_sum;
}

static const char *histogram_start(void)
{
	histogram_seen = *histogram_counter;
	histogram_sum = 0;
	if (plain_profil((unsigned short *)histogram_counter, sizeof(*histogram_counter), 0, 0) < 0)
		return strerror(errno);
	return NULL;
}

static const char *mapped_start(void)
{
	void *map = mmap(NULL, sizeof(*histogram_counter), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return strerror(errno);
	histogram_counter = map;
	return histogram_start();
}

static void histogram_stop(void)
{
	plain_profil(NULL, 0, 0, 0);
}

/* Zeroes where libprofil is not here. */
static struct profil_clock_info clock_info(void)
{
	struct profil_clock_info info = { 0 };
	int (*ask)(struct profil_clock_info *) =
		(int (*)(struct profil_clock_info *))dlsym(RTLD_DEFAULT, "profil_clock_info");

	if (ask)
		ask(&info);
	return info;
}

static uint64_t histogram_interruptions(void)
{
	uint64_t signals = clock_info().signals;

	return signals ? signals : histogram_samples();
}

const char *profilers_clock(void)
{
	const char *clock = clock_info().clock;

	return clock ? clock : "-";
}

const char *profilers_system_time(void)
{
	const char *source = clock_info().system_time;

	return source ? source : "-";
}

/* ---- gperftools, when its libprofiler is preloaded ---- */

/* As gperftools/profiler.h has it; its package for developers is not worth a dependency. */
struct gperftools_state {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};

static void (*gperftools_ask)(struct gperftools_state *);
static uint64_t gperftools_last;

static uint64_t gperftools_samples(void)
{
	struct gperftools_state state;

	gperftools_ask(&state);
	if (state.enabled) /* it forgets the number when it stops */
		gperftools_last = (uint64_t)state.samples_gathered;
	return gperftools_last;
}

static const char *gperftools_start(void)
{
	int (*start)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "ProfilerStart");

	gperftools_ask =
		(void (*)(struct gperftools_state *))dlsym(RTLD_DEFAULT, "ProfilerGetCurrentState");
	gperftools_last = 0;
	if (!start || !gperftools_ask)
		return "there is no libprofiler here to preload";
	return start("/dev/null") ? NULL : "ProfilerStart() refuses";
}

static void gperftools_stop(void)
{
	void (*stop)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "ProfilerStop");

	gperftools_samples();
	stop();
}

/* ---- a perf event that only writes its ring: the interrupt of the perf clock, no signal ---- */

#define RING_PAGES (1 + 8) /* a head, and records that are overwritten when they are too many */

/* A record of nothing but the program counter. */
#define RING_RECORD_BYTES (sizeof(struct perf_event_header) + sizeof(uint64_t))

static struct perf_event_mmap_page *ring;
static uint64_t ring_last;

static int ring_open(int exclude_kernel)
{
	const char *hz = getenv("PROFIL_HZ");
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000 / (hz ? strtoull(hz, NULL, 10) : 100),
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = exclude_kernel != 0,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *ring_start(void)
{
	size_t size = RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	int fd = ring_open(0);
	void *map;

	if (fd < 0)
		fd = ring_open(1);
	if (fd < 0)
		return "perf_event_open() is refused here";
	/* Read-only: the kernel overwrites old records, so there is no need to take them out. */
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return "the ring of a perf event cannot be mapped here";
	ring = map;
	return NULL;
}

static uint64_t ring_samples(void)
{
	if (ring)
		ring_last = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE) / RING_RECORD_BYTES;
	return ring_last;
}

static void ring_stop(void)
{
	ring_samples();
	munmap(ring, RING_PAGES * (size_t)sysconf(_SC_PAGESIZE));
	ring = NULL;
}

const struct profiler *profilers_find(const char *name)
{
	static const struct profiler all[] = {
		{ "none", none_start, none_stop, none_samples, none_samples },
		{ "profil", histogram_start, histogram_stop, histogram_samples,
		  histogram_interruptions },
		{ "profil-mapped", mapped_start, histogram_stop, histogram_samples,
		  histogram_interruptions },
		{ "gperftools", gperftools_start, gperftools_stop, gperftools_samples,
		  gperftools_samples },
		{ "ring", ring_start, ring_stop, ring_samples, ring_samples },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}
