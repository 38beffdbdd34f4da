/* SPDX-License-Identifier: MIT */
#include "draft.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "draft_place.h"
#include "model/profile/sampled.h"
#include "recording/format.h"

int draft_init(struct draft *draft, struct err *err)
{
	static const struct functions_choice all;
	static const struct functions_style style = { .mangled = true, .lines = true };
	struct record_instant started = { DRAFT_STARTED, DRAFT_STARTED };
	int status;

	*draft = (struct draft){
		.header = { .clock = RECORD_CLOCK_NS, .flags = RECORD_IMPORTED, .started = started }
	};
	draft_clock(draft, "imported");
	memcpy(draft->header.magic, RECORD_MAGIC, sizeof(draft->header.magic));
	status = functions_init(&draft->functions, &all, &style, 0, err);
	draft->functions.symbolizer.new_archive = &draft->names;
	return status;
}

void draft_free(struct draft *draft)
{
	for (size_t i = 0; i < draft->run_count; i++)
		free(draft->runs[i].bytes);
	for (size_t i = 0; i < draft->process_count; i++) {
		free(draft->processes[i].items.bytes);
		free(draft->processes[i].frames);
		hash_free(&draft->processes[i].by_caller);
		hash_free(&draft->processes[i].by_tid);
	}
	for (size_t i = 0; i < draft->thread_count; i++) {
		free(draft->threads[i].items.bytes);
		free(draft->threads[i].sums);
	}
	free(draft->runs);
	free(draft->processes);
	hash_free(&draft->by_pid);
	free(draft->threads);
	draft_place_free(draft);
	archive_write_free(&draft->names);
	functions_fini(&draft->functions);
	*draft = (struct draft){ 0 };
}

/* ---- runs, processes, threads ---- */

int draft_run(struct draft *draft, uint32_t *run, struct err *err)
{
	struct item_list *more = vec_room(draft->runs, draft->run_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	draft->runs = more;
	more[draft->run_count] = (struct item_list){ 0 };
	*run = (uint32_t)draft->run_count++;
	return 0;
}

int draft_label(struct draft *draft, uint32_t run, const char *key, const char *value,
		struct err *err)
{
	size_t size = sizeof(struct record_label) + strlen(key) + strlen(value) + 2;
	struct record_label *label = item_list_add(&draft->runs[run], RECORD_LABEL, size);

	if (!label)
		return err_no_memory(err);
	strcpy(stpcpy(label->text, key) + 1, value);
	return 0;
}

int draft_new_process(struct draft *draft, uint32_t run, uint32_t pid, uint32_t *process,
		      struct err *err)
{
	uint32_t *place = hash_place(&draft->by_pid, (uint64_t)run << 32 | pid), first;
	struct draft_process *more =
		vec_room(draft->processes, draft->process_count, sizeof(*more));

	if (!place || !more)
		return err_no_memory(err);
	draft->processes = more;
	if (draft->run_count == 0 && draft_run(draft, &first, err))
		return -ENOMEM;
	*process = *place = (uint32_t)draft->process_count++;
	more[*process] = (struct draft_process){
		.pid = pid, .run = run, .started = DRAFT_STARTED, .parent = HASH_NONE
	};
	return 0;
}

int draft_process(struct draft *draft, uint32_t run, uint32_t pid, uint32_t *process,
		  struct err *err)
{
	const uint32_t *known = hash_find(&draft->by_pid, (uint64_t)run << 32 | pid);

	if (!known)
		return draft_new_process(draft, run, pid, process, err);
	*process = *known;
	return 0;
}

void draft_title(struct draft *draft, uint32_t process, const char *title)
{
	char *command = draft->processes[process].command;

	snprintf(command, sizeof(draft->processes[process].command), "%s", title);
}

int draft_thread(struct draft *draft, uint32_t process, uint32_t tid, const char *name,
		 uint32_t *thread, struct err *err)
{
	uint32_t *place = hash_place(&draft->processes[process].by_tid, tid);
	struct draft_thread *more;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(draft->threads, draft->thread_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		draft->threads = more;
		*place = (uint32_t)draft->thread_count++;
		more[*place] = (struct draft_thread){ .process = process,
						      .tid = tid,
						      .next = DRAFT_STARTED };
	}
	*thread = *place;
	snprintf(draft->threads[*thread].name, sizeof(draft->threads[*thread].name), "%s", name);
	return 0;
}

int draft_map(struct draft *draft, uint32_t process, const struct record_map *map, const char *path,
	      struct err *err)
{
	struct record_map *item = item_list_add(&draft->processes[process].items, RECORD_MAP,
						sizeof(*item) + strlen(path) + 1);
	struct record_item head;

	if (!item)
		return err_no_memory(err);
	head = item->item;
	*item = *map;
	item->item = head;
	strcpy(item->path, path);
	return 0;
}

/* ---- stacks and samples ---- */

static uint64_t pc_of(const struct record_frame *frame)
{
	return (uint64_t)frame->pc[1] << 32 | frame->pc[0];
}

/* Finds the frame with this caller and address. */
static int find_frame(struct draft_process *process, uint32_t caller, uint64_t pc, uint32_t *number,
		      struct err *err)
{
	uint64_t key = hash_bytes(caller, &pc, sizeof(pc));

	/* Others with the same key have the next keys. */
	for (;; key++) {
		uint32_t *place = hash_place(&process->by_caller, key);
		struct record_frame *more;

		if (!place || process->frame_count >= RECORD_FRAME_MAX)
			return err_no_memory(err);
		if (*place == HASH_NONE) {
			more = vec_room(process->frames, process->frame_count, sizeof(*more));
			if (!more)
				return err_no_memory(err);
			process->frames = more;
			*number = *place = (uint32_t)process->frame_count++;
			more[*place] = (struct record_frame){
				.caller = caller, .pc = { (uint32_t)pc, (uint32_t)(pc >> 32) }
			};
			return 0;
		}
		if (process->frames[*place].caller == caller &&
		    pc_of(&process->frames[*place]) == pc) {
			*number = *place;
			return 0;
		}
	}
}

int draft_stack(struct draft *draft, uint32_t process, const uint64_t *addresses, size_t count,
		uint32_t *frame, struct err *err)
{
	bool is_cut = count > SAMPLED_DEPTH;
	size_t left = is_cut ? SAMPLED_DEPTH : count;
	int status = 0;

	*frame = RECORD_FRAME_LAST(is_cut ? RECORD_STACK_TOO_DEEP : RECORD_STACK_COMPLETE);
	for (; left && !status; left--) {
		/* A caller has its return address, which is behind the call. */
		uint64_t pc = addresses[left - 1] + (left > 1);

		status = find_frame(&draft->processes[process], *frame, pc, frame, err);
	}
	return status;
}

int draft_add_at(struct draft *draft, uint32_t thread, const struct record_sum *sum,
		 struct err *err)
{
	struct draft_thread *to = &draft->threads[thread];
	struct record_sum *more = vec_room(to->sums, to->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	to->sums = more;
	to->sums[to->count++] = *sum;
	return 0;
}

int draft_add(struct draft *draft, uint32_t thread, uint32_t frame, uint64_t samples, uint64_t ns,
	      struct err *err)
{
	struct draft_thread *to = &draft->threads[thread];
	struct record_sum sum = { .frame = frame, .time = to->next, .samples = samples, .ns = ns };

	/* No sum of times may pass the end of time. */
	if (ns < UINT64_MAX / 2 - to->next)
		to->next += ns;
	return draft_add_at(draft, thread, &sum, err);
}

void draft_clock(struct draft *draft, const char *name)
{
	snprintf(draft->clock, sizeof(draft->clock), "%s", name);
}

void draft_command(struct draft *draft, const char *arguments, size_t size)
{
	struct record_header *header = &draft->header;

	header->command_size =
		(uint32_t)(size < sizeof(header->command) ? size : sizeof(header->command));
	if (header->command_size)
		memcpy(header->command, arguments, header->command_size);
}
