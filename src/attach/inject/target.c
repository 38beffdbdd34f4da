/* SPDX-License-Identifier: MIT */
#include "attach/inject/target.h"

#include <errno.h>
#include <time.h>

#include "attach/inject/changes.h"

#define CHANGE_TRIES   50
#define CHANGE_WAIT_NS 10000000

int target_read(struct inject_target *target)
{
	int err =
		remote_get(target->pid, target->block, &target->injected, sizeof(target->injected));

	if (!err && target->injected.version != INJECTED_VERSION)
		err = -ENOTSUP;
	target->layout.stubs = target->injected.stubs;
	target->layout.stubs_end = target->injected.stubs + target->injected.stubs_bytes;
	return err;
}

int target_open(struct inject_target *target, pid_t pid, const char *library)
{
	int err;

	*target = (struct inject_target){ .pid = pid, .library = library };
	err = layout_read(&target->layout, pid);
	if (!err)
		err = layout_remote_code(&target->layout, &target->code);
	if (!err)
		target->block = layout_symbol(&target->layout, LAYOUT_RUNTIME, INJECTED_SYMBOL);
	if (!err && target->block)
		err = target_read(target);
	else if (!err && layout_first(&target->layout, LAYOUT_RUNTIME))
		err = -ENOTSUP;
	if (err)
		layout_free(&target->layout);
	return err;
}

void target_close(struct inject_target *target)
{
	layout_free(&target->layout);
}

int target_order(struct inject_target *target, struct remote *remote, uint64_t function)
{
	static const uintptr_t nothing[4];
	int err = remote_call(remote, function, nothing);

	if (!err)
		err = target_read(target);
	return err ? err : target->injected.result;
}

int target_change(struct inject_target *target, bool is_back, size_t *left)
{
	const struct timespec pause = { .tv_nsec = CHANGE_WAIT_NS };
	struct changes changes;
	int err = changes_read(&changes, target->pid, &target->injected);

	changes.code = target->code;
	*left = 0;
	for (int i = 0; i < CHANGE_TRIES && (err == -ETIMEDOUT || (!err && (i == 0 || *left)));
	     i++) {
		struct crew crew;

		if (i > 0)
			nanosleep(&pause, NULL);
		err = crew_stop(&target->layout, &crew);
		if (!err && is_back)
			err = changes_take_back(&changes);
		else if (!err)
			err = changes_make(&changes, &crew, left);
		crew_release(&crew);
	}
	changes_free(&changes);
	return err;
}
