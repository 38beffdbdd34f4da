/* SPDX-License-Identifier: MIT */
#include "join.h"

#include <string.h>

#include "model/calls/names.h"

/* Counts of a function. */
struct counted {
	uint64_t calls;
	double timed, sum_ns; /* calls with times, and their sum */
};

struct join {
	struct calls *calls;
	const struct profile *profile;
	struct names names;
	struct hash by_start;                 /* file and start -> number of a function */
	struct hash by_name;                  /* symbol, object and version -> row of calls */
	struct hash pairs;                    /* function and row that were joined */
	struct counted *counted;              /* by number of the function */
	struct profile_amount *self;          /* likewise */
	const struct record_map *map;         /* the last one looked up */
	const struct symbolizer_object *file; /* and its file; NULL: it has no samples */
};

static uint64_t key_of_start(const struct symbolizer_object *file, uint64_t start)
{
	return hash_bytes(hash_bytes(0, &file, sizeof(file)), &start, sizeof(start));
}

static uint64_t key_of_text(uint64_t key, const char *text)
{
	return hash_bytes(key, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t key_of_name(const char *symbol, const char *object, const char *version)
{
	return key_of_text(key_of_text(key_of_text(0, symbol), object), version);
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Puts a number at a key, or at the next free one. */
static int put(struct hash *hash, uint64_t key, uint32_t number)
{
	uint32_t *place;

	while ((place = hash_place(hash, key)) && *place != HASH_NONE)
		key++;
	if (!place)
		return -ENOMEM;
	*place = number;
	return 0;
}

static int put_functions(struct join *join)
{
	const struct functions *functions = &join->profile->functions;
	int status = 0;

	for (size_t i = 0; i < functions->count && !status; i++) {
		const struct function *function = &functions->list[i];

		if (function->file)
			status = put(&join->by_start, key_of_start(function->file, function->start),
				     (uint32_t)i);
	}
	return status;
}

static int put_rows(struct join *join)
{
	int status = 0;

	for (size_t i = 0; i < join->calls->count && !status; i++) {
		struct calls_row *row = &join->calls->rows[i];

		row->sampled_ns = -1;
		status = put(&join->by_name, key_of_name(row->symbol, row->object, row->version),
			     (uint32_t)i);
	}
	return status;
}

/* Returns HASH_NONE if no sample was in such a function. */
static uint32_t find_function(const struct join *join, const struct symbolizer_object *file,
			      uint64_t start)
{
	uint64_t key = key_of_start(file, start);

	for (uint32_t *place; (place = hash_find(&join->by_start, key)); key++) {
		const struct function *function = &join->profile->functions.list[*place];

		if (function->file == file && function->start == start)
			return *place;
	}
	return HASH_NONE;
}

/* Returns HASH_NONE if it was never called. */
static uint32_t find_row(const struct join *join, const struct record_function *function,
			 const char *object)
{
	const char *version = reader_second_text(function->text);
	uint64_t key = key_of_name(function->text, object, *version ? version : NULL);

	for (uint32_t *place; (place = hash_find(&join->by_name, key)); key++) {
		const struct calls_row *row = &join->calls->rows[*place];

		if (same_text(row->symbol, function->text) && same_text(row->object, object) &&
		    same_text(row->version, version))
			return *place;
	}
	return HASH_NONE;
}

static const struct symbolizer_object *find_file(const struct symbolizer *symbolizer,
						 const struct record_map *map)
{
	struct build_id id = { .size = map->build_id_size };

	memcpy(id.bytes, map->build_id, map->build_id_size);
	for (size_t i = 0; i < symbolizer->count; i++) {
		const struct symbolizer_object *object = symbolizer->objects[i];

		if (strcmp(object->path, map->path) == 0 && build_id_same(&object->id, &id))
			return object;
	}
	return NULL;
}

/* Returns the file at an address of a process; NULL: none with samples. */
static const struct symbolizer_object *file_at(struct join *join,
					       const struct maps_process *process, uint64_t address)
{
	const struct record_map *map = maps_find(process, address, UINT64_MAX - 1).map;

	if (map && map != join->map)
		join->file = find_file(&join->profile->functions.symbolizer, map);
	join->map = map;
	return map ? join->file : NULL;
}

static int add_pair(struct join *join, uint32_t function, uint32_t row)
{
	uint32_t *place = hash_place(&join->pairs, (uint64_t)function << 32 | row);
	struct calls_row *calls = &join->calls->rows[row];
	struct counted *counted = &join->counted[function];

	if (!place)
		return -ENOMEM;
	/* Another process has it too. */
	if (*place != HASH_NONE)
		return 0;
	*place = row;
	counted->calls += calls->calls;
	if (calls->timed) {
		counted->timed += (double)calls->returned;
		counted->sum_ns += calls->mean_ns * (double)calls->returned;
	}
	if (join->self[function].samples) {
		calls->sampled_ns = calls->sampled_ns < 0 ? 0 : calls->sampled_ns;
		calls->sampled_ns += (double)join->self[function].ns;
	}
	return 0;
}

/* Joins the functions that a process has numbered. */
static int join_process(struct join *join, const struct names_process *names)
{
	const struct maps_process *process = maps_process(&join->profile->maps, names->offset);
	int status = 0;

	for (size_t i = 0; process && i < names->function_count && !status; i++) {
		const struct record_function *counted = names->functions[i];
		const struct record_object *object =
			names_object(&join->names, names, counted->object);
		const struct symbolizer_object *file;
		uint32_t function, row;

		if (!object)
			continue;
		file = file_at(join, process, object->bias + counted->address);
		function = file ? find_function(join, file, counted->address) : HASH_NONE;
		row = find_row(join, counted, names_title(object));
		if (function != HASH_NONE && row != HASH_NONE)
			status = add_pair(join, function, row);
	}
	return status;
}

/* Computes the time in each function itself. Inlined functions are not calls, so they are part of
 * it here, with rows of their own or not. */
static void read_self(struct join *join)
{
	const struct profile *profile = join->profile;

	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		const struct frame *frame;

		if (stack->is_left_out)
			continue;
		frame = profile_frame(profile, profile->tree.nodes[stack->node].key);
		while (frame->outer != HASH_NONE)
			frame = profile_frame(profile, frame->outer);
		join->self[frame->function].samples += stack->amount.samples;
		join->self[frame->function].ns += stack->amount.ns;
	}
}

static int join_all(struct join *join)
{
	int status = put_functions(join);

	if (!status)
		status = put_rows(join);
	for (size_t i = 0; i < join->names.count && !status; i++)
		status = join_process(join, &join->names.processes[i]);
	return status;
}

static void put_calls(const struct join *join, struct profile_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct profile_row *row = &rows->rows[i];
		const struct counted *counted = &join->counted[row->function];

		/* Its own count includes the calls that no wrapper sees. */
		if (!counted->calls && row->calls)
			continue;
		if (row->calls < counted->calls)
			row->calls = counted->calls;
		row->mean_ns = counted->timed > 0 ? counted->sum_ns / counted->timed : -1;
	}
}

static int init(struct join *join, const struct reader *reader, struct err *err)
{
	size_t count = join->profile->functions.count + 1;

	join->counted = calloc(count, sizeof(*join->counted));
	join->self = calloc(count, sizeof(*join->self));
	if (!join->counted || !join->self)
		return err_no_memory(err);
	return names_read(&join->names, reader, err);
}

static void fini(struct join *join)
{
	names_free(&join->names);
	hash_free(&join->by_start);
	hash_free(&join->by_name);
	hash_free(&join->pairs);
	free(join->counted);
	free(join->self);
}

/* Returns the time in calls of a row that no other row contains. */
static uint64_t time_in(const struct calls *calls, const struct calls_row *row)
{
	if (!calls->sampled)
		return row->self_ns;
	return row->total_unknown ? 0 : row->total_ns;
}

/* Both have the texts of one list of groups, so that equal labels are equal pointers. */
int join_groups(const struct calls *calls, struct profile_rows *rows, struct err *err)
{
	struct hash by_label = { 0 };
	const uint32_t *row;

	for (size_t i = 0; i < rows->count; i++) {
		uint32_t *place = hash_place(&by_label, (uintptr_t)rows->rows[i].name);

		if (!place) {
			hash_free(&by_label);
			return err_no_memory(err);
		}
		*place = (uint32_t)i;
	}
	for (size_t i = 0; i < calls->count; i++) {
		row = hash_find(&by_label, (uintptr_t)calls->rows[i].label);
		if (row) {
			rows->rows[*row].calls += calls->rows[i].calls;
			rows->rows[*row].calls_ns += time_in(calls, &calls->rows[i]);
		}
	}
	rows->joined = true;
	hash_free(&by_label);
	return 0;
}

int join_calls_and_samples(struct calls *calls, struct profile_rows *rows,
			   const struct profile *profile, const struct reader *reader,
			   struct err *err)
{
	struct join join = { .calls = calls, .profile = profile };
	int status;

	if (calls->by != CALLS_BY_FUNCTION)
		return 0;
	status = init(&join, reader, err);
	if (!status)
		read_self(&join);
	if (!status && join_all(&join))
		status = err_no_memory(err);
	calls->joined = !status;
	rows->joined = !status && rows->by == PROFILE_BY_FUNCTION;
	if (rows->joined)
		put_calls(&join, rows);
	fini(&join);
	return status;
}
