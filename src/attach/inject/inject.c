/* SPDX-License-Identifier: MIT */
#include "attach/inject/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "attach/inject/crew.h"
#include "attach/inject/leftovers.h"
#include "attach/inject/pass.h"
#include "attach/inject/take_back.h"
#include "attach/proc.h"

#define LOADER_STACK ((size_t)512 * 1024) /* for dlopen() */
#define BEGIN_TRIES  10                   /* where another thread is inside the linker */

static int explain(int code, pid_t pid, struct err *err)
{
	switch (code) {
	case -EPERM:
		return err_set(err, EPERM,
			       "cannot count calls in process %d: tracing it needs its user and "
			       "kernel.yama.ptrace_scope 0, or root",
			       (int)pid);
	case -ESRCH:
		return err_set(err, ESRCH, "process %d has already exited", (int)pid);
	case -EBUSY:
		return err_set(
			err, EBUSY,
			"cannot count calls in process %d: all its threads are always inside "
			"malloc(), the dynamic linker or other functions of libc; try again",
			(int)pid);
	case -EAGAIN:
		return err_set(err, EAGAIN,
			       "cannot count calls in process %d: one of its threads holds the "
			       "dynamic linker's lock; try again",
			       (int)pid);
	case -ETIMEDOUT:
		return err_set(err, ETIMEDOUT,
			       "cannot count calls in process %d: one of its threads waits for a "
			       "lock while it loads dwell's library, and goes on when it has it",
			       (int)pid);
	case -EDEADLK:
		return err_set(
			err, EBUSY,
			"cannot count calls in process %d: one of its threads does not stop, "
			"because it waits for the kernel; try again, or use --via got",
			(int)pid);
	default:
		return err_set(err, -code, "cannot count calls in process %d: %s", (int)pid,
			       strerror(-code));
	}
}

/* ---- loading ---- */

static const char *const loaders[] = { "dlopen", "__libc_dlopen_mode" };

/* Has the thread call dlopen(), on a stack that is mapped for that. */
static int call_loader(struct inject_target *target, struct remote *remote)
{
	const uintptr_t map[6] = { 0,
				   LOADER_STACK,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				   (uintptr_t)-1,
				   0 };
	/* The flag is that of dlopen() in glibc, which the second of them does not add. */
	uintptr_t arguments[4] = { 0, RTLD_NOW | 0x80000000U }, function = 0;
	long memory = remote_syscall(remote, SYS_mmap, map);
	int err;

	for (size_t i = 0; i < 2 && !function; i++) {
		function = layout_symbol(&target->layout, LAYOUT_LIBC, loaders[i]);
		if (i == 0 && function)
			arguments[1] = RTLD_NOW;
	}
	if (memory < 0 || !function)
		return memory < 0 ? (int)memory : -ENOSYS;
	arguments[0] = (uintptr_t)memory;
	err = remote_put(target->pid, (uintptr_t)memory, target->library,
			 strlen(target->library) + 1);
	if (!err)
		err = remote_use_stack(remote, (uintptr_t)memory + LOADER_STACK);
	return err ? err : remote_call(remote, function, arguments);
}

/* Reads again what is mapped: the runtime should be. */
static int find_loaded(struct inject_target *target)
{
	int err;

	layout_free(&target->layout);
	err = target_open(target, target->pid, target->library);
	return !err && !target->block ? -ELIBACC : err;
}

/* Gives back the stack for dlopen(), which has failed. */
static void give_back(struct remote *remote, uintptr_t loader_stack)
{
	const uintptr_t unmap[6] = { loader_stack, LOADER_STACK };

	if (loader_stack && remote_leave_stack(remote) == 0)
		remote_syscall(remote, SYS_munmap, unmap);
}

/* Loads the runtime if it is not there yet; the thread is on its stack then. */
static int load(struct inject_target *target, struct remote *remote)
{
	uintptr_t loader_stack = 0;
	int err;

	if (!target->block) {
		err = call_loader(target, remote);
		loader_stack = remote->stack_end ? remote->stack_end - LOADER_STACK : 0;
		if (!err)
			err = find_loaded(target);
		if (err) {
			give_back(remote, loader_stack);
			return err;
		}
	}
	err = remote_use_stack(remote, target->injected.stack_end);
	if (!err && loader_stack)
		err = (int)remote_syscall(remote, SYS_munmap,
					  (const uintptr_t[6]){ loader_stack, LOADER_STACK });
	return err;
}

/* ---- orders ---- */

static int put_descriptor(const struct inject_target *target, int descriptor)
{
	return remote_put(target->pid, target->block + offsetof(struct injected, descriptor),
			  &descriptor, sizeof(descriptor));
}

static int begin_on(struct inject_target *target, struct remote *remote, int recording)
{
	int err = remote_borrow(remote, &target->code), there;

	if (!err)
		err = load(target, remote);
	if (err)
		return err;
	there = pass_descriptor(remote, target->injected.stack_end - INJECTED_STACK, recording);
	if (there < 0)
		return there;
	err = put_descriptor(target, there);
	return err ? err : target_order(target, remote, target->injected.begin);
}

static int begin_once(struct inject_target *target, int recording)
{
	struct remote remote;
	int err = crew_find_one(&target->layout, &remote);

	if (err)
		return err;
	err = begin_on(target, &remote, recording);
	remote_release(&remote);
	return err;
}

/* Makes the changes, if there are any; if that fails, ends what has begun. */
static int make_changes(struct inject_target *target)
{
	uint64_t lost;
	size_t left;
	int err;

	if (!target->injected.change_count)
		return 0;
	err = target_change(target, false, &left);
	lost = left;
	if (!err && lost)
		err = remote_put(target->pid, target->block + offsetof(struct injected, lost),
				 &lost, sizeof(lost));
	if (err && !find_loaded(target))
		take_back(target);
	return err == -ETIMEDOUT ? -EDEADLK : err;
}

int inject_begin(pid_t pid, const char *library, int recording, struct calls_entry *entry,
		 struct err *err)
{
	struct inject_target target;
	int status = inject_check(pid, library, err);

	if (!status)
		status = inject_free(pid, library, err);
	if (status)
		return status;
	status = target_open(&target, pid, library);
	for (int i = 0; i < BEGIN_TRIES && !status; i++) {
		status = begin_once(&target, recording);
		if (status != -EAGAIN)
			break;
		status = i + 1 < BEGIN_TRIES ? 0 : status;
	}
	if (!status)
		status = make_changes(&target);
	*entry = (struct calls_entry){ .pid = pid,
				       .segment = target.injected.entry,
				       .stubs = target.injected.stubs,
				       .stubs_bytes = target.injected.stubs_bytes };
	if (status == -ELIBACC)
		status = err_set(
			err, ELIBACC,
			"cannot count calls in process %d: its dynamic linker does not load "
			"'%s': too little memory or static TLS, no descriptor left, or an older "
			"libc",
			(int)pid, library);
	else if (status)
		status = explain(status, pid, err);
	target_close(&target);
	return status;
}

/* ---- taking back ---- */

static bool is_taken_back(const struct inject_target *target)
{
	return !target->block || target->injected.state == INJECTED_DORMANT ||
	       target->injected.state == INJECTED_PRELOADED;
}

/* Returns true also for a process that its parent has not waited for yet. */
static bool has_ended(pid_t pid)
{
	struct proc_stat stat;

	return proc_stat(pid, &stat) || stat.state == 'Z' || stat.state == 'X';
}

int inject_end(pid_t pid, const char *library, struct err *err)
{
	struct inject_target target;
	int status = target_open(&target, pid, library);

	if (status)
		return has_ended(pid) ? 0 : explain(status, pid, err);
	if (target.block)
		status = take_back_wait(&target);
	if (!status && !is_taken_back(&target))
		status = take_back(&target);
	target_close(&target);
	if (status == -EAGAIN || status == -EBUSY)
		return err_set(err, EBUSY,
			       "process %d goes on as before, but has not given back the memory of "
			       "the recording: some of its threads were never seen outside of "
			       "dwell's library",
			       (int)pid);
	return status && !has_ended(pid) ? explain(status, pid, err) : 0;
}

int inject_free(pid_t pid, const char *library, struct err *err)
{
	struct inject_target target;
	int status = target_open(&target, pid, library);
	bool is_loaded, is_preloaded, is_taken;

	if (status == -ENOTSUP)
		return err_set(err, ENOTSUP,
			       "cannot count calls in process %d: it has the library of another "
			       "version of dwell; restart it",
			       (int)pid);
	if (status)
		return explain(status, pid, err);
	is_loaded = target.block;
	is_preloaded = target.block && target.injected.state == INJECTED_PRELOADED;
	is_taken = !is_taken_back(&target);
	target_close(&target);
	if (is_preloaded || (is_taken && leftovers_are_in_use(pid)))
		return err_set(err, EBUSY,
			       "cannot count calls in process %d: another dwell is recording it",
			       (int)pid);
	/* It may be about to begin, by an order of a dwell that has died. */
	return is_loaded ? inject_end(pid, library, err) : 0;
}
