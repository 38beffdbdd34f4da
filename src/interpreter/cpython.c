/* SPDX-License-Identifier: MIT
 *
 * cpython.c - CPython: how it is found, and whose frames are walked. cpython_frames.c walks them.
 */
#include "cpython_frames.h"

#include <pthread.h>

#include "thread.h"

#if UINTPTR_MAX == UINT64_MAX
#include "cpython_layouts.h"
#else
#include "cpython_layouts_32.h"
#endif

#define UNIT_BYTES 2 /* of an instruction */

/* Limits for the search of a thread in another process, and of another state of this thread. */
#define THREADS_MAX     1024
#define OWN_THREADS_MAX 64
#define ACTIVATIONS_MAX 256
#define ALL_FRAMES_MAX  (1 << 18)             /* of all threads, in search of one: more are loops */
#define DATA_BYTES      ((uintptr_t)64 << 10) /* of a thread, above its stack */

/* ---- finding ---- */

static const struct cpython_layout *layout_of(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version >> 16)
			return &layouts[i];
	return NULL;
}

static bool read_word(const struct dynsym *symbols, uintptr_t address, uintptr_t *word)
{
	return peek_bytes(symbols->peek, address, word, sizeof(*word));
}

/* Checks that code objects are as large as they should be: builds for debugging have other ones. */
static bool is_as_expected(const struct dynsym *symbols, const struct cpython_layout *layout,
			   uintptr_t code_type)
{
	uintptr_t basic, item;

	return read_word(symbols, code_type + (uintptr_t)layout->type_basic, &basic) &&
	       read_word(symbols, code_type + (uintptr_t)layout->type_item, &item) &&
	       basic == (uintptr_t)layout->code_bytes &&
	       item == (layout->code_instructions ? 0 : UNIT_BYTES);
}

/* Returns the version of an interpreter, as PY_VERSION_HEX; 0: it is older than all of ours. Up to
 * 3.10, none says which it is, but each exports a function that was new in it. */
static uint32_t version_of(const struct dynsym *symbols)
{
	static const struct {
		const char *function;
		uint32_t version;
	} news[] = {
		{ "Py_NewRef", 0x030a0000 },
		{ "PyFrame_GetCode", 0x03090000 },
		{ "PyCode_NewWithPosOnlyArgs", 0x03080000 },
	};
	uintptr_t version = 0, at = dynsym_find(symbols, "Py_Version");

	if (at)
		return read_word(symbols, at, &version) ? (uint32_t)version : 0;
	for (size_t i = 0; i < sizeof(news) / sizeof(news[0]); i++)
		if (dynsym_find(symbols, news[i].function))
			return news[i].version;
	return 0;
}

/* Returns true for a build that counts all references, which has other structs. */
static bool is_for_debugging(const struct dynsym *symbols)
{
	return dynsym_find(symbols, "_Py_RefTotal");
}

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	uintptr_t state = dynsym_find(symbols, "_PyRuntime");
	const struct cpython_layout *layout;

	/* 3.6 and older ones have no such variable, but the function that all have. */
	if (!state)
		return dynsym_find(symbols, "PyEval_EvalFrameEx") ? RECORD_INTERPRETER_UNKNOWN
								  : RECORD_INTERPRETER_NONE;
	*found = (struct interpreter_found){ .kind = &interpreter_cpython,
					     .state = state,
					     .code_type = dynsym_find(symbols, "PyCode_Type"),
					     .version = version_of(symbols) };
	found->evaluation =
		dynsym_range(symbols, "_PyEval_EvalFrameDefault", &found->evaluation_end);
	layout = layout_of(found->version);
	if (!layout)
		return RECORD_INTERPRETER_UNKNOWN;
	found->layout = layout;
	return found->code_type && is_as_expected(symbols, layout, found->code_type) &&
			       !is_for_debugging(symbols)
		       ? RECORD_INTERPRETER_WALKED
		       : RECORD_INTERPRETER_UNKNOWN;
}

/* ---- the thread ---- */

/* Up to 3.11, _PyRuntime contains mutexes of libc in front of the key and of the current thread
 * state. The layouts have them as on x86-64. */
#define MUTEXES     2
#define MUTEX_BYTES 40

/* Returns the address of a field of _PyRuntime that is behind them. */
static uintptr_t behind_mutexes(const struct script_walk *walk, int32_t offset)
{
	bool has_mutexes = cpython_layout_in(walk)->runtime_current;
	uintptr_t more = has_mutexes ? MUTEXES * (sizeof(pthread_mutex_t) - MUTEX_BYTES) : 0;

	return walk->found->state + (uintptr_t)offset + more;
}

/* Returns true if a thread state is of the calling thread. */
static bool is_own(struct script_walk *walk, uintptr_t thread)
{
	uintptr_t id = thread + (uintptr_t)cpython_layout_in(walk)->thread_id;

	return thread && peek_can(&walk->peek, id, WORD) &&
	       peek_word(&walk->peek, id) == specific_self(walk->specific);
}

/* Returns the thread state that the thread has had first; 0: none. */
static uintptr_t first_state(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t thread;

	if (!(uint32_t)peek_word(&walk->peek, behind_mutexes(walk, layout->runtime_has_key)))
		return 0;
	thread = specific_value(
		walk->specific,
		(uint32_t)peek_word(&walk->peek, behind_mutexes(walk, layout->runtime_key)));
	return is_own(walk, thread) ? thread : 0;
}

/* Returns the thread state that runs, if the calling thread has the interpreter's lock; else 0. */
static uintptr_t running_state(struct script_walk *walk, uintptr_t first)
{
	int32_t current = cpython_layout_in(walk)->runtime_current;
	uintptr_t thread;

	if (!current)
		return 0;
	thread = peek_word(&walk->peek, behind_mutexes(walk, current));
	/* Another thread may free its own one now. */
	walk->peek.trusts = false;
	return thread == first || is_own(walk, thread) ? thread : 0;
}

/* Returns true if there is one interpreter: the oldest is the newest. */
static bool is_alone(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t runtime = walk->found->state;

	return peek_word(&walk->peek, runtime + (uintptr_t)layout->runtime_interpreters) ==
	       peek_word(&walk->peek, runtime + (uintptr_t)layout->runtime_main);
}

/* Reads a word of memory that other threads may unmap. */
static uintptr_t copy_at(struct script_walk *walk, uintptr_t object, int32_t offset)
{
	uintptr_t word;

	return peek_bytes(&walk->peek, object + (uintptr_t)offset, &word, sizeof(word)) ? word : 0;
}

/* Returns the state that the calling thread has in the oldest interpreter where it has another one
 * than `first`; 0: none. From 3.12 on, the thread's key has the state of the interpreter that it
 * runs, whose activations are inside one of another interpreter. */
static uintptr_t outer_state(struct script_walk *walk, uintptr_t first)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t runtime = walk->found->state, found = 0, thread;
	uintptr_t at = peek_word(&walk->peek, runtime + (uintptr_t)layout->runtime_interpreters);
	int looks = 0;

	if (layout->runtime_current || is_alone(walk))
		return 0;
	for (; at && looks < OWN_THREADS_MAX; at = copy_at(walk, at, layout->interpreter_next)) {
		thread = copy_at(walk, at, layout->interpreter_threads);
		for (; thread && looks < OWN_THREADS_MAX; looks++) {
			if (thread != first && copy_at(walk, thread, layout->thread_id) ==
						       specific_self(walk->specific))
				found = thread;
			thread = copy_at(walk, thread, layout->thread_next);
		}
		looks++;
	}
	return found;
}

/* Goes to the innermost cframe of a thread state, or to its frame. */
static void enter(struct script_walk *walk, uintptr_t thread)
{
	uintptr_t at = thread + (uintptr_t)cpython_layout_in(walk)->thread_frame;

	walk->at = peek_can(&walk->peek, at, WORD) ? peek_word(&walk->peek, at) : 0;
}

static bool next(struct script_walk *walk)
{
	walk->count = 0;
	walk->is_cut = false;
	/* Activations of a sub-interpreter are inside one of the thread's first interpreter. */
	while (!cpython_has_more(walk)) {
		if (!walk->last)
			return false;
		enter(walk, walk->last);
		walk->last = 0;
	}
	walk->from = walk->at;
	return cpython_next(walk);
}

static bool resume(struct script_walk *walk, uintptr_t anchor)
{
	if (!cpython_can_be_anchor(walk, anchor))
		return false;
	walk->at = anchor;
	walk->in_order = 0;
	walk->peek.trusts = false;
	return next(walk);
}

/* ---- another process ---- */

/* Returns true if the activations of a thread state, at the one whose turn it is, lead to the stack
 * that is walked. The thread may have gone deeper since. */
static bool leads_to_stack(struct script_walk *walk, uintptr_t thread, int *frames)
{
	enter(walk, thread);
	for (int i = 0; i < ACTIVATIONS_MAX && cpython_next_place(walk, frames); i++)
		if (walk->anchor >= walk->stack)
			return walk->anchor < walk->stack_end;
	return false;
}

static uintptr_t word_at(struct script_walk *walk, uintptr_t object, int32_t offset)
{
	uintptr_t at = object + (uintptr_t)offset;

	return peek_can(&walk->peek, at, WORD) ? peek_word(&walk->peek, at) : 0;
}

/* Returns true if a thread state is of the thread of the stack, which has its own data above that;
 * its number is the address of these. */
static bool is_above_stack(struct script_walk *walk, uintptr_t thread)
{
	uintptr_t id = word_at(walk, thread, cpython_layout_in(walk)->thread_id);

	return id > walk->stack_end && id - walk->stack_end < DATA_BYTES;
}

/* Finds a thread by its stack: its number may be another one for the process itself. Objects are
 * not on a stack; then it may be the first thread, whose data are elsewhere, and whose state is the
 * last: merging compares all objects with the stack. */
static uintptr_t find_thread(struct script_walk *walk)
{
	const struct cpython_layout *layout = cpython_layout_in(walk);
	uintptr_t interpreter = word_at(walk, walk->found->state, layout->runtime_interpreters);
	uintptr_t last = 0;
	int looks = 0, frames = ALL_FRAMES_MAX;

	for (; interpreter; interpreter = word_at(walk, interpreter, layout->interpreter_next)) {
		uintptr_t thread = word_at(walk, interpreter, layout->interpreter_threads);

		for (; thread && looks < THREADS_MAX; looks++) {
			if (cpython_has_objects(walk) ? is_above_stack(walk, thread)
						      : leads_to_stack(walk, thread, &frames))
				return thread;
			last = thread;
			thread = word_at(walk, thread, layout->thread_next);
		}
		if (looks++ >= THREADS_MAX)
			return 0;
	}
	return cpython_has_objects(walk) ? last : 0;
}

static bool begin_elsewhere(struct script_walk *walk)
{
	uintptr_t thread = find_thread(walk);

	if (!thread)
		return false;
	enter(walk, thread);
	return next(walk);
}

/* The interpreter's variables can be read for as long as its object is mapped, and a thread's own
 * state for as long as the thread has it. */
static bool begin(struct script_walk *walk)
{
	uintptr_t first, running;

	if (walk->peek.source)
		return begin_elsewhere(walk);
	if (!arch_has_thread_locals())
		return false;
	walk->peek.trusts = true;
	first = first_state(walk);
	running = running_state(walk, first);
	walk->peek.trusts = walk->is_settled;
	if (!running && !first)
		return false;
	walk->last = running && running != first ? first : outer_state(walk, first);
	enter(walk, running ? running : first);
	return next(walk);
}

static bool innermost(struct script_walk *walk)
{
	uintptr_t first, running = 0;

	walk->peek.trusts = true;
	first = first_state(walk);
	if (!is_alone(walk))
		running = running_state(walk, first);
	if (!running && !first)
		return true;
	enter(walk, running ? running : first);
	return cpython_innermost(walk);
}

const struct interpreter interpreter_cpython = {
	.language = RECORD_PYTHON,
	.find = find,
	.begin = begin,
	.next = next,
	.resume = resume,
	.innermost = innermost,
	.describe = cpython_describe,
};
