/* SPDX-License-Identifier: MIT
 *
 * import_callgrind.c - a callgrind.out, of valgrind, of dwell or of any other tool that KCachegrind
 * reads. The cost of each line becomes samples of that place, without callers; calls become counted
 * calls.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"
#include "callgrind_calls.h"
#include "import_lines.h"
#include "model/profile/maps.h"

/* Numbers before the costs of a line: addresses and lines. */
#define POSITIONS_MAX 2

/* Names by the numbers that stand for them later: of objects, files and functions. */
struct names {
	struct hash by_number; /* -> index in texts */
	struct match_table texts;
};

struct reading {
	const struct import_source *source;
	struct draft *draft;
	struct import_lines lines;
	struct callgrind_calls calls;
	struct names objects, files, functions;
	/* The current ones; the latter are of the next call. */
	const char *object, *file, *function;
	const char *called_object, *called_function;
	uint64_t count; /* of the call whose cost is next; 0: none */
	uint64_t positions[POSITIONS_MAX];
	unsigned position_count, line_position; /* the latter is that of the line */
	bool has_line;
	size_t event, samples; /* index of the event to take, and of that which counts samples */
	size_t event_count;    /* 0: not known yet */
	uint32_t process, thread;
};

#define NO_EVENT SIZE_MAX

static int bad_line(const struct reading *reading, const char *how, struct err *err)
{
	return import_lines_bad(&reading->lines, how, err);
}

/* ---- names ---- */

/* Reads "NAME", "(NUMBER) NAME" or "(NUMBER)". Returns NULL for an unknown number, or without
 * memory. */
static const char *find_name(struct names *names, const char *text)
{
	uint32_t *place = NULL, number;
	const char *end;
	uint64_t id;

	if (*text == '(' && decimal_prefix(text + 1, UINT32_MAX, &id, &end) && *end == ')') {
		text = end + 1 + strspn(end + 1, " ");
		place = hash_place(&names->by_number, id);
		if (!place || (!*text && *place == HASH_NONE))
			return NULL;
		if (!*text)
			return names->texts.keys[*place].bytes;
	}
	if (match_number(&names->texts, text, strlen(text) + 1, &number))
		return NULL;
	if (place)
		*place = number;
	return names->texts.keys[number].bytes;
}

/* A kind of line that has a name. */
struct namer {
	const char *key;
	struct names *names;
	const char **current;
};

static int take_name(struct reading *reading, const char *line, bool *is_name, struct err *err)
{
	const struct namer namers[] = {
		{ "fn=", &reading->functions, &reading->function },
		{ "fl=", &reading->files, &reading->file },
		{ "fi=", &reading->files, &reading->file },
		{ "fe=", &reading->files, &reading->file },
		{ "ob=", &reading->objects, &reading->object },
		{ "cfn=", &reading->functions, &reading->called_function },
		{ "cob=", &reading->objects, &reading->called_object },
		{ "cfi=", &reading->files, NULL },
		{ "cfl=", &reading->files, NULL },
		{ "jfi=", &reading->files, NULL },
		{ "jfn=", &reading->functions, NULL },
	};

	*is_name = false;
	for (size_t i = 0; i < sizeof(namers) / sizeof(namers[0]); i++) {
		size_t length = strlen(namers[i].key);
		const char *name;

		if (strncmp(line, namers[i].key, length) != 0)
			continue;
		*is_name = true;
		name = find_name(namers[i].names, line + length);
		if (!name)
			return bad_line(reading, "refers to a name that is not there", err);
		if (namers[i].current)
			*namers[i].current = name;
	}
	return 0;
}

/* ---- the head ---- */

/* Takes the next word off a text; NULL: none. */
static char *next_word(char **text)
{
	char *word;

	do
		word = strsep(text, " \t");
	while (word && !*word);
	return word;
}

static bool is_wanted(const struct reading *reading, const char *event)
{
	const char *wanted = reading->source->options->event;

	return wanted ? strcmp(event, wanted) == 0 : reading->event == NO_EVENT;
}

static int take_events(struct reading *reading, char *text, struct err *err)
{
	struct import_result *result = reading->source->result;
	char *event;

	reading->event = reading->samples = NO_EVENT;
	*result->others = '\0';
	for (reading->event_count = 0; (event = next_word(&text)); reading->event_count++) {
		size_t used = strlen(result->others);

		if (is_wanted(reading, event)) {
			reading->event = reading->event_count;
			snprintf(result->event, sizeof(result->event), "%s", event);
		} else if (strcmp(event, "Samples") == 0) {
			reading->samples = reading->event_count;
		} else {
			snprintf(result->others + used, sizeof(result->others) - used, "%s%s",
				 used ? " " : "", event);
		}
	}
	if (reading->event == NO_EVENT)
		return err_set(err, EINVAL, "'%s' contains no event%s%s", reading->lines.file->path,
			       reading->source->options->event ? " " : "",
			       reading->source->options->event ? reading->source->options->event
							       : "");
	draft_clock(reading->draft, result->event);
	if (strcmp(result->event, "ns") != 0)
		snprintf(result->unit, sizeof(result->unit), "%s", result->event);
	return 0;
}

static int take_positions(struct reading *reading, char *text, struct err *err)
{
	char *word;

	reading->has_line = false;
	for (reading->position_count = 0; (word = next_word(&text)); reading->position_count++) {
		if (reading->position_count == POSITIONS_MAX)
			return bad_line(reading, "has more than two positions", err);
		if (strcmp(word, "line") == 0) {
			reading->has_line = true;
			reading->line_position = reading->position_count;
		}
	}
	return 0;
}

static void take_command(struct reading *reading, char *text)
{
	char words[sizeof(reading->draft->header.command)];
	size_t size = 0;
	char *word;

	while ((word = next_word(&text)) && size + strlen(word) < sizeof(words) - 1)
		size = (size_t)(stpcpy(words + size, word) + 1 - words);
	draft_command(reading->draft, words, size);
	draft_title(reading->draft, reading->process, size ? words : "");
}

/* Takes "KEY: VALUE". */
static int take_head(struct reading *reading, char *line, bool *is_head, struct err *err)
{
	char *value = strchr(line, ':');

	*is_head = value && *line >= 'a' && *line <= 'z';
	if (!*is_head)
		return 0;
	*value++ = '\0';
	if (strcmp(line, "events") == 0)
		return take_events(reading, value, err);
	if (strcmp(line, "positions") == 0)
		return take_positions(reading, value, err);
	if (strcmp(line, "cmd") == 0)
		take_command(reading, value);
	return 0;
}

/* ---- costs ---- */

static bool take_number(const char *word, uint64_t *number)
{
	char *end;

	if (word[0] == '0' && word[1] == 'x') {
		*number = strtoull(word + 2, &end, 16);
		return end != word + 2 && *end == '\0';
	}
	return decimal_parse(word, UINT64_MAX, number);
}

/* Reads a position: a number, or one relative to the previous one. */
static bool take_position(const char *word, uint64_t *position)
{
	uint64_t number = 0;

	if (strcmp(word, "*") == 0)
		return true;
	if (*word != '+' && *word != '-')
		return take_number(word, position);
	if (!take_number(word + 1, &number))
		return false;
	*position = *word == '+' ? *position + number : *position - number;
	return true;
}

/* Reads positions and costs. Costs that are missing at the end are 0. */
static bool take_numbers(struct reading *reading, char *text, uint64_t *cost, uint64_t *samples)
{
	char *word;
	uint64_t number;

	*cost = 0;
	*samples = reading->samples == NO_EVENT ? UINT64_MAX : 0;
	for (unsigned i = 0; i < reading->position_count; i++) {
		word = next_word(&text);
		if (!word || !take_position(word, &reading->positions[i]))
			return false;
	}
	for (size_t i = 0; (word = next_word(&text)); i++) {
		if (i >= reading->event_count || !take_number(word, &number) || number > INT64_MAX)
			return false;
		if (i == reading->event)
			*cost = number;
		if (i == reading->samples)
			*samples = number;
	}
	return true;
}

/* Adds the cost of a line of a function. An event that is not a time counts itself. */
static int add_cost(struct reading *reading, uint32_t function, uint64_t cost, uint64_t samples,
		    struct err *err)
{
	static const struct build_id none;
	uint64_t line = reading->has_line ? reading->positions[reading->line_position] : 0;
	struct draft_frame frame = { .name = reading->function,
				     .source =
					     strcmp(reading->file, "???") == 0 ? "" : reading->file,
				     .line = line < UINT32_MAX ? (uint32_t)line : 0 };
	uint64_t address;
	uint32_t object, stack;
	int status;

	reading->calls.functions[function].self += cost;
	if (!cost && !samples)
		return 0;
	status = draft_object(reading->draft,
			      maps_is_path(reading->object) ? reading->object : DRAFT_NO_OBJECT,
			      &none, &object, err);
	if (!status)
		status = draft_place(reading->draft, object, &frame, 1, &address, err);
	if (!status)
		status = draft_stack(reading->draft, reading->process, &address, 1, &stack, err);
	return status ? status
		      : draft_add(reading->draft, reading->thread, stack,
				  samples == UINT64_MAX ? cost : samples, cost, err);
}

static int take_cost(struct reading *reading, char *line, struct err *err)
{
	uint64_t cost, samples, count = reading->count;
	uint32_t function, callee;

	if (!reading->event_count)
		return bad_line(reading, "has costs before the events are known", err);
	if (!take_numbers(reading, line, &cost, &samples))
		return bad_line(reading, "must be positions and costs", err);
	if (!reading->function)
		return bad_line(reading, "has costs of no function", err);
	if (callgrind_calls_function(&reading->calls, reading->object, reading->function,
				     &function))
		return err_no_memory(err);
	if (!count)
		return add_cost(reading, function, cost, samples, err);
	reading->count = 0;
	if (callgrind_calls_function(&reading->calls, reading->called_object,
				     reading->called_function, &callee) ||
	    callgrind_calls_add(&reading->calls, function, callee, count, cost))
		return err_no_memory(err);
	reading->called_object = NULL;
	return 0;
}

static int take_calls(struct reading *reading, const char *text, struct err *err)
{
	const char *end;

	if (!decimal_prefix(text, INT64_MAX, &reading->count, &end) || !reading->called_function)
		return bad_line(reading, "must be a number of calls of a function", err);
	/* Calls of a function are in its caller's object unless the file says otherwise. */
	if (!reading->called_object)
		reading->called_object = reading->object;
	/* A count of 0 has a line of costs as well. */
	reading->count = reading->count ? reading->count : 1;
	return 0;
}

static int take_line(struct reading *reading, char *line, struct err *err)
{
	bool is_done = false;
	int status = take_name(reading, line, &is_done, err);

	if (status || is_done || !*line || *line == '#')
		return status;
	if (strncmp(line, "calls=", 6) == 0)
		return take_calls(reading, line + 6, err);
	/* Jumps have no costs. */
	if (strncmp(line, "jump=", 5) == 0 || strncmp(line, "jcnd=", 5) == 0)
		return 0;
	status = take_head(reading, line, &is_done, err);
	return status || is_done ? status : take_cost(reading, line, err);
}

static int read_lines(struct reading *reading, struct err *err)
{
	int status = draft_process(reading->draft, 0, 1, &reading->process, err);
	char *line;

	if (!status)
		status = draft_thread(reading->draft, reading->process, 1, "", &reading->thread,
				      err);
	while (!status && (line = import_lines_next(&reading->lines)))
		status = take_line(reading, line, err);
	if (!status)
		status = import_lines_check(&reading->lines, err);
	return status ? status
		      : callgrind_calls_save(&reading->calls, reading->draft, reading->thread, err);
}

static void names_free(struct names *names)
{
	hash_free(&names->by_number);
	match_table_free(&names->texts);
}

int import_callgrind(const struct import_source *source, struct draft *draft, struct err *err)
{
	struct reading reading = { .source = source,
				   .draft = draft,
				   .lines = import_lines_of(source->file),
				   .object = "???",
				   .file = "???",
				   .position_count = 1,
				   .has_line = true };
	int status = read_lines(&reading, err);

	names_free(&reading.objects);
	names_free(&reading.files);
	names_free(&reading.functions);
	callgrind_calls_free(&reading.calls);
	return status;
}

/* It says so, or it has a line of the head that no folded stack has. */
bool import_is_callgrind(const struct import_bytes *file)
{
	return strncmp(file->bytes, "# callgrind format", 18) == 0 ||
	       strncmp(file->bytes, "events:", 7) == 0 || strstr(file->bytes, "\nevents:");
}
