/* SPDX-License-Identifier: MIT */
#include "perf_event.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "base/linux_version.h"
#include "runtime/guard/exec_guard.h"
#include "sys.h"
#include "tick_path.h"

/*
 * Marks our events: in the upper bits of an event's data, above the cookie, as far as there is
 * room. Two sampling libraries in one process have different marks.
 */
#ifndef CLOCK_PERF_MARK
#define CLOCK_PERF_MARK 0xd3e1
#endif
#define PERF_MARK      ((uintptr_t)CLOCK_PERF_MARK << THREADS_COOKIE_BITS)
#define PERF_MARK_BITS (UINTPTR_MAX << THREADS_COOKIE_BITS)

/* ---- start and stop ---- */

void perf_event_init(struct perf_event_attr *attr, bool user_only)
{
	attr->size = sizeof(*attr);
	attr->sigtrap = 1;
	attr->remove_on_exec = 1;
	attr->exclude_kernel = user_only;
	attr->exclude_hv = 1;
}

static int start(struct thread *thread, const struct perf_event_attr *attr, size_t ring_bytes)
{
	struct perf_event_attr its = *attr;
	void *page;
	int fd;

	its.sig_data = PERF_MARK | threads_cookie(thread);
	fd = sys_perf_event_open(&its, thread->tid);
	if (fd < 0)
		return fd;
	page = sys_mmap(PERF_EVENT_PAGE_BYTES + ring_bytes, PROT_READ, MAP_SHARED, fd);
	sys_close(fd);
	if (sys_failed(page))
		return (int)(intptr_t)page;
	thread->perf_page = page;
	return 0;
}

int perf_event_start(struct thread *thread, const struct perf_event_attr *attr, size_t ring_bytes)
{
	void *before = thread->perf_page;
	int err = start(thread, attr, ring_bytes);

	if (!err && before)
		sys_munmap(before, PERF_EVENT_PAGE_BYTES + ring_bytes);
	return err;
}

void perf_event_stop(struct thread *thread, size_t ring_bytes)
{
	if (thread->perf_page)
		sys_munmap(thread->perf_page, PERF_EVENT_PAGE_BYTES + ring_bytes);
	thread->perf_page = NULL;
}

int perf_event_try(const struct perf_event_attr *attr)
{
	struct perf_event_attr rare = *attr;
	struct thread probe = { .tid = sys_gettid() };
	int err;

	rare.freq = 0;
	rare.sample_period = UINT64_C(1) << 40;
	err = perf_event_start(&probe, &rare, 0);
	perf_event_stop(&probe, 0);
	return err;
}

/* ---- what is possible here ---- */

static bool kernel_is_at_least(uint64_t major, uint64_t minor)
{
	struct utsname uts;

	return sys_uname(&uts) == 0 && linux_is_at_least(uts.release, major, minor);
}

bool perf_event_kernel_is_safe(void)
{
	return exec_guard_works() && kernel_is_at_least(LIMIT_LINUX_PERF_KERNEL);
}

/* Returns whether a debugger is attached: it takes every SIGTRAP for one of its breakpoints. */
static bool debugger_is_attached(void)
{
	char status[1024];
	const char *at;
	int fd = sys_open("/proc/self/status", O_RDONLY);
	long size;

	if (fd < 0)
		return false;
	size = sys_read(fd, status, sizeof(status) - 1);
	sys_close(fd);
	status[size > 0 ? size : 0] = '\0';
	at = strstr(status, "TracerPid:\t");
	return at && at[strlen("TracerPid:\t")] != '0';
}

bool perf_event_check(struct clock_refusal *refusal)
{
	if (!kernel_is_at_least(LIMIT_LINUX_PERF_SIGNAL)) {
		*refusal = (struct clock_refusal){ ENOSYS,
						   "the perf clock needs Linux 5.19 or later" };
		return false;
	}
	if (debugger_is_attached()) {
		*refusal = (struct clock_refusal){ EBUSY,
						   "a debugger is attached, which takes SIGTRAP" };
		return false;
	}
	return true;
}

/* ---- signals ---- */

/*
 * Returns sig_data of the event: the kernel puts it behind the address, and not every libc names
 * it.
 */
static uintptr_t data_of(const siginfo_t *info)
{
	unsigned long data;

	memcpy(&data, (const char *)&info->si_addr + sizeof(void *), sizeof(data));
	return data;
}

TICK_PATH bool perf_event_owns(const siginfo_t *info)
{
	return info->si_signo == SIGTRAP && info->si_code == TRAP_PERF &&
	       (data_of(info) & PERF_MARK_BITS) == PERF_MARK;
}

TICK_PATH struct thread *perf_event_thread(const siginfo_t *info)
{
	return threads_by_cookie(data_of(info) & ~PERF_MARK_BITS);
}
