/* SPDX-License-Identifier: MIT */
#include "mcp_tools.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum kind {
	TEXT,  /* --option=VALUE */
	WHOLE, /* --option=VALUE, a number that is not negative */
	FLAG,  /* --option if true */
	LIST,  /* --option=VALUE for each element */
	WORD,  /* VALUE, behind the options */
	FILE_, /* the same, the name of a file */
	FILES, /* the same, one or more */
};

struct argument {
	const char *name;
	const char *option; /* NULL: a word behind the options */
	enum kind kind;
	const char *fallback; /* the value if it is not given; NULL: none */
	bool is_required;
	const char *description;
	const char *values; /* the allowed ones, separated by blanks; NULL: any */
};

struct mcp_tool {
	const char *name; /* a verb of dwell */
	const char *description;
	const struct argument *arguments;
	bool asks_servers;
};

#define FORMAT                                                                                     \
	{                                                                                          \
		"format", "--format", TEXT, NULL, false,                                           \
			"text, which is short and has a summary of losses, or json [text]",        \
			"text json"                                                                \
	}
#define LIMIT                                                                                      \
	{                                                                                          \
		"limit", "--limit", WHOLE, "30", false, "rows at most; 0: all [30]", NULL          \
	}
#define SORT                                                                                       \
	{                                                                                          \
		"sort", "--sort", TEXT, NULL, false,                                               \
			"the column to sort by, named as in the output", NULL                      \
	}
#define SELECTION                                                                                      \
	{ "focus",                                                                                     \
	  "--focus",                                                                                   \
	  TEXT,                                                                                        \
	  NULL,                                                                                        \
	  false,                                                                                       \
	  "only samples with such a function on the stack: [OBJECT:]FUNCTION[,...], both globs",       \
	  NULL },                                                                                      \
		{ "ignore", "--ignore", TEXT,                                                          \
		  NULL,     false,      "no samples with such a function on the stack",                \
		  NULL },                                                                              \
		{ "hide", "--hide", TEXT, NULL, false, "remove such functions from stacks", NULL },    \
		{ "thread", "--thread", TEXT, NULL, false, "only this thread: its id or name", NULL }, \
		{ "pid", "--pid", WHOLE, NULL, false, "only this process", NULL },                     \
		{ "time", "--time", TEXT,                                                              \
		  NULL,   false,    "only these seconds since the start, as 1.5-3",                    \
		  NULL },                                                                              \
		{ "no_inline", "--no-inline", FLAG,                                                    \
		  NULL,        false,         "count inlined functions as part of their callers",      \
		  NULL },                                                                              \
	{                                                                                              \
		"no_python", "--no-python", FLAG, NULL, false,                                         \
			"show interpreters instead of functions of scripts", NULL                      \
	}
#define DATA                                                                                       \
	{                                                                                          \
		"data", NULL, FILE_, NULL, false, "the recording [dwell.data]", NULL               \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, TEXT, NULL, false, NULL, NULL                                          \
	}

static const struct argument report[] = {
	{ "by", "--by", TEXT, NULL, false,
	  "rows: function, caller, caller-object, line, object, thread, process, program, rank, "
	  "host or label:KEY [function]",
	  NULL },
	{ "tree", "--tree", FLAG, NULL, false, "show each function below its callers", NULL },
	{ "callers", "--callers", FLAG, NULL, false, "show each function with its callers below",
	  NULL },
	{ "imbalance", "--imbalance", FLAG, NULL, false,
	  "compare each function among ranks, or what `by` names", NULL },
	{ "min", "--min", TEXT, NULL, false, "omit branches below this percentage [1]", NULL },
	SORT,
	LIMIT,
	FORMAT,
	SELECTION,
	DATA,
	END,
};

static const struct argument diff[] = {
	{ "by", "--by", TEXT, NULL, false, "rows of samples [function]", "function stack object" },
	{ "normalize", "--normalize", FLAG, NULL, false,
	  "compare shares of all time instead of time", NULL },
	SORT,
	LIMIT,
	FORMAT,
	SELECTION,
	{ "old", NULL, FILES, NULL, true, "recordings of before, one per run", NULL },
	{ "new", NULL, FILES, NULL, true, "recordings of after, one per run", NULL },
	END,
};

static const struct argument annotate[] = {
	{ "asm", "--asm", FLAG, NULL, false, "show instructions with their lines", NULL },
	{ "context", "--context", TEXT, NULL, false,
	  "lines or instructions around each sample, or all", NULL },
	{ "source_path", "--source-path", LIST, NULL, false, "folders to search for source files",
	  NULL },
	FORMAT,
	SELECTION,
	{ "function", NULL, WORD, NULL, true,
	  "[OBJECT:]FUNCTION, both globs; the one with most samples is shown", NULL },
	DATA,
	END,
};

static const struct argument info[] = {
	FORMAT,
	DATA,
	END,
};

static const struct argument query[] = {
	{ "from", "--from", TEXT, NULL, true, "clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE",
	  NULL },
	{ "where", "--where", LIST, NULL, false,
	  "KEY=VALUE of labels: service, version, host, rank, job or another", NULL },
	{ "time", "--time", TEXT, NULL, false,
	  "only this time, as 2026-11-16T18:00..2026-11-16T19:00 (UTC) or -2h..", NULL },
	{ "by", "--by", TEXT, NULL, false,
	  "a row per value of this label; of diff: the label that `old` and `new` are values of "
	  "[version]",
	  NULL },
	{ "calls", "--calls", FLAG, NULL, false, "of counted calls instead of samples", NULL },
	{ "normalize", "--normalize", FLAG, NULL, false,
	  "diff: compare shares of all time instead of time", NULL },
	{ "min", "--min", TEXT, NULL, false, "tree: omit branches below this percentage [1]",
	  NULL },
	SORT,
	LIMIT,
	FORMAT,
	{ "view", NULL, WORD, NULL, true, "the kind of table", "top tree diff imbalance calls" },
	{ "old", NULL, WORD, NULL, false, "diff: the label's value of before", NULL },
	{ "new", NULL, WORD, NULL, false, "diff: the label's value of after", NULL },
	END,
};

static const struct mcp_tool tools[] = {
	{ "report",
	  "Shows where the program of a recording spent its time: self and total time of each "
	  "function, a call tree, lines, threads or processes; and counted calls with their times, "
	  "if the recording has some.",
	  report, false },
	{ "diff",
	  "Compares recordings of before and after a change, and says which differences exceed "
	  "noise. Several runs per side make it certain.",
	  diff, false },
	{ "annotate",
	  "Shows the source lines or instructions of a function with the share of time of each.",
	  annotate, false },
	{ "info",
	  "Shows how a recording was made: command, clock, rate, losses, labels, processes, "
	  "threads "
	  "and objects.",
	  info, false },
	{ "query",
	  "Shows recordings of many machines that `dwell store` has loaded into ClickHouse: the "
	  "functions (top), their call tree, two versions compared (diff), the spread over ranks "
	  "(imbalance), counted calls.",
	  query, true },
};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

/* ---- schemas ---- */

static json_t *values_of(const char *values)
{
	json_t *list = json_array();

	while (*values) {
		size_t length = strcspn(values, " ");

		json_array_append_new(list, json_stringn(values, length));
		values += length + (values[length] == ' ');
	}
	return list;
}

static const char *type_of(enum kind kind)
{
	if (kind == WHOLE)
		return "integer";
	if (kind == FLAG)
		return "boolean";
	return kind == LIST || kind == FILES ? "array" : "string";
}

static json_t *property(const struct argument *argument)
{
	json_t *object = json_pack("{s:s, s:s}", "type", type_of(argument->kind), "description",
				   argument->description);

	if (argument->kind == WHOLE)
		json_object_set_new(object, "minimum", json_integer(0));
	if (argument->kind == LIST || argument->kind == FILES)
		json_object_set_new(object, "items", json_pack("{s:s}", "type", "string"));
	if (argument->kind == FILES)
		json_object_set_new(object, "minItems", json_integer(1));
	if (argument->values)
		json_object_set_new(object, "enum", values_of(argument->values));
	return object;
}

static json_t *schema_of(const struct mcp_tool *tool)
{
	json_t *properties = json_object(), *required = json_array();

	for (const struct argument *at = tool->arguments; at->name; at++) {
		json_object_set_new(properties, at->name, property(at));
		if (at->is_required)
			json_array_append_new(required, json_string(at->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", 0);
}

json_t *mcp_tools_list(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < TOOLS; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o, s:{s:b, s:b}}", "name", tools[i].name,
					"description", tools[i].description, "inputSchema",
					schema_of(&tools[i]), "annotations", "readOnlyHint", 1,
					"openWorldHint", tools[i].asks_servers));
	return list;
}

const struct mcp_tool *mcp_tools_find(const char *name)
{
	for (size_t i = 0; i < TOOLS; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

void mcp_tools_names(char *text, size_t bytes)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < TOOLS && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%s%s",
					 i == 0          ? ""
					 : i + 1 < TOOLS ? ", "
							 : " or ",
					 tools[i].name);
}

/* ---- command lines ---- */

/* Words of a command line. all[count] is NULL, from words_begin() on. */
struct words {
	char **all;
	size_t count;
};

static int words_begin(struct words *words, struct err *err)
{
	words->all = vec_room(NULL, 0, sizeof(*words->all));
	if (!words->all)
		return err_no_memory(err);
	words->all[0] = NULL;
	return 0;
}

/* Adds a word that is made of two parts. */
static int add(struct words *words, const char *first, const char *second, struct err *err)
{
	char **more = vec_room(words->all, words->count + 1, sizeof(*more));
	char *word;

	if (!more)
		return err_no_memory(err);
	words->all = more;
	if (asprintf(&word, "%s%s", first, second) < 0)
		return err_no_memory(err);
	more[words->count++] = word;
	more[words->count] = NULL;
	return 0;
}

static int add_option(struct words *words, const char *option, const char *value, struct err *err)
{
	char head[64];

	snprintf(head, sizeof(head), "%s=", option);
	return add(words, head, value, err);
}

static int add_file(struct words *words, const char *path, struct err *err)
{
	return add(words, *path == '-' ? "./" : "", path, err);
}

static bool is_among(const char *value, const char *values)
{
	size_t length = strlen(value);

	while (*values) {
		size_t next = strcspn(values, " ");

		if (next == length && strncmp(values, value, length) == 0)
			return true;
		values += next + (values[next] == ' ');
	}
	return false;
}

static int add_text(struct words *words, const struct argument *argument, const char *value,
		    struct err *err)
{
	if (argument->values && !is_among(value, argument->values))
		return err_set(err, EINVAL, "unknown value '%s' of '%s' (expected one of: %s)",
			       value, argument->name, argument->values);
	if (argument->option)
		return add_option(words, argument->option, value, err);
	if (argument->kind == FILE_ || argument->kind == FILES)
		return add_file(words, value, err);
	return add(words, "", value, err);
}

static int wrong_type(const struct argument *argument, struct err *err)
{
	return err_set(err, EINVAL, "invalid argument '%s': must be %s", argument->name,
		       argument->kind == WHOLE   ? "a whole number, 0 or more"
		       : argument->kind == FLAG  ? "true or false"
		       : argument->kind == LIST  ? "an array of strings"
		       : argument->kind == FILES ? "an array of names of files, at least one"
						 : "a string");
}

static int add_list(struct words *words, const struct argument *argument, const json_t *value,
		    struct err *err)
{
	size_t count = json_array_size(value);
	int status = 0;

	if (!json_is_array(value) || (argument->kind == FILES && count == 0))
		return wrong_type(argument, err);
	for (size_t i = 0; i < count && !status; i++) {
		const char *text = json_string_value(json_array_get(value, i));

		status = text ? add_text(words, argument, text, err) : wrong_type(argument, err);
	}
	return status;
}

static int add_value(struct words *words, const struct argument *argument, const json_t *value,
		     struct err *err)
{
	char digits[32];

	switch (argument->kind) {
	case FLAG:
		if (!json_is_boolean(value))
			return wrong_type(argument, err);
		return json_is_true(value) ? add(words, "", argument->option, err) : 0;
	case WHOLE:
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return wrong_type(argument, err);
		snprintf(digits, sizeof(digits), "%lld", (long long)json_integer_value(value));
		return add_option(words, argument->option, digits, err);
	case LIST:
	case FILES:
		return add_list(words, argument, value, err);
	default:
		if (!json_is_string(value))
			return wrong_type(argument, err);
		return add_text(words, argument, json_string_value(value), err);
	}
}

static int check_names(const struct mcp_tool *tool, const json_t *arguments, struct err *err)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)arguments, name, value)
	{
		const struct argument *at = tool->arguments;

		while (at->name && strcmp(at->name, name) != 0)
			at++;
		if (!at->name)
			return err_set(err, EINVAL, "unknown argument '%s' of '%s'", name,
				       tool->name);
	}
	return 0;
}

/* Adds the options of a call, or the words behind them. */
static int add_arguments(struct words *words, const struct mcp_tool *tool, const json_t *arguments,
			 bool options, struct err *err)
{
	int status = 0;
	bool is_first = true;

	for (const struct argument *at = tool->arguments; at->name && !status; at++) {
		const json_t *value = json_object_get(arguments, at->name);

		if (!at->option == options)
			continue;
		/* Two lists of files stand on two sides of a --. */
		if (at->kind == FILES && !is_first)
			status = add(words, "", "--", err);
		is_first = false;
		if (!status && value && !json_is_null(value))
			status = add_value(words, at, value, err);
		else if (!status && at->is_required)
			status = err_set(err, EINVAL, "missing argument '%s' of '%s'", at->name,
					 tool->name);
		else if (!status && at->fallback)
			status = add_option(words, at->option, at->fallback, err);
	}
	return status;
}

char **mcp_tools_command(const struct mcp_tool *tool, const json_t *arguments, struct err *err)
{
	struct words words = { 0 };
	int status = check_names(tool, arguments, err);

	if (!status)
		status = words_begin(&words, err);
	if (!status)
		status = add(&words, "", "dwell", err);
	if (!status)
		status = add(&words, "", tool->name, err);
	if (!status)
		status = add_arguments(&words, tool, arguments, true, err);
	/* A word of its own may begin with a dash. Files do not, and diff has its own use of --. */
	if (!status && tool->arguments != diff)
		status = add(&words, "", "--", err);
	if (!status)
		status = add_arguments(&words, tool, arguments, false, err);
	if (!status)
		return words.all;
	mcp_tools_free(words.all);
	return NULL;
}

void mcp_tools_free(char **argv)
{
	for (char **at = argv; at && *at; at++)
		free(*at);
	free(argv);
}
