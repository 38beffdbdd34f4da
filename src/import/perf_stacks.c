/* SPDX-License-Identifier: MIT */
#include "perf_stacks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "perf_regs.h"

int perf_stacks_check(const struct perf_file *perf, struct err *err)
{
	struct utsname here;

	if (perf->arch && uname(&here) == 0 && strcmp(perf->arch, here.machine) != 0)
		return err_set(err, ENOTSUP,
			       "'%s' has copies of stacks (perf record --call-graph dwarf) of %s, "
			       "which can only be unwound there",
			       perf->file->path, perf->arch);
	return 0;
}

/* Returns the position of the nth bit that is set. */
static unsigned bit_at(uint64_t bits, unsigned n)
{
	while (n--)
		bits &= bits - 1;
	return (unsigned)__builtin_ctzll(bits);
}

/* Takes the registers that a walk can use. False: the main ones are missing. */
static bool take_registers(struct registers *registers, uint64_t mask,
			   const struct perf_sample *sample)
{
	static const uint64_t needed = UINT64_C(1) << ARCH_FRAME_PC | UINT64_C(1) << ARCH_FRAME_SP;

	*registers = (struct registers){ .exact = true };
	if (sample->abi != ARCH_PERF_ABI)
		return false;
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++) {
		unsigned bit = bit_at(ARCH_PERF_REGS, arch_perf_word[i]);
		struct perf_part words = sample->registers;
		uint64_t before = mask & ((UINT64_C(1) << bit) - 1);

		if (!(mask >> bit & 1))
			continue;
		perf_part_take(&words, (size_t)__builtin_popcountll(before) * sizeof(uint64_t));
		registers->value[i] = (uintptr_t)perf_part_u64(&words);
		registers->known |= UINT64_C(1) << i;
	}
	return (registers->known & needed) == needed;
}

/* Returns the file of a mapping; NULL: there is none here, or it is another by now. */
static const struct target_image *image_of(struct perf_stacks *stacks,
					   const struct perf_mapped *mapped)
{
	const struct symbolizer_object *object =
		stacks->places->draft->objects[mapped->object].file;
	const struct images_wanted wanted = { .path = object->path };
	const struct target_image *image = images_get(&stacks->images, &wanted);

	if (image && object->id.size && image->id.size &&
	    (image->id.size != object->id.size ||
	     memcmp(image->id.bytes, object->id.bytes, object->id.size) != 0))
		return NULL;
	return image;
}

/* Returns true if a later mapping is in the place of one. */
static bool is_gone(const struct perf_space *space, size_t index)
{
	const struct perf_mapped *mapped = &space->list[index];

	for (size_t i = index + 1; i < space->count; i++)
		if (space->list[i].start < mapped->end && mapped->start < space->list[i].end)
			return true;
	return false;
}

/* Tells the walker what the process has mapped by now. */
static int publish(struct perf_stacks *stacks, struct perf_code *code,
		   const struct perf_space *space)
{
	struct walker_code *list = calloc(space->count + 1, sizeof(*list));
	size_t count = 0;
	int status;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < space->count; i++) {
		const struct perf_mapped *mapped = &space->list[i];

		if (is_gone(space, i))
			continue;
		list[count] =
			(struct walker_code){ mapped->start, mapped->end, mapped->offset, NULL };
		if (mapped->object != HASH_NONE)
			list[count].image = image_of(stacks, mapped);
		count++;
	}
	status = walker_publish(&code->walker, list, count);
	code->map_count = space->count;
	free(list);
	return status;
}

/* Returns the walker of a process: its own; else a new one; else the one whose last walk is the
 * longest ago. */
static struct perf_code *choose(struct perf_stacks *stacks, uint32_t process)
{
	struct perf_code *chosen = stacks->codes;

	for (struct perf_code *code = stacks->codes; code < stacks->codes + stacks->count; code++) {
		if (code->process == process)
			return code;
		if (code->used < chosen->used)
			chosen = code;
	}
	if (stacks->count < PERF_WALKERS)
		chosen = &stacks->codes[stacks->count++];
	chosen->process = process;
	chosen->map_count = SIZE_MAX;
	return chosen;
}

/* Returns the code of a process, as it is now; NULL: no memory. */
static struct perf_code *code_of(struct perf_stacks *stacks, uint32_t process)
{
	const struct perf_space *space = perf_places_space(stacks->places, process);
	struct perf_code *code;

	if (!space)
		return NULL;
	code = choose(stacks, process);
	code->used = ++stacks->walks;
	return code->map_count == space->count || !publish(stacks, code, space) ? code : NULL;
}

const struct walker_frames *perf_stacks_walk(struct perf_stacks *stacks, uint32_t process,
					     uint64_t mask, const struct perf_sample *sample,
					     struct err *err)
{
	struct walker_stack stack = { .copy = sample->copy.bytes,
				      .copy_bytes = sample->copy.size,
				      .is_cut = true };
	struct perf_code *code = code_of(stacks, process);

	if (!stacks->frames)
		stacks->frames = calloc(1, sizeof(*stacks->frames));
	if (!code || !stacks->frames) {
		err_no_memory(err);
		return NULL;
	}
	stacks->frames->depth = 0;
	/* No process has the number 0: all memory is that of the copy and of files. */
	if (take_registers(&stack.registers, mask, sample))
		walker_walk(&code->walker, 0, &stack, stacks->frames);
	return stacks->frames;
}

void perf_stacks_free(struct perf_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		walker_free(&stacks->codes[i].walker);
	free(stacks->frames);
	images_free(&stacks->images);
}
