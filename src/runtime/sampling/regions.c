/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include <dwell.h>
#include <string.h>

#include "base/export.h"
#include "runtime/sampler/handler_tls.h"

#define DEPTH_MAX 16   /* regions of a thread that are in each other; further ones are counted */
#define SLOTS     2048 /* of names, by their hash: at most half of them are used */
#define OTHERS    0    /* the region of all names that had no room */

/* Invariant: hash and text are complete, and never change, once a slot has its number. */
struct name {
	uint64_t hash;
	_Atomic uint64_t written; /* segment of the process that has written it last; 0: none */
	char text[RECORD_REGION_BYTES];
};

/* Unused pages of the tables cost nothing. */
static struct {
	_Atomic bool wanted;
	_Atomic uint32_t count; /* names in use, and perhaps some beyond the last */
	_Atomic uint64_t lost;
	_Atomic uint16_t slots[SLOTS]; /* number of a name; 0: none */
	struct name names[RECORD_REGIONS_MAX];
} regions = { .count = OTHERS + 1, .names = { { .text = "[other regions]" } } };

/* The regions that the thread is in, the outermost first. */
static _Thread_local struct {
	uint32_t depth; /* may be more than DEPTH_MAX */
	uint16_t numbers[DEPTH_MAX];
} this_thread TLS_FOR_HANDLERS;

/* A thread's memory is read by its own handlers alone: the order of stores matters, no more. */
static void in_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* ---- names ---- */

/* Copies a name up to its limit, and hashes it. Compares and copies of few bytes: no call of libc,
 * which the program may have replaced by its own. */
static uint64_t read_name(const char *name, char text[RECORD_REGION_BYTES])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i = 0;

	for (; i + 1 < RECORD_REGION_BYTES && name[i]; i++) {
		text[i] = name[i];
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x9fb21c651e98df25);
		hash ^= hash >> 32;
	}
	text[i] = '\0';
	return hash;
}

static bool is_same(const struct name *name, uint64_t hash, const char *text)
{
	size_t i = 0;

	if (name->hash != hash)
		return false;
	while (text[i] && name->text[i] == text[i])
		i++;
	return text[i] == name->text[i];
}

/* Returns the number of a new name, which no slot has yet; OTHERS: there is no room. */
static uint32_t new_name(uint64_t hash, const char *text)
{
	uint32_t number = atomic_fetch_add_explicit(&regions.count, 1, memory_order_relaxed);
	struct name *name;

	if (number >= RECORD_REGIONS_MAX) {
		atomic_store_explicit(&regions.count, RECORD_REGIONS_MAX, memory_order_relaxed);
		return OTHERS;
	}
	name = &regions.names[number];
	name->hash = hash;
	for (size_t i = 0; text[i]; i++)
		name->text[i] = text[i];
	return number;
}

/* Returns the number of a name; OTHERS: it has none. Two threads that bring the same name at once
 * may use up two numbers, of which one is used. */
static uint32_t number_of(const char *name, bool adds)
{
	char text[RECORD_REGION_BYTES];
	uint64_t hash = read_name(name, text);
	uint32_t made = OTHERS;

	for (uint64_t at = hash;; at++) {
		_Atomic uint16_t *slot = &regions.slots[at % SLOTS];
		uint16_t number = atomic_load_explicit(slot, memory_order_acquire);

		if (!number && !adds)
			return OTHERS;
		if (!number && made == OTHERS)
			made = new_name(hash, text);
		if (!number && made == OTHERS)
			return OTHERS;
		if (!number && atomic_compare_exchange_strong_explicit(
				       slot, &number, (uint16_t)made, memory_order_release,
				       memory_order_acquire))
			return made;
		if (is_same(&regions.names[number], hash, text))
			return number;
	}
}

/* ---- called by the program ---- */

static void begin(const char *name)
{
	uint32_t depth = this_thread.depth, number;

	if (!atomic_load_explicit(&regions.wanted, memory_order_relaxed))
		return;
	number = number_of(name ? name : "", true);
	if (number == OTHERS || depth >= DEPTH_MAX)
		atomic_fetch_add_explicit(&regions.lost, 1, memory_order_relaxed);
	if (depth < DEPTH_MAX)
		this_thread.numbers[depth] = (uint16_t)number;
	in_order();
	this_thread.depth = depth + 1;
	in_order();
	/* Once more: a handler of the program may have used the place before it was taken. */
	if (depth < DEPTH_MAX)
		this_thread.numbers[depth] = (uint16_t)number;
}

/* Regions that were left by longjmp() end with the one around them. */
static void end(const char *name)
{
	uint32_t depth = this_thread.depth, number;

	if (!depth)
		return;
	if (!name || depth > DEPTH_MAX) {
		this_thread.depth = depth - 1;
		return;
	}
	number = number_of(name, false);
	while (depth && this_thread.numbers[depth - 1] != number)
		depth--;
	if (depth)
		this_thread.depth = depth - 1;
}

EXPORT const struct dwell_regions dwell_regions_1 = { .begin = begin, .end = end };

/* ---- in a tick ---- */

static void write_name(struct writer *writer, uint32_t number)
{
	struct name *name = &regions.names[number];
	size_t bytes = strlen(name->text) + 1;
	struct record_region *item;

	if (atomic_exchange(&name->written, writer->process) == writer->process)
		return;
	item = scripts_take(&writer->scripted.scripts, sizeof(*item) + bytes);
	if (!item) {
		atomic_store(&name->written, 0);
		return;
	}
	item->number = number;
	for (size_t i = 0; i < bytes; i++)
		item->name[i] = name->text[i];
	room_publish(&item->item, RECORD_REGION);
}

/* Makes room for more frames, at the cost of a deep stack's outermost. */
static void make_room(struct stack *stack, int frames)
{
	if (stack->depth + frames <= UNWIND_DEPTH)
		return;
	stack->depth = UNWIND_DEPTH - frames;
	stack->certain = stack->certain < stack->depth ? stack->certain : stack->depth;
	stack->end = RECORD_STACK_TOO_DEEP;
}

void regions_add(struct writer *writer, struct stack *stack)
{
	uint32_t count = this_thread.depth < DEPTH_MAX ? this_thread.depth : DEPTH_MAX;
	uint64_t *pcs = stack->pcs == writer->pcs ? writer->pcs : writer->scripted.merged;
	bool is_certain;

	if (!count)
		return;
	make_room(stack, (int)count);
	is_certain = stack->certain == stack->depth;
	while (count) {
		uint32_t number = this_thread.numbers[--count];

		write_name(writer, number);
		pcs[stack->depth++] = RECORD_REGIONS_START + number;
	}
	if (is_certain)
		stack->certain = stack->depth;
}

void regions_start(void)
{
	atomic_store(&regions.wanted, true);
}

uint64_t regions_lost(void)
{
	return atomic_load_explicit(&regions.lost, memory_order_relaxed);
}

void regions_after_fork(void)
{
	atomic_store(&regions.lost, 0);
}
