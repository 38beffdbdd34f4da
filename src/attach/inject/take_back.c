/* SPDX-License-Identifier: MIT */
#include "attach/inject/take_back.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "attach/inject/leftovers.h"
#include "attach/inject/returns.h"
#include "attach/inject/safe_place.h"

#define DRAIN_TRIES 200
#define ORDER_TRIES 2000
#define END_TRIES   10
#define WAIT_NS     10000000

static bool is_on_order_stack(const struct inject_target *target, const struct remote *remote)
{
	uintptr_t end = target->injected.stack_end, sp = arch_remote_sp(&remote->before.registers);

	return sp <= end && end - sp < INJECTED_STACK;
}

int take_back_wait(struct inject_target *target)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	int err = -EAGAIN;

	for (int i = 0; i < ORDER_TRIES && (err == -EAGAIN || err == -ETIMEDOUT); i++) {
		struct crew crew;

		if (i > 0)
			nanosleep(&pause, NULL);
		err = crew_stop(&target->layout, &crew);
		for (size_t k = 0; k < crew.count && !err; k++)
			if (is_on_order_stack(target, &crew.threads[k]))
				err = -EAGAIN;
		crew_release(&crew);
	}
	return err ? err : target_read(target);
}

/* Puts the tables back, while the program runs. */
static int end_counting_once(struct inject_target *target)
{
	struct remote remote;
	int err = crew_find_one(&target->layout, &remote);

	if (err)
		return err;
	err = remote_borrow(&remote, &target->code);
	if (!err)
		err = remote_use_stack(&remote, target->injected.stack_end);
	if (!err)
		err = target_order(target, &remote, target->injected.end);
	remote_release(&remote);
	return err;
}

/* A signal may come before the thread can be used. */
static int end_counting(struct inject_target *target)
{
	int err = -EAGAIN;

	for (int i = 0; i < END_TRIES && err == -EAGAIN; i++)
		err = end_counting_once(target);
	return err;
}

static struct remote *one_that_can_run(const struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++)
		if (safe_place_can_run(&crew->threads[i]))
			return &crew->threads[i];
	return NULL;
}

static int order_drain(struct inject_target *target, struct remote *remote, bool are_back)
{
	int err;

	target->injected.are_back = are_back;
	err = remote_put(target->pid, target->block + offsetof(struct injected, calls),
			 &target->injected.calls,
			 offsetof(struct injected, under_way) - offsetof(struct injected, calls));
	return err ? err : target_order(target, remote, target->injected.drain);
}

/* Has the thread put back the return addresses of all calls under way. Slots go when all threads
 * have their registers: if we die before, these lead to stubs that work. Returns -EAGAIN if some
 * are left. */
static int put_back(struct inject_target *target, struct crew *crew, struct remote *remote)
{
	struct returns returns;
	int err = returns_find(&returns, &target->layout, crew, remote);

	target->injected.calls = returns_list(&returns, crew);
	target->injected.call_count = returns.count;
	if (!err && returns.count)
		err = order_drain(target, remote, false);
	if (!err)
		err = returns_apply(&returns, crew);
	if (!err)
		err = order_drain(target, remote, true);
	returns_free(&returns, remote);
	return !err && target->injected.under_way ? -EAGAIN : err;
}

/* Removes stubs from stacks while all threads are stopped, and forgets the recording if that has
 * succeeded. Returns -EAGAIN if it has not. */
static int drain(struct inject_target *target)
{
	struct crew crew;
	struct remote *remote;
	int err = crew_stop_all(&target->layout, &crew);

	if (err)
		return err;
	remote = one_that_can_run(&crew);
	err = remote ? remote_borrow(remote, &target->code) : -EAGAIN;
	if (!err)
		err = remote_use_stack(remote, target->injected.stack_end);
	if (!err)
		err = put_back(target, &crew, remote);
	if (!err)
		err = target_order(target, remote, target->injected.rest);
	if (!err)
		err = leftovers_remove(remote);
	crew_release(&crew);
	return err;
}

/* Puts the code back, and lets threads leave the islands: unwinders find these until the tables are
 * as before. A thread that stays costs only that. */
static int end_patching(struct inject_target *target)
{
	struct crew crew;
	size_t left;
	int err = target_change(target, true, &left);

	if (!err && crew_stop_all(&target->layout, &crew) == 0)
		crew_release(&crew);
	return err;
}

int take_back(struct inject_target *target)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	int err = 0;

	if (target->injected.change_count)
		err = end_patching(target);
	if (!err && target->injected.state == INJECTED_COUNTING)
		err = end_counting(target);
	for (int i = 0; i < DRAIN_TRIES && !err; i++) {
		err = drain(target);
		if (err != -EAGAIN)
			return err;
		nanosleep(&pause, NULL);
		err = i + 1 < DRAIN_TRIES ? 0 : -EAGAIN;
	}
	return err;
}
