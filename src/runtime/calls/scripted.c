/* SPDX-License-Identifier: MIT */
#include "scripted.h"

#include "bind.h"
#include "interpreter/interpreters.h"
#include "process.h"
#include "runtime/process/instant.h"
#include "state.h"

#define HEADERS_MAX  32   /* program headers of an object that are read */
#define PATIENCE_MAX 1024 /* calls until a function without an address is tried again, at most */

/* Written under the lock of state.h, except for what interpreters.h says. */
static struct {
	struct interpreters interpreters;
	struct scripts_writer writer;
	uintptr_t looked_at[OBJECTS_MAX]; /* starts of objects, by number; 0: closed, or new */
	ElfW(Phdr) headers[HEADERS_MAX];
} scripted;

static uint64_t script_of(struct calls_thread *thread);

/* ---- finding ---- */

static bool read_object(const struct bind_range *range, struct object *object)
{
	ElfW(Ehdr) head;

	if (!memory_read_self(NULL, range->start, &head, sizeof(head)) ||
	    head.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	*object = (struct object){ .bias = range->bias,
				   .headers = scripted.headers,
				   .header_count = head.e_phnum < HEADERS_MAX ? head.e_phnum
									      : HEADERS_MAX };
	return memory_read_self(NULL, range->start + head.e_phoff, scripted.headers,
				object->header_count * sizeof(scripted.headers[0]));
}

/* Returns the room for names of this process: a child of fork() has one of its own. */
static struct room *names(void)
{
	struct room *room = &scripted.writer.room;

	if (room->owner != calls_state.entry.segment)
		*room = (struct room){ .kind = RECORD_NAMES, .owner = calls_state.entry.segment };
	return room;
}

static void look_at(uint32_t id)
{
	struct bind_range range = bind_range_of(id);
	uintptr_t *looked_at = &scripted.looked_at[id];
	struct object object;

	if (range.start == *looked_at)
		return;
	if (*looked_at)
		interpreters_gone(&scripted.interpreters, *looked_at);
	*looked_at = range.start;
	if (range.start && read_object(&range, &object))
		interpreters_mapped(&scripted.interpreters, &(struct peek){ 0 }, &object,
				    range.start, names());
}

/* Looks at objects that were opened or closed since. */
static void look(void)
{
	sys_sigset mask = state_lock();
	uint32_t changes = __atomic_load_n(&calls_state.object_changes, __ATOMIC_ACQUIRE);
	uint32_t count = __atomic_load_n(&calls_state.object_count, __ATOMIC_ACQUIRE);
	bool is_there;

	for (uint32_t id = 0; id < count && calls_state.entry.process; id++)
		look_at(id);
	is_there = interpreters_exist(&scripted.interpreters) &&
		   scripted.interpreters.found.kind->innermost;
	__atomic_store_n(&calls_state.script_of, is_there ? script_of : NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&calls_state.object_looks, changes, __ATOMIC_RELEASE);
	state_unlock(mask);
}

void scripted_begin(void)
{
	/* Without the probe, a pointer that is torn would end the program. */
	if (calls_state.flags & RECORD_BY_SITE && memory_probe_works())
		calls_state.look_for_scripts = look;
}

void scripted_end(void)
{
	calls_state.look_for_scripts = NULL;
	calls_state.script_of = NULL;
	calls_state.object_looks = 0;
	interpreters_forget(&scripted.interpreters);
	scripted.writer = (struct scripts_writer){ 0 };
	for (uint32_t i = 0; i < OBJECTS_MAX; i++)
		scripted.looked_at[i] = 0;
}

/* ---- a call ---- */

/* Gives a function its address, and writes what it is. Without space, that is tried less and less
 * often. */
static uint64_t add_function(struct calls_thread *thread)
{
	uint64_t address = SCRIPTS_NAMELESS;
	sys_sigset mask;

	if (thread->script_wait) {
		thread->script_wait--;
		return address;
	}
	mask = state_lock();
	if (calls_state.entry.process) {
		names();
		address = interpreters_innermost(&scripted.interpreters, thread->script_pages,
						 &scripted.writer, instant_now());
	}
	state_unlock(mask);
	if (address != SCRIPTS_NAMELESS)
		thread->script_patience = 0;
	else if (thread->script_patience < PATIENCE_MAX)
		thread->script_patience = 2 * thread->script_patience + 1;
	thread->script_wait = thread->script_patience;
	return address;
}

/* Counts a call for the native caller alone. */
static void lose_function(void)
{
	struct record_process *process = calls_state.entry.process;

	if (process)
		process_lost(&((struct record_segment *)process - 1)->unread);
}

/* Implements calls_state.script_of(). */
static uint64_t script_of(struct calls_thread *thread)
{
	uint64_t address;

	if (!thread->script_pages)
		thread->script_pages = process_memory(sizeof(*thread->script_pages));
	if (!thread->script_pages)
		return 0;
	address = interpreters_innermost(&scripted.interpreters, thread->script_pages, NULL,
					 instant_now());
	if (address == SCRIPTS_NAMELESS)
		address = add_function(thread);
	if (address == INTERPRETERS_UNREADABLE || address == SCRIPTS_NAMELESS) {
		lose_function();
		return 0;
	}
	return address;
}
