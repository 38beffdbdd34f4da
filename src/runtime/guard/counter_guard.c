/* SPDX-License-Identifier: MIT
 *
 * counter_guard.c - interposes prctl(), by which a thread can make the kernel forbid reading the
 * CPU's counter: a read then raises SIGSEGV. The vdso reads it, too. prctl() also names the thread,
 * which a recording contains, and can restrict the thread to some system calls: sandbox.h.
 *
 * Threads and programs that it starts inherit the ban. A thread that bypasses libc for this dies at
 * our next read.
 */
#include "counter_guard.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "base/export.h"
#include "interpose.h"
#include "sandbox.h"
#include "sandbox_guard.h"

typedef int prctl_function(int, unsigned long, unsigned long, unsigned long, unsigned long);

static prctl_function *libc_prctl;

static struct {
	void (*lost)(void), (*named)(void); /* NULL: nothing to do */
} hooks;

void counter_guard_use(void (*lost)(void), void (*named)(void))
{
	hooks.lost = lost;
	hooks.named = named;
}

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc_prctl, "prctl");
}

static bool forbids(int option, unsigned long value)
{
	return (option == PR_SET_TSC && value == PR_TSC_SIGSEGV) ||
	       (option == PR_SET_SECCOMP && value == SECCOMP_MODE_STRICT);
}

static int install(const unsigned long values[4])
{
	bool is_new = sandbox_guard_begins(values[0], (const struct sock_fprog *)values[1]);
	int result = libc_prctl(PR_SET_SECCOMP, values[0], values[1], values[2], values[3]);

	if (is_new && result)
		sandbox_retract();
	return result;
}

EXPORT int prctl(int option, ...)
{
	unsigned long values[4];
	va_list args;
	int result;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		values[i] = va_arg(args, unsigned long);
	va_end(args);
	if (!libc_prctl)
		guard_at_load();
	if (forbids(option, values[0]) && hooks.lost)
		hooks.lost();
	if (option == PR_SET_SECCOMP)
		return install(values);
	result = libc_prctl(option, values[0], values[1], values[2], values[3]);
	if (option == PR_SET_NAME && hooks.named)
		hooks.named();
	return result;
}
