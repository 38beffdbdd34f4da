/* SPDX-License-Identifier: MIT
 *
 * import_perf.c - a perf.data of `perf record`. Records are those of all CPUs, and are handled in
 * the order of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "perf_packed.h"
#include "perf_places.h"
#include "perf_stacks.h"

/* Marks between the parts of a stack are above all addresses. */
#define FIRST_MARK ((uint64_t)PERF_CONTEXT_MAX)

/* Stands for the process of the kernel's own mappings. */
#define KERNEL_PID UINT32_MAX

struct reading {
	const struct import_source *source;
	struct draft *draft;
	struct perf_file perf;
	struct perf_kernel kernel;
	struct perf_places places;
	struct perf_stacks stacks;
	struct perf_record *records; /* by time */
	size_t count;
	uint64_t first;    /* the earliest time */
	uint64_t last;     /* the latest */
	uint32_t event;    /* the one to take */
	struct hash names; /* tid -> index in texts */
	struct match_table texts;
	uint64_t *addresses; /* of the current stack */
	size_t depth;
};

/* ---- records ---- */

static int add_record(struct reading *reading, struct perf_record *record, struct err *err)
{
	struct perf_record *more = vec_room(reading->records, reading->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	reading->records = more;
	record->number = reading->count;
	more[reading->count++] = *record;
	if (record->time && (!reading->first || record->time < reading->first))
		reading->first = record->time;
	if (record->time > reading->last)
		reading->last = record->time;
	return 0;
}

/* Records of the same time stay in the order of the file. */
static int by_time(const void *left, const void *right)
{
	const struct perf_record *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Reads records, and unpacks those that are packed; these contain no packed ones. */
static int read_part(struct reading *reading, struct perf_part data, struct perf_packed *packed,
		     struct err *err)
{
	struct perf_record record;
	int status = 0, more = 0;

	while (!status && (more = perf_record_next(&reading->perf, &data, &record, err)) > 0) {
		if (packed && perf_packed_is(&record))
			status = perf_packed_add(packed, &reading->perf, &record, err);
		else if (record.header.type < PERF_RECORD_MAX)
			status = add_record(reading, &record, err);
	}
	return status ? status : more;
}

static int read_records(struct reading *reading, struct err *err)
{
	struct perf_packed packed = { 0 };
	const struct import_bytes *unpacked = &reading->perf.unpacked;
	int status = read_part(reading, reading->perf.data, &packed, err);

	if (!status)
		status = read_part(reading, (struct perf_part){ unpacked->bytes, unpacked->size },
				   NULL, err);
	perf_packed_free(&packed);
	if (!status && reading->count)
		qsort(reading->records, reading->count, sizeof(*reading->records), by_time);
	return status;
}

/* Converts an instant of the file; 0, of what was there before, stays. */
static uint64_t ticks_of(const struct reading *reading, uint64_t time)
{
	return time ? DRAFT_STARTED + (time - reading->first) : 0;
}

/* ---- processes and what they map ---- */

static const char *text_of(const struct perf_part *part)
{
	return memchr(part->bytes, '\0', part->size) ? part->bytes : NULL;
}

static int name_thread(struct reading *reading, uint32_t tid, const char *name, struct err *err)
{
	uint32_t *place = hash_place(&reading->names, tid);

	return place && match_number(&reading->texts, name, strlen(name) + 1, place) == 0
		       ? 0
		       : err_no_memory(err);
}

static const char *thread_name(const struct reading *reading, uint32_t tid)
{
	const uint32_t *text = hash_find(&reading->names, tid);

	return text ? reading->texts.keys[*text].bytes : "";
}

/* Handles a new name, which exec() gives as well; then it is a new program. */
static int take_name(struct reading *reading, const struct perf_record *record, struct err *err)
{
	struct perf_part body = record->body;
	uint32_t pid = perf_part_u32(&body), tid = perf_part_u32(&body), process;
	const char *name = text_of(&body);
	int status = 0;

	if (!name)
		return 0;
	if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		status = draft_new_process(reading->draft, 0, pid, &process, err);
		if (!status)
			reading->draft->processes[process].started =
				ticks_of(reading, record->time);
	} else {
		status = draft_process(reading->draft, 0, pid, &process, err);
	}
	if (!status && pid == tid)
		draft_title(reading->draft, process, name);
	return status ? status : name_thread(reading, tid, name, err);
}

static int take_fork(struct reading *reading, const struct perf_record *record, struct err *err)
{
	struct perf_part body = record->body;
	uint32_t pid = perf_part_u32(&body), parent_pid = perf_part_u32(&body);
	uint32_t tid = perf_part_u32(&body), parent_tid = perf_part_u32(&body);
	struct draft *draft = reading->draft;
	uint32_t process, parent;
	int status = name_thread(reading, tid, thread_name(reading, parent_tid), err);

	if (status || pid == parent_pid)
		return status;
	status = draft_process(draft, 0, parent_pid, &parent, err);
	if (!status)
		status = draft_new_process(draft, 0, pid, &process, err);
	if (status)
		return status;
	draft->processes[process].started = ticks_of(reading, record->time);
	draft->processes[process].parent = parent;
	strcpy(draft->processes[process].command, draft->processes[parent].command);
	return perf_places_inherit(&reading->places, process, parent, err);
}

static void take_build_id(const struct reading *reading, const char *path, struct record_map *map)
{
	struct build_id id = perf_file_build_id(&reading->perf, path);

	if (map->build_id_size)
		return;
	map->build_id_size = (uint32_t)id.size;
	memcpy(map->build_id, id.bytes, id.size);
}

/* The fields of PERF_RECORD_MMAP2 between the offset and the path. */
static bool take_details(const struct perf_record *record, struct perf_part *body,
			 struct record_map *map)
{
	const uint8_t *details = perf_part_take(body, 24);
	bool is_executable;

	if (!details)
		return false;
	if (record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    details[0] <= sizeof(map->build_id)) {
		map->build_id_size = details[0];
		memcpy(map->build_id, details + 4, details[0]);
	}
	is_executable = perf_part_u32(body) & PROT_EXEC;
	perf_part_u32(body);
	return is_executable;
}

static int take_map(struct reading *reading, const struct perf_record *record, struct err *err)
{
	struct perf_part body = record->body;
	struct record_map map = { .time = ticks_of(reading, record->time) };
	bool is_code = !(record->header.misc & PERF_RECORD_MISC_MMAP_DATA);
	uint32_t pid = perf_part_u32(&body), process;
	const char *path;
	uint64_t size;
	int status;

	perf_part_u32(&body);
	map.start = perf_part_u64(&body);
	size = perf_part_u64(&body);
	map.offset = perf_part_u64(&body);
	map.end = map.start + size;
	if (record->header.type == PERF_RECORD_MMAP2)
		is_code = take_details(record, &body, &map);
	path = text_of(&body);
	if (!path || !is_code || pid == KERNEL_PID || map.start >= map.end ||
	    map.end > RECORD_SCRIPTS_START || map.offset > RECORD_SCRIPTS_START)
		return 0;
	take_build_id(reading, path, &map);
	status = draft_process(reading->draft, 0, pid, &process, err);
	return status ? status : perf_places_map(&reading->places, process, &map, path, err);
}

/* ---- samples ---- */

static int add_address(struct reading *reading, uint32_t process, uint64_t address, bool is_kernel,
		       struct err *err)
{
	uint64_t *more = vec_room(reading->addresses, reading->depth, sizeof(*more));
	bool is_return = reading->depth > 0;

	if (!more)
		return err_no_memory(err);
	reading->addresses = more;
	more += reading->depth++;
	/* No program has an address of the kernel's. */
	if (is_kernel || address >= RECORD_SCRIPTS_START)
		return perf_places_find_kernel(&reading->places, address - is_return, more, err);
	return perf_places_find(&reading->places, process, address, is_return, more, err);
}

/* Adds the addresses of a stack that the kernel has walked. Marks say where its own ones end. */
static int add_chain(struct reading *reading, uint32_t process, const struct perf_record *record,
		     const struct perf_sample *sample, struct err *err)
{
	struct perf_part stack = sample->stack;
	unsigned mode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool is_kernel = mode == PERF_RECORD_MISC_KERNEL;
	int status = 0;

	while (!status && stack.size) {
		uint64_t address = perf_part_u64(&stack);

		if (address >= FIRST_MARK)
			is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
		else if (address && (is_kernel || !sample->copy.size))
			status = add_address(reading, process, address, is_kernel, err);
	}
	return status;
}

/* Adds the addresses of a stack whose memory was copied. */
static int add_copy(struct reading *reading, uint32_t process, const struct perf_sample *sample,
		    struct err *err)
{
	const struct perf_event_attr *attr = &reading->perf.events[reading->event].attr;
	const struct walker_frames *frames =
		perf_stacks_walk(&reading->stacks, process, attr->sample_regs_user, sample, err);
	int status = frames ? 0 : -ENOMEM;

	for (uint32_t i = 0; !status && i < frames->depth; i++)
		status = add_address(reading, process, frames->pcs[i], false, err);
	return status;
}

static int add_stack(struct reading *reading, uint32_t process, const struct perf_record *record,
		     const struct perf_sample *sample, struct err *err)
{
	unsigned mode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	int status;

	reading->depth = 0;
	status = add_chain(reading, process, record, sample, err);
	if (!status && sample->copy.size)
		status = add_copy(reading, process, sample, err);
	if (!status && reading->depth == 0)
		status = add_address(reading, process, sample->ip, mode == PERF_RECORD_MISC_KERNEL,
				     err);
	return status;
}

static int take_sample(struct reading *reading, const struct perf_record *record, struct err *err)
{
	struct perf_sample sample;
	struct record_sum sum = { .samples = 1, .time = ticks_of(reading, record->time) };
	uint32_t process, thread;
	int status;

	if (record->event != reading->event)
		return 0;
	if (!perf_record_sample(&reading->perf, record, &sample))
		return import_damaged(reading->source->file, "a sample ends early", err);
	status = draft_process(reading->draft, 0, sample.pid, &process, err);
	if (!status)
		status = add_stack(reading, process, record, &sample, err);
	if (!status)
		status = draft_stack(reading->draft, process, reading->addresses, reading->depth,
				     &sum.frame, err);
	if (!status)
		status = draft_thread(reading->draft, process, sample.tid,
				      thread_name(reading, sample.tid), &thread, err);
	sum.ns = sample.period;
	return status ? status : draft_add_at(reading->draft, thread, &sum, err);
}

static void take_lost(struct reading *reading, const struct perf_record *record)
{
	bool is_lost = record->header.type == PERF_RECORD_LOST;

	if (is_lost || record->header.type == PERF_RECORD_LOST_SAMPLES) {
		struct perf_part body = record->body;

		if (is_lost)
			perf_part_u64(&body);
		reading->source->result->lost += perf_part_u64(&body);
	}
}

static int take_record(struct reading *reading, const struct perf_record *record, struct err *err)
{
	switch (record->header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_map(reading, record, err);
	case PERF_RECORD_COMM:
		return take_name(reading, record, err);
	case PERF_RECORD_FORK:
		return take_fork(reading, record, err);
	case PERF_RECORD_SAMPLE:
		return take_sample(reading, record, err);
	default:
		take_lost(reading, record);
		return 0;
	}
}

/* ---- events ---- */

static const char *event_name(const struct perf_event *event)
{
	if (*event->name)
		return event->name;
	if (event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_CPU_CLOCK)
		return "cpu-clock";
	return event->attr.type == PERF_TYPE_HARDWARE ? "hardware" : "event";
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Chooses the event that the user wants, or else the first one with samples. */
static int choose_event(struct reading *reading, struct err *err)
{
	const char *wanted = reading->source->options->event;

	reading->event = HASH_NONE;
	for (uint32_t i = 0; wanted && i < reading->perf.event_count; i++)
		if (strcmp(event_name(&reading->perf.events[i]), wanted) == 0)
			reading->event = i;
	if (wanted && reading->event == HASH_NONE)
		return err_set(err, EINVAL, "'%s' contains no event '%s'",
			       reading->source->file->path, wanted);
	for (size_t i = 0; !wanted && i < reading->count; i++)
		if (reading->records[i].header.type == PERF_RECORD_SAMPLE &&
		    reading->records[i].event < reading->event)
			reading->event = reading->records[i].event;
	if (reading->event == HASH_NONE)
		return err_set(err, ENODATA, "'%s' contains no samples",
			       reading->source->file->path);
	if (reading->perf.events[reading->event].attr.sample_type & PERF_SAMPLE_STACK_USER)
		return perf_stacks_check(&reading->perf, err);
	return 0;
}

static void tell_event(struct reading *reading)
{
	const struct perf_event *event = &reading->perf.events[reading->event];
	struct import_result *result = reading->source->result;

	snprintf(result->event, sizeof(result->event), "%s", event_name(event));
	if (!is_clock(&event->attr))
		snprintf(result->unit, sizeof(result->unit), "%s", event_name(event));
	for (size_t i = 0; i < reading->perf.event_count; i++) {
		size_t used = strlen(result->others);

		if (i != reading->event)
			snprintf(result->others + used, sizeof(result->others) - used, "%s%s",
				 used ? " " : "", event_name(&reading->perf.events[i]));
	}
}

static void take_head(struct reading *reading)
{
	const struct perf_event_attr *attr = &reading->perf.events[reading->event].attr;
	struct record_header *header = &reading->draft->header;
	uint64_t ended = ticks_of(reading, reading->last);

	draft_clock(reading->draft, event_name(&reading->perf.events[reading->event]));
	draft_command(reading->draft, reading->perf.command, reading->perf.command_size);
	header->hz = attr->freq && attr->sample_freq < UINT32_MAX ? (uint32_t)attr->sample_freq : 0;
	header->ended = (struct record_instant){ ended, ended };
}

/* Returns where the kernel was, which perf has written as a mapping of it. */
static uint64_t kernel_start(const struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++) {
		struct perf_part body = reading->records[i].body;
		uint32_t pid = perf_part_u32(&body);

		perf_part_take(&body, sizeof(uint32_t) + 2 * sizeof(uint64_t));
		if (reading->records[i].header.type == PERF_RECORD_MMAP && pid == KERNEL_PID &&
		    body.size > sizeof(uint64_t))
			return perf_part_u64(&body);
	}
	return 0;
}

static int read_all(struct reading *reading, struct err *err)
{
	int status = read_records(reading, err);

	if (!status)
		status = choose_event(reading, err);
	if (status)
		return status;
	tell_event(reading);
	take_head(reading);
	if (perf_kernel_open(&reading->kernel, &reading->perf, reading->source->options->cache,
			     kernel_start(reading)))
		return err_no_memory(err);
	for (size_t i = 0; i < reading->count && !status; i++)
		status = take_record(reading, &reading->records[i], err);
	return status;
}

int import_perf(const struct import_source *source, struct draft *draft, struct err *err)
{
	struct reading reading = { .source = source, .draft = draft };
	int status = perf_file_open(&reading.perf, source->file, err);

	reading.places = (struct perf_places){ .draft = draft, .kernel = &reading.kernel };
	reading.stacks.places = &reading.places;
	if (!status)
		status = read_all(&reading, err);
	free(reading.records);
	free(reading.addresses);
	hash_free(&reading.names);
	match_table_free(&reading.texts);
	perf_stacks_free(&reading.stacks);
	perf_places_free(&reading.places);
	perf_kernel_free(&reading.kernel);
	perf_file_free(&reading.perf);
	return status;
}
