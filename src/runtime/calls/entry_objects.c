/* SPDX-License-Identifier: MIT */
#include "entry_objects.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/injected.h"
#include "choice.h"
#include "entry_patch.h"
#include "sys.h"

/* Written by one order of the tool at a time. */
static struct injected_change *changes;
static size_t count;

static bool defer(const struct injected_change *change)
{
	struct injected_change *more = changes;

	/* At every power of 2, there is no more room. */
	if ((count & (count - 1)) == 0)
		more = realloc(changes, (count ? 2 * count : 1) * sizeof(*more));
	if (!more)
		return false;
	changes = more;
	changes[count++] = *change;
	return true;
}

bool entry_objects_change(const void *place, const void *bytes, size_t size)
{
	struct injected_change change = { .address = (uintptr_t)place, .size = size };

	if (!count)
		return false;
	memcpy(change.before, place, size);
	memcpy(change.after, bytes, size);
	return defer(&change);
}

static uint32_t id_of(void *object)
{
	return ((const struct walked *)object)->id;
}

/* Returns whether the object is the dynamic linker, which is running, or this library. */
static bool is_left_alone(const struct walked *object)
{
	return object->is_runtime || object->bias == getauxval(AT_BASE);
}

/* Returns whether the process has one thread. */
static bool is_alone(void)
{
	struct sys_stat status;
	int fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	/* Each folder in it is a link to it more, beside its own two. */
	bool is_one = fd >= 0 && sys_fstat(fd, &status) == 0 && status.st_nlink == 3;

	if (fd >= 0)
		sys_close(fd);
	return is_one;
}

/* Returns this library, whose own calls are not the program's. */
static const struct walked *own(void)
{
	const struct walked *object = got_objects;

	while (object && !object->is_runtime)
		object = object->next;
	return object;
}

void entry_objects_patch(struct walked *object, bool is_late)
{
	const struct walked *runtime = own();
	const struct entry_runtime functions = {
		.defer = is_late ? defer : NULL,
		.bind = dwell_calls_bind,
		.add_island = dwell_calls_island,
		.lose = dwell_calls_lose,
		.image = runtime ? &runtime->image : NULL,
		.counting = (uint64_t)(uintptr_t)dwell_calls_counting(),
	};
	struct entry_object entry = {
		.image = &object->image, .path = object->path, .id = id_of, .argument = object
	};

	if (!runtime || is_left_alone(object) || object->id == UINT32_MAX)
		return;
	if (!is_late && !object->is_early && !is_alone()) {
		if (choice_may_have(&(struct spec_subject){ .soname = object->image.soname,
							    .path = object->path }))
			dwell_calls_lose(1);
		return;
	}
	entry_patch(&entry, &functions);
	object->island = entry.island;
}

void entry_objects_unpatch(struct walked *object)
{
	if (!object->island.end)
		return;
	dwell_calls_no_island(&object->island);
	entry_unmap(&object->island);
	object->island = (struct runtime_island){ 0 };
}

void entry_objects_publish(struct injected *block)
{
	block->changes = (uintptr_t)changes;
	block->change_count = count;
	block->lost = 0;
}

void entry_objects_forget(struct injected *block)
{
	block->changes = 0;
	block->change_count = 0;
	free(changes);
	changes = NULL;
	count = 0;
}
