/* SPDX-License-Identifier: MIT
 *
 * import_folded.c - folded stacks: a line per stack, functions from the outermost to the innermost
 * separated by semicolons, a blank, and a number. stackcollapse-*.pl, inferno, async-profiler,
 * py-spy and dwell write it.
 *
 * Many of these begin lines with the process, and some with the thread, but nothing tells such a
 * name from a function: the user does.
 */
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"
#include "import.h"
#include "import_lines.h"

struct reading {
	const struct import_source *source;
	struct draft *draft;
	struct import_lines lines;
	uint32_t object;
	struct match_table owners;    /* of process and thread -> index in threads */
	struct match_table processes; /* by name -> number */
	uint32_t *threads;            /* in the draft */
	uint64_t *addresses;          /* of the current line, the outermost first */
	size_t depth;
};

/* Splits "NAMES NUMBER". The names end with '\0'. Returns false if there is no such number. */
static bool split(char *line, uint64_t *number)
{
	char *blank = strrchr(line, ' ');

	if (!blank || blank == line || !decimal_parse(blank + 1, UINT64_MAX, number))
		return false;
	while (blank > line && *blank == ' ')
		*blank-- = '\0';
	return true;
}

/* Cuts the first name off, which ends with '\0' then. */
static char *next_name(char **names)
{
	char *name = *names, *end = name ? strchr(name, ';') : NULL;

	*names = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return name;
}

/* Reads the numbers that stackcollapse-perf.pl adds to a process: "name-PID" or "name-PID/TID".
 * They are cut off. */
static void take_numbers(char *title, uint64_t *pid, uint64_t *tid)
{
	char *dash = strrchr(title, '-');
	const char *end;

	*pid = *tid = 0;
	if (!dash || !decimal_prefix(dash + 1, INT32_MAX, pid, &end)) {
		*pid = 0;
		return;
	}
	if (*end == '/' && decimal_prefix(end + 1, INT32_MAX, tid, &end) && *end == '\0')
		*dash = '\0';
	else if (*end == '\0')
		*dash = '\0';
	else
		*pid = *tid = 0;
}

/* Finds the thread of a line. Without numbers, processes and threads are numbered as they come. */
static int find_thread(struct reading *reading, char *title, const char *name, uint32_t *thread,
		       struct err *err)
{
	uint32_t number, process, *more;
	size_t known = reading->owners.count;
	uint64_t pid, tid;
	int status = 0;

	if (match_number(&reading->owners, title, strlen(title) + 1 + strlen(name) + 1, &number))
		return err_no_memory(err);
	if (reading->owners.count == known) {
		*thread = reading->threads[number];
		return 0;
	}
	more = vec_room(reading->threads, known, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	reading->threads = more;
	take_numbers(title, &pid, &tid);
	if (match_number(&reading->processes, title, strlen(title) + 1, &process))
		return err_no_memory(err);
	status = draft_process(reading->draft, 0, (uint32_t)(pid ? pid : process + 1), &process,
			       err);
	if (status)
		return status;
	draft_title(reading->draft, process, title);
	status = draft_thread(reading->draft, process, (uint32_t)(tid ? tid : number + 1), name,
			      thread, err);
	more[number] = *thread;
	return status;
}

/* Takes the owner off a line, as far as the user says that there is one. */
static int take_owner(struct reading *reading, char **names, uint32_t *thread, struct err *err)
{
	enum import_first first = reading->source->options->first;
	char none[] = "\0", *title = none, *name = none;
	char *owner = NULL;
	size_t size;
	int status;

	if (first != IMPORT_FIRST_FUNCTION)
		title = next_name(names);
	if (first == IMPORT_FIRST_THREAD && *names)
		name = next_name(names);
	/* Both are one key: the name behind the title. */
	size = strlen(title) + strlen(name) + 2;
	owner = malloc(size);
	if (!owner)
		return err_no_memory(err);
	strcpy(stpcpy(owner, title) + 1, name);
	status = find_thread(reading, owner, owner + strlen(owner) + 1, thread, err);
	free(owner);
	return status;
}

static int add_address(struct reading *reading, const char *name, struct err *err)
{
	struct draft_frame frame = { .name = *name ? name : "[unknown]", .source = "" };
	uint64_t *more = vec_room(reading->addresses, reading->depth, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	reading->addresses = more;
	return draft_place(reading->draft, reading->object, &frame, 1, &more[reading->depth++],
			   err);
}

/* Turns the stack of the current line round: the innermost is first in a draft. */
static void reverse(struct reading *reading)
{
	for (size_t i = 0; i < reading->depth / 2; i++) {
		uint64_t *one = &reading->addresses[i];
		uint64_t *other = &reading->addresses[reading->depth - 1 - i], swapped = *one;

		*one = *other;
		*other = swapped;
	}
}

static int add_samples(struct reading *reading, uint32_t thread, uint64_t number, struct err *err)
{
	const struct import_options *options = reading->source->options;
	uint64_t period = 1000000000 / options->hz, samples = options->is_ns ? 1 : number;
	uint64_t ns = number > UINT64_MAX / period ? UINT64_MAX : number * period;
	uint32_t process = reading->draft->threads[thread].process, frame;
	int status;

	reverse(reading);
	status = draft_stack(reading->draft, process, reading->addresses, reading->depth, &frame,
			     err);
	if (status)
		return status;
	return draft_add(reading->draft, thread, frame, samples, options->is_ns ? number : ns, err);
}

static int take_line(struct reading *reading, char *line, struct err *err)
{
	uint64_t number;
	uint32_t thread;
	int status;

	if (!split(line, &number))
		return import_lines_bad(&reading->lines,
					"must be functions separated by semicolons, a blank and "
					"a number",
					err);
	status = take_owner(reading, &line, &thread, err);
	reading->depth = 0;
	while (line && !status)
		status = add_address(reading, next_name(&line), err);
	if (status || number == 0)
		return status;
	if (reading->depth == 0)
		return import_lines_bad(&reading->lines, "has no function behind its owner", err);
	return add_samples(reading, thread, number, err);
}

static int read_lines(struct reading *reading, struct err *err)
{
	static const struct build_id none;
	int status = draft_object(reading->draft, DRAFT_NO_OBJECT, &none, &reading->object, err);
	char *line;

	while (!status && (line = import_lines_next(&reading->lines)))
		if (*line && *line != '#')
			status = take_line(reading, line, err);
	return status ? status : import_lines_check(&reading->lines, err);
}

int import_folded(const struct import_source *source, struct draft *draft, struct err *err)
{
	struct reading reading = { .source = source,
				   .draft = draft,
				   .lines = import_lines_of(source->file) };
	int status;

	draft->header.hz = source->options->hz;
	source->result->has_no_time = !source->options->is_ns;
	status = read_lines(&reading, err);
	match_table_free(&reading.owners);
	match_table_free(&reading.processes);
	free(reading.threads);
	free(reading.addresses);
	return status;
}

/* Its first line has a number at its end. */
bool import_is_folded(const struct import_bytes *file)
{
	const char *at = file->bytes, *end, *digit;

	while (*at == '\n' || *at == '#')
		at = at[strcspn(at, "\n")] ? at + strcspn(at, "\n") + 1 : at + strlen(at);
	end = at + strcspn(at, "\r\n");
	for (digit = end; digit > at && digit[-1] >= '0' && digit[-1] <= '9'; digit--)
		;
	return digit < end && digit > at + 1 && digit[-1] == ' ';
}
