/* SPDX-License-Identifier: MIT */
#include "entry_patch.h"

#include <errno.h>
#include <string.h>

#include "calls_layout.h"
#include "choice.h"
#include "entry/fixed.h"
#include "entry/island.h"
#include "entry/own_unwinder.h"
#include "recording/format.h"
#include "sys.h"

#define HEAD_BYTES 4096 /* of a file, compared with the memory that it is mapped to */
#define PAGE       4096

/* A chosen function, and the name that it was chosen by. */
struct chosen {
	const struct survey_function *function;
	const struct entry_name *name;
	struct island_function made;
	uint64_t word;   /* with the address to jump to, if the jump may be copied */
	bool is_counted; /* and not timed */
	bool is_bound;   /* it is to be patched */
};

struct patch {
	struct entry_object *object;
	const struct entry_runtime *runtime;
	struct survey survey;
	struct chosen *chosen;
	size_t count, fine, fixed_count; /* chosen; of those, not refused; with longer jumps */
	struct fixed fixed;
	bool only_counts; /* all functions are only counted: it is part of unwinding */
	bool may_unwind;  /* those without names are: they may be */
	uint32_t id;
	int memory; /* a descriptor */
};

static uint64_t bias_of(const struct patch *patch)
{
	return patch->object->image->map->l_addr;
}

/* Returns the name that the user has chosen; NULL: none of the function's names. Any of them can
 * say that it must only be counted. */
static const struct entry_name *choose(const struct patch *patch,
				       const struct survey_function *function, bool *is_counted)
{
	struct spec_subject subject = { .soname = patch->object->image->soname,
					.path = patch->object->path };
	const struct entry_name *found = NULL;
	char room[SURVEY_NAME];

	*is_counted = patch->only_counts || (patch->may_unwind && !function->names[0].text);
	for (size_t i = 0; i < function->name_count; i++) {
		if (i && !function->names[i].text)
			continue;
		subject.symbol = survey_name(function, i, room);
		if (!found && choice_has(&subject))
			found = &function->names[i];
		*is_counted = *is_counted || choice_counts_only(&subject);
	}
	return found;
}

static int choose_all(struct patch *patch)
{
	struct survey *survey = &patch->survey;

	patch->chosen =
		scratch_take(&survey->scratch, (survey->count + 1) * sizeof(*patch->chosen));
	if (!patch->chosen)
		return -ENOMEM;
	for (size_t i = 0; i < survey->count; i++) {
		struct chosen *one = &patch->chosen[patch->count];

		one->function = &survey->functions[i];
		one->name = one->function->refusal == ENTRY_PART
				    ? NULL
				    : choose(patch, one->function, &one->is_counted);
		if (!one->name)
			continue;
		patch->count++;
		if (one->function->refusal)
			continue;
		patch->fine++;
		patch->fixed_count += one->function->entry.jump == ARCH_ENTRY_FIXED;
	}
	return 0;
}

/* Returns whether the file is the one that was mapped: its head, with its build-id, is the same. */
static bool is_same_file(const struct patch *patch)
{
	const struct view *view = &patch->survey.view;
	const Elf64_Phdr *first = view_segment(view, PT_LOAD);
	size_t size = first->p_filesz < HEAD_BYTES ? first->p_filesz : HEAD_BYTES;

	return first->p_offset == 0 &&
	       memcmp((const void *)(uintptr_t)(bias_of(patch) + first->p_vaddr), view->bytes,
		      size) == 0;
}

static bool is_unchanged(const struct patch *patch, const struct survey_function *function)
{
	uint8_t room[ARCH_ENTRY_ROOM];

	return memcmp((const void *)(uintptr_t)(bias_of(patch) + function->address),
		      survey_code(&patch->survey, function, room), function->entry.end) == 0;
}

/* Hands a function to the runtime. Returns its redirector. */
static void *bind(const struct patch *patch, const struct chosen *one, uint64_t target,
		  enum entry_refusal refusal)
{
	const struct image *image = patch->object->image;
	uint64_t address = bias_of(patch) + one->function->address;
	char room[SURVEY_NAME];
	struct runtime_function function = {
		.target = (void *)(uintptr_t)(refusal ? address : target),
		.entry = (void *)(uintptr_t)address,
		.object = patch->id,
		.flags = one->is_counted ? RECORD_COUNTED : 0,
		.symbol = survey_name(one->function, (size_t)(one->name - one->function->names),
				      room),
		.version = one->name->symbol ? image_version(image, one->name->symbol) : "",
	};

	if (refusal)
		function.flags |= RECORD_REFUSED | (uint32_t)refusal << RECORD_REFUSAL_SHIFT;
	return patch->runtime->bind(&function);
}

/* Returns whether the function's own gate can count its calls: nothing else is asked for. */
static bool counts_by_itself(const struct chosen *one)
{
	uint32_t flags = choice_flags();

	return (one->is_counted || flags & RECORD_COUNT_ONLY) &&
	       !(flags & (RECORD_BY_CALLER | RECORD_PAUSABLE));
}

/* Returns why a function cannot be patched while threads may be in it, or ENTRY_FINE. The tool
 * writes page by page: if it is killed, no jump may be written by half. A thread that waits in the
 * kernel would return to the replaced bytes, or to a copy that is gone. */
static enum entry_refusal refusal_while_running(const struct patch *patch,
						const struct survey_function *function)
{
	uint64_t at = bias_of(patch) + function->address + function->entry.skip;

	if (!patch->runtime->defer)
		return ENTRY_FINE;
	if (at / PAGE != (at + function->entry.jump - 1) / PAGE)
		return ENTRY_ACROSS;
	return function->entry.waits ? ENTRY_WAITING : ENTRY_FINE;
}

/* Makes the copy of a function and binds it. */
static void prepare(struct patch *patch, struct island *island, struct chosen *one)
{
	bool is_fixed = one->function->entry.jump == ARCH_ENTRY_FIXED;
	enum entry_refusal refusal = is_unchanged(patch, one->function)
					     ? refusal_while_running(patch, one->function)
					     : ENTRY_CHANGED;
	uint64_t redirector;

	if (refusal) {
		bind(patch, one, 0, refusal);
		return;
	}
	if (counts_by_itself(one))
		one->made.gate.counting = patch->runtime->counting;
	if ((is_fixed && !patch->fixed.is_ready) ||
	    !island_add(island, &patch->survey, one->function, bias_of(patch), &one->made)) {
		bind(patch, one, 0, ENTRY_FAR);
		return;
	}
	redirector = (uint64_t)(uintptr_t)bind(patch, one, one->made.resume, ENTRY_FINE);
	if (redirector == one->made.resume)
		return;
	one->made.gate.callee = redirector + FUNCTIONS_SPACE;
	one->made.gate.id = *(const uint32_t *)(uintptr_t)(one->made.gate.callee + FUNCTION_ID);
	island_open(&one->made);
	if (is_fixed)
		one->word = fixed_add(&patch->fixed, one->made.entry);
	one->is_bound = true;
}

_Static_assert(ARCH_ENTRY_FIXED <= INJECTED_CHANGE, "a change has room for the longest jump");

static bool defer(const struct patch *patch, uint64_t address, const void *bytes, size_t size)
{
	struct injected_change change = { .address = address, .size = size };

	memcpy(change.before, (const void *)(uintptr_t)address, size);
	memcpy(change.after, bytes, size);
	return patch->runtime->defer(&change);
}

/* Writes by the kernel: the pages stay as they are for the program, not writable. */
static bool write_code(const struct patch *patch, uint64_t address, const void *bytes, size_t size)
{
	if (patch->runtime->defer)
		return defer(patch, address, bytes, size);
	return sys_pwrite(patch->memory, bytes, size, address) == (long)size;
}

static bool jump(const struct patch *patch, const struct chosen *one)
{
	uint64_t at = bias_of(patch) + one->function->address + one->function->entry.skip;
	uint8_t bytes[ARCH_ENTRY_FIXED];

	if (one->word)
		arch_entry_fixed_jump(bytes, one->word);
	else if (!arch_entry_jump(bytes, at, one->made.entry))
		return false;
	return write_code(patch, at, bytes, one->function->entry.jump);
}

/* Puts the jumps in place. Returns how many could not be written. */
static uint32_t jump_all(const struct patch *patch)
{
	uint32_t lost = 0;

	for (size_t i = 0; i < patch->count; i++)
		if (patch->chosen[i].is_bound && !jump(patch, &patch->chosen[i]))
			lost++;
	return lost;
}

/* Returns the copy of the function at an address; 0: it was not patched. */
static uint64_t copy_of(const struct patch *patch, uint64_t address)
{
	size_t low = 0, high = patch->count;

	address -= bias_of(patch);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (patch->chosen[middle].function->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < patch->count && patch->chosen[low].function->address == address &&
			       patch->chosen[low].is_bound
		       ? patch->chosen[low].made.copy
		       : 0;
}

/* Makes the runtime call the copies: its own calls are not the program's. */
static void bypass(const struct patch *patch, const arch_relocation *table, size_t count)
{
	const struct image *image = patch->runtime->image;

	for (size_t i = 0; i < count; i++) {
		uint64_t place = image->map->l_addr + table[i].r_offset, copy;
		unsigned type = relocation_type(&table[i]);

		if (type != RELOCATION_OF_PLT && !relocation_stores_address(type))
			continue;
		copy = copy_of(patch, *(const uint64_t *)(uintptr_t)place);
		if (copy)
			write_code(patch, place, &copy, sizeof(copy));
	}
}

/* Makes the island. Returns 0 or -errno: it is not there then. */
static int make_island(struct patch *patch, struct island *island)
{
	const struct image *image = patch->object->image;
	struct island_object place = { .bias = bias_of(patch), image->start, image->end };
	int err = island_begin(island, &place, patch->fine, &patch->survey.scratch);

	if (err)
		return err;
	fixed_begin(&patch->fixed, patch->fixed_count);
	for (size_t i = 0; i < patch->count; i++) {
		if (patch->chosen[i].function->refusal)
			bind(patch, &patch->chosen[i], 0, patch->chosen[i].function->refusal);
		else
			prepare(patch, island, &patch->chosen[i]);
	}
	err = fixed_finish(&patch->fixed);
	if (err)
		island_drop(island);
	else
		err = island_finish(island, &patch->survey);
	if (err)
		fixed_drop(&patch->fixed);
	return err;
}

/* Returns 0 or -errno: nothing was patched then. */
static int patch_object(struct patch *patch)
{
	const struct image *own = patch->runtime->image;
	struct island island;
	uint32_t lost;
	int err = make_island(patch, &island);

	if (err)
		return err;
	patch->object->island = (struct runtime_island){ .start = island.start,
							 .end = island.start + island.size,
							 .header = island.start + island.frames,
							 .fixed = patch->fixed.start,
							 .fixed_bytes = patch->fixed.size,
							 .map = patch->object->image->map };
	patch->runtime->add_island(&patch->object->island);
	lost = jump_all(patch);
	if (lost)
		patch->runtime->lose(lost);
	bypass(patch, own->relocations, own->relocation_count);
	bypass(patch, own->jumps, own->jump_count);
	return 0;
}

/* Patches an object that has been surveyed. Returns the functions that are lost. */
static size_t patch_chosen(struct patch *patch)
{
	size_t lost = 0;
	bool can_write;

	if (choose_all(patch))
		return 1;
	if (!patch->count)
		return 0;
	patch->id = patch->object->id(patch->object->argument);
	patch->memory = patch->runtime->defer ? -EBADF : sys_open("/proc/self/mem", O_RDWR);
	can_write = patch->runtime->defer || patch->memory >= 0;
	if (patch->id == UINT32_MAX || !can_write || !is_same_file(patch) || patch_object(patch))
		lost = patch->fine;
	if (patch->memory >= 0)
		sys_close(patch->memory);
	return lost;
}

void entry_patch(struct entry_object *object, const struct entry_runtime *runtime)
{
	struct patch patch = { .object = object, .runtime = runtime };
	size_t lost = 0;

	object->island = (struct runtime_island){ 0 };
	if (!choice_may_have(&(struct spec_subject){ .soname = object->image->soname,
						     .path = object->path }))
		return;
	if (survey_open(&patch.survey, object->path)) {
		/* The vdso has no file. */
		if (strchr(object->path, '/'))
			runtime->lose(1);
		return;
	}
	patch.only_counts = survey_has_own_frames(&patch.survey) ||
			    choice_counts_object(&(struct spec_subject){
				    .soname = object->image->soname, .path = object->path });
	patch.may_unwind = own_unwinder_is_in(&patch.survey.view);
	lost = patch_chosen(&patch);
	if (lost)
		runtime->lose((uint32_t)lost);
	survey_close(&patch.survey);
}

void entry_unmap(const struct runtime_island *island)
{
	sys_munmap((void *)island->start, island->end - island->start);
	if (island->fixed)
		sys_munmap((void *)island->fixed, island->fixed_bytes);
}
