/* SPDX-License-Identifier: MIT */
#include "attach/watched_scripts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "interpreter/interpreters.h"

#define WORD       sizeof(uintptr_t)
#define PART_BYTES 65536 /* at least as long as a copied stack */

_Static_assert(SCRIPT_DEPTH == UNWIND_DEPTH, "a merged stack is as long as any other");

/* A sampled thread. */
struct sampled {
	pid_t pid;
	const struct walker_stack *stack; /* NULL: only the process is of interest */
};

struct watched_scripts {
	struct interpreters interpreters;
	struct interpreters_space space;
	struct sampled sampled; /* of the last watched_scripts_made() */
	struct peek_source source;
	char copies[PEEK_PAGES][PEEK_PAGE];
};

/* Returns the part of its stack that was copied. */
static struct window copied(const struct sampled *sampled)
{
	const struct walker_stack *stack = sampled->stack;
	uintptr_t sp;

	if (!stack || !stack->copy)
		return (struct window){ 0 };
	sp = stack->registers.value[ARCH_FRAME_SP];
	return (struct window){ sp, sp + stack->copy_bytes, (uintptr_t)stack->copy - sp };
}

static struct window overlap(struct window a, struct window b)
{
	struct window both = { a.start > b.start ? a.start : b.start, a.end < b.end ? a.end : b.end,
			       a.shift };

	return both.start < both.end ? both : (struct window){ 0 };
}

/* Implements read() of a source: memory of now, with the copy of the stack in its place. */
static bool read_memory(void *context, uintptr_t address, void *to, size_t size)
{
	const struct sampled *sampled = context;
	struct iovec from = { (void *)address, size }, into = { to, size };
	struct window copy =
		overlap(copied(sampled), (struct window){ address, address + size, 0 });

	if (process_vm_readv(sampled->pid, &into, 1, &from, 1, 0) != (ssize_t)size)
		return false;
	if (copy.start)
		memcpy((char *)to + (copy.start - address), (const char *)(copy.start + copy.shift),
		       copy.end - copy.start);
	return true;
}

static bool is_between(uintptr_t word, uintptr_t start, uintptr_t end)
{
	return word >= start && word <= end;
}

/* Returns true if the part of the stack is now as it was. */
static bool is_unchanged(const struct sampled *sampled, struct window part)
{
	char now[PART_BYTES];
	size_t size = part.end - part.start;
	struct iovec from = { (void *)part.start, size }, into = { now, size };

	return size <= sizeof(now) &&
	       process_vm_readv(sampled->pid, &into, 1, &from, 1, 0) == (ssize_t)size &&
	       memcmp(now, (const char *)(part.start + part.shift), size) == 0;
}

/* Implements ran() for a sampled thread. The innermost activation runs on, so only the instruction
 * that it was at is evidence; the others have waited for it if their native frames have not
 * changed. */
static bool ran(void *context, struct window part, uintptr_t start, uintptr_t end)
{
	const struct sampled *sampled = context;
	const struct registers *registers = &sampled->stack->registers;
	struct window copy = copied(sampled), both = overlap(copy, part);

	if (!both.start || part.end > copy.end)
		return false;
	if (part.start > copy.start)
		return is_unchanged(sampled, both);
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (registers_know(registers, i) && is_between(registers->value[i], start, end))
			return true;
	for (uintptr_t at = both.start; at + WORD <= both.end; at += WORD)
		if (is_between(window_word(&copy, at), start, end))
			return true;
	return false;
}

void watched_scripts_mapped(struct watched_scripts **scripts,
			    const struct watched_scripts_mapping *mapping)
{
	const struct target_image *image = mapping->code->image;
	struct sampled sampled = { .pid = mapping->pid };
	struct watched_scripts *made;
	struct object object = { 0 };
	struct peek_source source;
	struct peek peek = { .source = &source };

	if (!image || !image->bytes ||
	    (*scripts && interpreters_exist(&(*scripts)->interpreters)) ||
	    !image_bias(image, mapping->code->start, mapping->code->offset, &object.bias))
		return;
	made = *scripts ? *scripts : calloc(1, sizeof(*made));
	if (!made)
		return;
	source = (struct peek_source){ read_memory, &sampled, made->copies };
	object.headers = image->headers;
	object.header_count = image->header_count;
	made->space.scripts.room = (struct room){ .kind = RECORD_NAMES, .owner = mapping->segment };
	interpreters_mapped(&made->interpreters, &peek, &object, mapping->code->start,
			    mapping->names);
	if (interpreters_exist(&made->interpreters))
		*scripts = made;
	else if (!*scripts)
		free(made);
}

void watched_scripts_gone(struct watched_scripts *scripts, uint64_t start)
{
	if (scripts)
		interpreters_gone(&scripts->interpreters, start);
}

struct unwind_kept *watched_scripts_kept(struct watched_scripts *scripts)
{
	return scripts && interpreters_range(&scripts->interpreters, &scripts->space.kept)
		       ? &scripts->space.kept
		       : NULL;
}

struct unwind_made *watched_scripts_made(struct watched_scripts *scripts, pid_t pid,
					 const struct walker_stack *stack)
{
	if (!scripts)
		return NULL;
	scripts->sampled = (struct sampled){ .pid = pid, .stack = stack };
	scripts->source = (struct peek_source){ read_memory, &scripts->sampled, scripts->copies };
	return interpreters_made(&scripts->interpreters, &scripts->space, &scripts->source,
				 copied(&scripts->sampled).end);
}

void watched_scripts_merge(struct watched_scripts *scripts, pid_t pid, uint64_t time,
			   const struct walker_stack *walked, struct walker_frames *frames)
{
	struct sampled sampled = { .pid = pid, .stack = walked };
	struct stack stack = { .pcs = frames->pcs,
			       .depth = (int)frames->depth,
			       .certain = (int)frames->certain,
			       .end = frames->end };
	struct interpreters_elsewhere elsewhere;

	if (!scripts || !interpreters_exist(&scripts->interpreters) || frames->depth < 2)
		return;
	elsewhere = (struct interpreters_elsewhere){
		.source = { read_memory, &sampled, scripts->copies },
		.ran = ran,
	};
	memcpy(scripts->space.sps, frames->sps, frames->depth * sizeof(frames->sps[0]));
	interpreters_merge(&scripts->interpreters, &scripts->space, &stack, time, NULL, &elsewhere);
	memcpy(frames->pcs, stack.pcs, (size_t)stack.depth * sizeof(frames->pcs[0]));
	frames->depth = (uint32_t)stack.depth;
	frames->certain = (uint32_t)stack.certain;
	frames->end = stack.end;
}

const struct room *watched_scripts_room(const struct watched_scripts *scripts)
{
	return scripts && scripts->space.scripts.room.start ? &scripts->space.scripts.room : NULL;
}

void watched_scripts_free(struct watched_scripts *scripts)
{
	if (scripts)
		scripts_free(&scripts->interpreters.scripts);
	free(scripts);
}
