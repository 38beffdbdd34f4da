/* SPDX-License-Identifier: MIT */
#include "attach/walker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "recording/write/stack_end.h"

#define CACHE_BYTES   ((size_t)256 * 1024)
#define ALIGNMENT     64
#define MAPPINGS_MIN  64
#define HEADERS_GUESS 6 /* loaded segments per object; with more, the tables grow */

/* How much of the copy's end must be unchanged to trust the memory above it, and how much above it
 * is read. */
#define OVERLAP_BYTES ((size_t)1024)
#define ABOVE_BYTES   ((size_t)512 * 1024)
/* No stack is read farther beyond its copy than most stacks are long. */
#define STACK_BYTES ((uintptr_t)8 << 20)

static void *new_memory(size_t size)
{
	void *memory = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));

	if (memory)
		memset(memory, 0, size);
	return memory;
}

/* Makes larger tables, and a new cache: generations of the new tables start again, so old entries
 * would seem valid. */
static int make_room(struct walker *walker, size_t capacity)
{
	size_t bytes = 2 * (sizeof(struct eh_table) + capacity * sizeof(struct mapping));

	walker_free(walker);
	bytes += 2 * sizeof(struct mapping); /* halves hold a whole number of mappings */
	walker->tables = new_memory(bytes);
	walker->cache_memory = new_memory(CACHE_BYTES);
	if (!walker->tables || !walker->cache_memory ||
	    objects_init(&walker->objects, walker->tables, bytes) ||
	    cache_init(&walker->cache, walker->cache_memory, CACHE_BYTES)) {
		walker_free(walker);
		return -ENOMEM;
	}
	walker->capacity = capacity;
	return 0;
}

/* Adds an object whose .eh_frame has no header. */
static void add_frames(struct eh_table *table, uint32_t from, const struct target_image *image,
		       uintptr_t bias)
{
	for (uint32_t i = from; image->frames && i < table->count; i++) {
		table->mappings[i].frames = bias + image->frames;
		table->mappings[i].frames_bytes = (uint32_t)image->frames_bytes;
	}
}

static void add_code(struct eh_table *table, const struct walker_code *code)
{
	struct mapping plain = { .start = code->start,
				 .end = code->end,
				 .direct_end = code->start,
				 .flags = MAPPING_CODE };
	const struct target_image *image = code->image;
	struct object object = { 0 };
	uint32_t from = table->count;

	if (!image || !image->bytes ||
	    !image_bias(image, code->start, code->offset, &object.bias)) {
		table_put(table, &plain);
		return;
	}
	object.headers = image->headers;
	object.header_count = image->header_count;
	object.file = image->bytes;
	table_add_object(table, &object);
	add_frames(table, from, image, object.bias);
}

int walker_publish(struct walker *walker, const struct walker_code *code, size_t count)
{
	size_t needed = count * HEADERS_GUESS < MAPPINGS_MIN ? MAPPINGS_MIN : count * HEADERS_GUESS;
	struct eh_table *table;

	if (walker->capacity < needed && make_room(walker, 2 * needed))
		return -ENOMEM;
	do {
		table = objects_begin(&walker->objects);
		for (size_t i = 0; i < count; i++)
			add_code(table, &code[i]);
		/* Objects that share code, and the like, overlap; only what did not fit needs more
		 * room. */
		if (table->count < table->capacity)
			break;
	} while (!make_room(walker, 2 * walker->capacity));
	if (!walker->tables)
		return -ENOMEM;
	objects_publish(&walker->objects);
	return 0;
}

/* Reads from the process. */
struct live {
	pid_t pid;
	const struct walker_stack *stack;
	struct window barred; /* only the copy has this part, and it is invalid there */
	bool met_barrier;
};

static size_t read_live(pid_t pid, uintptr_t address, void *to, size_t size)
{
	struct iovec from = { (void *)address, size }, into = { to, size };
	ssize_t count = process_vm_readv(pid, &into, 1, &from, 1, 0);

	return count < 0 ? 0 : (size_t)count;
}

static bool live_read(void *context, uintptr_t address, void *to, size_t size)
{
	struct live *live = context;

	if (address + size > live->barred.start && address < live->barred.end) {
		live->met_barrier = true;
		return false;
	}
	for (size_t i = 0; i < live->stack->word_count; i++)
		if (address == live->stack->words[i].address && size == sizeof(uintptr_t)) {
			memcpy(to, &live->stack->words[i].value, size);
			return true;
		}
	return read_live(live->pid, address, to, size) == size;
}

/* Walks a stack. Returns why it ended. */
static enum unwind_reason walk(struct walker *walker, struct live *live,
			       const struct registers *registers, struct window copy,
			       struct walker_frames *frames)
{
	struct unwind unwind = { .objects = &walker->objects,
				 .cache = &walker->cache,
				 .memory = { .read = live_read, .context = live, .stack = copy },
				 .sps = frames->sps,
				 .kept = walker->kept,
				 .made = walker->made };

	frames->depth = (uint32_t)unwind_walk(&unwind, registers, frames->pcs, UNWIND_DEPTH);
	frames->certain = (uint32_t)unwind.certain;
	frames->end = stack_end(unwind.reason);
	return unwind.reason;
}

/* Returns the copy and the memory above it in the process now, in one piece; empty: they do not
 * match. While the thread runs, outer frames are unchanged until it returns to them; afterwards,
 * its next calls overwrite them, and sooner or later the end of the copy. */
static struct window extend(pid_t pid, struct window copy, char *buffer)
{
	size_t bytes = copy.end - copy.start;
	size_t overlap = bytes < OVERLAP_BYTES ? bytes : OVERLAP_BYTES;
	const char *original = (const char *)(copy.start + copy.shift);
	size_t got;

	got = read_live(pid, copy.end - overlap, buffer + bytes - overlap, overlap + ABOVE_BYTES);
	if (got <= overlap ||
	    memcmp(buffer + bytes - overlap, original + bytes - overlap, overlap) != 0)
		return (struct window){ 0 };
	memcpy(buffer, original, bytes);
	return (struct window){ copy.start, copy.end - overlap + got,
				(uintptr_t)buffer - copy.start };
}

/* Returns true if call frame information marks this code as outermost, which a return address of 0
 * does not prove. The walk just made has left the rule in the cache. */
static bool is_outermost(struct walker *walker, uintptr_t pc)
{
	struct registers registers = { .exact = false };
	const struct eh_table *table = walker->objects.tables[walker->objects.current];
	struct rule rule;

	registers.value[ARCH_FRAME_PC] = pc;
	return cache_get(&walker->cache, table->generation, cache_key(&registers), &rule) &&
	       rule.kind == RULE_END;
}

/* Walks a stack that continues above its copy. Overwritten frames lead anywhere, but hardly ever to
 * the very first frame of a thread: so only a walk that ends there is trusted. */
static void walk_on(struct walker *walker, struct live *live, const struct walker_stack *stack,
		    struct window copy, struct walker_frames *frames)
{
	struct walker_frames *whole = malloc(sizeof(*whole));
	char *buffer = malloc(stack->copy_bytes + ABOVE_BYTES);
	struct window longer = { 0 };

	frames->end = RECORD_STACK_TOO_DEEP;
	if (whole)
		whole->kernel_count = 0;
	if (buffer && whole)
		longer = extend(live->pid, copy, buffer);
	if (longer.end > copy.end) {
		live->barred = (struct window){ longer.end, longer.end + STACK_BYTES, 0 };
		if (walk(walker, live, &stack->registers, longer, whole) == UNWIND_END &&
		    whole->certain == whole->depth &&
		    is_outermost(walker, whole->pcs[whole->depth - 1])) {
			whole->certain = frames->depth;
			*frames = *whole;
		}
	}
	free(buffer);
	free(whole);
}

void walker_walk(struct walker *walker, pid_t pid, const struct walker_stack *stack,
		 struct walker_frames *frames)
{
	uintptr_t sp = stack->registers.value[ARCH_FRAME_SP];
	struct window copy = { sp, sp + stack->copy_bytes, (uintptr_t)stack->copy - sp };
	struct live live = { .pid = pid, .stack = stack };

	if (!stack->copy)
		copy = (struct window){ 0 };
	else if (stack->is_cut)
		live.barred = (struct window){ copy.end, copy.end + STACK_BYTES, 0 };
	if (walk(walker, &live, &stack->registers, copy, frames) == UNWIND_BAD_MEMORY &&
	    live.met_barrier)
		walk_on(walker, &live, stack, copy, frames);
}

void walker_free(struct walker *walker)
{
	free(walker->tables);
	free(walker->cache_memory);
	*walker = (struct walker){ 0 };
}
