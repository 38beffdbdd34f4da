/* SPDX-License-Identifier: MIT */
#include "sandbox.h"

#include <errno.h>
#include <stddef.h>

#include "bpf.h"
#include "sys.h"

#define FILTERS_MAX 32

struct filter {
	const struct sock_filter *codes;
	size_t count;
};

/* Read by handlers: a filter is complete before it is counted. */
static struct {
	struct filter filters[FILTERS_MAX];
	unsigned int count;
	unsigned int strict; /* nesting of the strict mode; also counts a filter that is unknown */
	pid_t pid; /* set with the first filter: the result of getpid() if that is refused */
} sandbox;

/* Returns the lowest action of all filters, as a signed number: the kernel's order. */
static uint32_t verdict(const struct seccomp_data *data)
{
	unsigned int count = __atomic_load_n(&sandbox.count, __ATOMIC_ACQUIRE);
	uint32_t lowest = SECCOMP_RET_ALLOW;

	for (unsigned int i = 0; i < count; i++) {
		const struct filter *filter = &sandbox.filters[i];
		uint32_t result = bpf_run(filter->codes, filter->count, data);

		if ((int32_t)(result & SECCOMP_RET_ACTION_FULL) <
		    (int32_t)(lowest & SECCOMP_RET_ACTION_FULL))
			lowest = result;
	}
	return lowest;
}

static bool is_for_strict(long nr)
{
	return nr == SYS_read || nr == SYS_write || nr == SYS_exit || nr == SYS_rt_sigreturn;
}

/*
 * Implements sys_filter. Calls that are traced, or that another process decides on, are refused
 * too.
 */
static bool refuses(long nr, const long arguments[6], long *result)
{
	struct seccomp_data data = { .nr = (int)nr,
				     .arch = ARCH_AUDIT,
				     .instruction_pointer = (uintptr_t)refuses };
	uint32_t decision, action;

	for (int i = 0; i < 6; i++)
		data.args[i] = (unsigned long)arguments[i];
	decision = verdict(&data);
	action = decision & SECCOMP_RET_ACTION_FULL;
	if (__atomic_load_n(&sandbox.strict, __ATOMIC_RELAXED) && !is_for_strict(nr))
		action = SECCOMP_RET_KILL_PROCESS;
	if (action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG)
		return false;
	*result = action == SECCOMP_RET_ERRNO ? -(long)(decision & SECCOMP_RET_DATA) : -EPERM;
	if (*result == 0)
		*result = -EPERM; /* a call that does nothing and seems to succeed */
	if (nr == SYS_getpid)
		*result = sandbox.pid;
	return true;
}

/*
 * Trusts the address if the safe way is forbidden: the installer of a filter passes none that is
 * invalid but NULL.
 */
bool sandbox_read(const void *from, void *to, size_t size)
{
	if (!from || sandbox_permits(SYS_process_vm_readv))
		return from && sys_read_memory((uintptr_t)from, to, size) == 0;
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = ((const volatile char *)from)[i];
	return true;
}

static bool is_same(const struct filter *a, const struct filter *b)
{
	for (size_t i = 0; a->count == b->count; i++) {
		const struct sock_filter *one = &a->codes[i], *other = &b->codes[i];

		if (i == a->count)
			return true;
		if (one->code != other->code || one->jt != other->jt || one->jf != other->jf ||
		    one->k != other->k)
			return false;
	}
	return false;
}

/* Returns false if it is there already. */
static bool add(const struct sock_fprog *program)
{
	size_t size = program->len * sizeof(struct sock_filter);
	struct sock_filter *codes = sys_memory(size);
	struct filter filter = { codes, program->len };

	if (!codes || sandbox.count == FILTERS_MAX || !sandbox_read(program->filter, codes, size)) {
		__atomic_store_n(&sandbox.strict, sandbox.strict + 1, __ATOMIC_RELAXED);
		return true;
	}
	for (unsigned int i = 0; i < sandbox.count; i++)
		if (is_same(&filter, &sandbox.filters[i])) {
			sys_munmap(codes, size);
			return false;
		}
	sandbox.filters[sandbox.count] = filter;
	__atomic_store_n(&sandbox.count, sandbox.count + 1, __ATOMIC_RELEASE);
	return true;
}

bool sandbox_foresee(const struct sock_fprog *program)
{
	bool added = true;

	if (!sys_filter)
		sandbox.pid = sys_getpid();
	if (program)
		added = add(program);
	else
		__atomic_store_n(&sandbox.strict, sandbox.strict + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&sys_filter, refuses, __ATOMIC_RELEASE);
	return added;
}

void sandbox_retract(void)
{
	if (sandbox.strict) {
		__atomic_store_n(&sandbox.strict, sandbox.strict - 1, __ATOMIC_RELAXED);
		return;
	}
	/* Keeps its memory: a handler may be running it. */
	__atomic_store_n(&sandbox.count, sandbox.count - 1, __ATOMIC_RELEASE);
}

bool sandbox_permits(long nr)
{
	const long arguments[6] = { 0 };
	long result;

	return !sys_filter || !refuses(nr, arguments, &result);
}
