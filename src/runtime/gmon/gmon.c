/* SPDX-License-Identifier: MIT */
#include "gmon.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/export.h"
#include "runtime/process/environment.h"
#include "arcs_private.h"
#include "ending.h"
#include "gmon_out.h"
#include "objects.h"
#include "runtime/profil/config.h"
#include "runtime/sampler/sampler.h"
#include "sys.h"

void __monstartup(uintptr_t low, uintptr_t high);
void monstartup(uintptr_t low, uintptr_t high);
void moncontrol(int mode);
void _mcleanup(void);

enum progress { NOT_BEGUN, COUNTING, FINISHING, FINISHED };

static enum sink_answer take(struct sink *sink, const struct sink_ticks *ticks);
static void chore(struct sink *sink);
static void before_exec(struct sink *sink);

static struct {
	struct sink sink;
	uint32_t progress; /* atomic; enum progress */
	pid_t pid;         /* the owner of the counts: the child of a vfork has another pid */
	pid_t writer;      /* the thread that writes the files */
	bool is_child;     /* the counts began in the child of a fork */
	bool has_ticks;
	uint32_t strange; /* atomic; ticks at addresses of no known object */
} gmon = {
	.sink = { .take = take, .follows_fork = true, .chore = chore, .before_exec = before_exec }
};

/* ---- ticks ---- */

/*
 * Looks for new mappings, and returns the object at pc. Does so at the first, second, fourth, ...
 * such tick only: a program may run much code that belongs to no file.
 */
static struct gmon_object *look_for(uintptr_t pc)
{
	uint32_t strange = __atomic_add_fetch(&gmon.strange, 1, __ATOMIC_RELAXED);

	return (strange & (strange - 1)) == 0 && objects_look() ? objects_at(pc) : NULL;
}

static enum sink_answer take(struct sink *sink, const struct sink_ticks *ticks)
{
	struct gmon_object *object = objects_at(ticks->pc);

	(void)sink;
	if (!object)
		object = look_for(ticks->pc);
	gmon.has_ticks = true;
	return object && objects_tick(object, ticks->pc, ticks->weight) ? SINK_COUNTED
									: SINK_OUTSIDE;
}

static void chore(struct sink *sink)
{
	(void)sink;
	objects_look();
}

/* ---- the files ---- */

static void report_losses(void)
{
	static const char words[] = "libprofil: some calls were not counted for want of memory\n";

	if (__atomic_load_n(&arcs_lost, __ATOMIC_RELAXED))
		sys_write(2, words, sizeof(words) - 1);
}

/* Writes the files. Reads the current environment: programs change the variable. */
static void write_files(void)
{
	const char *prefix = environ ? environment_order(environ, "GMON_OUT_PREFIX") : NULL;
	struct sampler_setting setting = config_read();

	objects_look();
	gmon_out_write(&(struct gmon_out){
		.prefix = prefix && *prefix ? prefix : NULL,
		.is_child = gmon.is_child,
		.rate = (uint32_t)(UINT64_C(1000000000) / sampler_tick_ns(&setting)),
	});
	report_losses();
}

static void stop_counting(void)
{
	sys_sigset mask;

	__atomic_store_n(&arcs_is_wanted, 0, __ATOMIC_RELEASE);
	mask = lock_take();
	sampler_stop();
	lock_release(mask);
}

/*
 * Waits for the writer, because the process must not end before the files are written. The writer
 * itself does not wait: it has failed.
 */
static void wait_for_writer(void)
{
	while (__atomic_load_n(&gmon.progress, __ATOMIC_ACQUIRE) == FINISHING &&
	       __atomic_load_n(&gmon.writer, __ATOMIC_RELAXED) != sys_gettid())
		sys_sched_yield();
}

void gmon_finish(void)
{
	uint32_t counting = COUNTING;

	if (gmon.pid != sys_getpid())
		return;
	if (!__atomic_compare_exchange_n(&gmon.progress, &counting, FINISHING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		wait_for_writer();
		return;
	}
	__atomic_store_n(&gmon.writer, sys_gettid(), __ATOMIC_RELAXED);
	stop_counting();
	write_files();
	__atomic_store_n(&gmon.progress, FINISHED, __ATOMIC_RELEASE);
}

/* Writes no file for a child that only execs. If the exec fails, it will write one later. */
static void before_exec(struct sink *sink)
{
	uint32_t counting = COUNTING;

	(void)sink;
	if (gmon.pid != sys_getpid() || (gmon.is_child && !gmon.has_ticks) ||
	    !__atomic_compare_exchange_n(&gmon.progress, &counting, FINISHING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&gmon.writer, sys_gettid(), __ATOMIC_RELAXED);
	write_files();
	__atomic_store_n(&gmon.progress, COUNTING, __ATOMIC_RELEASE);
}

/* ---- start and fork ---- */

/* Starts the child from zero, with files of its own. */
static void after_fork(void)
{
	arcs_after_fork(false);
	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++)
			chunk->arcs.arcs[i].count = 0;
	objects_forget_counts();
	arcs_lost = 0;
	gmon.has_ticks = false;
	gmon.is_child = true;
	gmon.pid = sys_getpid();
	if (gmon.progress == FINISHING)
		gmon.progress = COUNTING;
}

static void control(bool on)
{
	struct sampler_setting setting = config_read();
	sys_sigset mask;

	if (!on) {
		stop_counting();
		return;
	}
	mask = lock_take();
	sampler_start(&gmon.sink, &setting);
	lock_release_listening(mask);
	arcs_start();
}

void gmon_start(void)
{
	if (gmon.progress != NOT_BEGUN || objects_init())
		return;
	gmon.pid = sys_getpid();
	gmon.progress = COUNTING;
	pthread_atfork(NULL, NULL, after_fork);
	ending_watch(gmon_finish);
	control(true);
}

/*
 * Ignores the range: glibc counts only between low and high, this counts everything. Programs of
 * some CPUs call it before all constructors (DT_PREINIT_ARRAY), when libc has no environment and
 * the settings cannot be read: the constructor of libprofil-gmon.so starts soon after.
 */
EXPORT void __monstartup(uintptr_t low, uintptr_t high)
{
	(void)low, (void)high;
	if (environ)
		gmon_start();
}

EXPORT void monstartup(uintptr_t low, uintptr_t high) __attribute__((alias("__monstartup")));

EXPORT void moncontrol(int mode)
{
	if (gmon.progress == COUNTING)
		control(mode != 0);
}

EXPORT void _mcleanup(void)
{
	gmon_finish();
}
