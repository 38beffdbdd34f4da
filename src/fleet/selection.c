/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"
#include "origin_labels.h"
#include "sql.h"

/* Labels that are columns of all tables, and further columns of each. Lists end with NULL. */
static const char *const common[] = { "service", "version", "host", "rank", "job", NULL };
static const char *const of_samples[] = { "kind", NULL };
static const char *const of_calls[] = { "timing", "function", "library", "caller", NULL };
static const char *const of_functions[] = { "function", "library", "caller", NULL };
static const char *const none[] = { NULL };

static bool is_in(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (strcmp(*list, key) == 0)
			return true;
	return false;
}

static bool is_column(enum selection_table table, const char *key)
{
	return is_in(common, key) || is_in(table == SELECTION_CALLS ? of_calls : of_samples, key);
}

int selection_add(struct selection *selection, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	struct selection_label label, *more;

	if (!equals || equals == text)
		return err_set(err, EINVAL, "invalid condition '%s': must be KEY=VALUE", text);
	more = vec_room(selection->labels, selection->count, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	selection->labels = more;
	label = (struct selection_label){ strndup(text, (size_t)(equals - text)),
					  strdup(equals + 1) };
	if (!label.key || !label.value) {
		free(label.key);
		free(label.value);
		return err_no_memory(err);
	}
	more[selection->count++] = label;
	return 0;
}

/* Parses -90s and the like. */
static bool parse_ago(const char *text, time_t now, uint32_t *instant)
{
	static const char units[] = "smhd";
	static const uint32_t seconds[] = { 1, 60, 3600, 86400 };
	const char *end, *unit;
	uint64_t count;

	if (*text != '-' || !decimal_prefix(text + 1, UINT32_MAX, &count, &end) || !*end || end[1])
		return false;
	unit = strchr(units, *end);
	if (!unit || count * seconds[unit - units] > (uint64_t)now)
		return false;
	*instant = (uint32_t)((uint64_t)now - count * seconds[unit - units]);
	return true;
}

static bool parse_date(const char *text, uint32_t *instant)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm parts = { .tm_mday = 1 };
		const char *end = strptime(text, forms[i], &parts);
		time_t seconds;

		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		seconds = timegm(&parts);
		*instant = (uint32_t)seconds;
		return seconds >= 0 && seconds <= UINT32_MAX;
	}
	return false;
}

static int parse_instant(const char *text, size_t length, time_t now, uint32_t *instant,
			 struct err *err)
{
	char part[64];
	uint64_t seconds;

	snprintf(part, sizeof(part), "%.*s", (int)length, text);
	if (length < sizeof(part)) {
		if (decimal_parse(part, UINT32_MAX, &seconds)) {
			*instant = (uint32_t)seconds;
			return 0;
		}
		if (parse_ago(part, now, instant) || parse_date(part, instant))
			return 0;
	}
	return err_set(err, EINVAL,
		       "invalid instant '%.*s': must be as 2026-11-16, 2026-11-16T18:00 (UTC), -2h "
		       "or seconds of the epoch",
		       (int)length, text);
}

int selection_take_time(struct selection *selection, const char *text, time_t now, struct err *err)
{
	const char *dots = strstr(text, "..");
	int status = 0;

	if (!dots)
		return err_set(err, EINVAL, "invalid time '%s': must be A..B", text);
	selection->has_from = dots > text;
	selection->has_until = dots[2];
	if (selection->has_from)
		status = parse_instant(text, (size_t)(dots - text), now, &selection->from, err);
	if (!status && selection->has_until)
		status = parse_instant(dots + 2, strlen(dots + 2), now, &selection->until, err);
	if (!status && selection->has_from && selection->has_until &&
	    selection->from >= selection->until)
		return err_set(err, EINVAL, "invalid time '%s': it ends before it begins", text);
	return status;
}

bool selection_has(const struct selection *selection, const char *key)
{
	for (size_t i = 0; i < selection->count; i++)
		if (strcmp(selection->labels[i].key, key) == 0)
			return true;
	return false;
}

void selection_free(struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++) {
		free(selection->labels[i].key);
		free(selection->labels[i].value);
	}
	free(selection->labels);
	*selection = (struct selection){ 0 };
}

/* Writes the condition of one label. */
static int write_label(const struct selection *selection, const struct selection_label *label,
		       FILE *out)
{
	char *line;

	if (is_column(selection->table, label->key)) {
		fprintf(out, "toString(%s) = ", label->key);
		sql_write_text(label->value, out);
		return 0;
	}
	line = origin_labels_line(label->key, label->value);
	if (!line)
		return -ENOMEM;
	fputs("has(splitByChar('\\n', toString(labels)), ", out);
	sql_write_text(line, out);
	putc(')', out);
	free(line);
	return 0;
}

/* Writes the alternatives of a label's key, at its first place in the list. */
static int write_key(const struct selection *selection, size_t first, FILE *out)
{
	const char *key = selection->labels[first].key, *between = " AND (";
	int status = 0;

	for (size_t i = 0; i < first; i++)
		if (strcmp(selection->labels[i].key, key) == 0)
			return 0;
	for (size_t i = first; i < selection->count && !status; i++) {
		if (strcmp(selection->labels[i].key, key) != 0)
			continue;
		fputs(between, out);
		between = " OR ";
		status = write_label(selection, &selection->labels[i], out);
	}
	putc(')', out);
	return status;
}

static char *conditions(const struct selection *selection, const char *const *left_out)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int status = 0;

	if (!out)
		return NULL;
	putc('1', out);
	for (size_t i = 0; i < selection->count && !status; i++)
		if (!is_in(left_out, selection->labels[i].key))
			status = write_key(selection, i, out);
	if (selection->has_from)
		fprintf(out, " AND win >= toDateTime(%u)", selection->from);
	if (selection->has_until)
		fprintf(out, " AND win < toDateTime(%u)", selection->until);
	if (fclose(out) || status) {
		free(sql);
		return NULL;
	}
	return sql;
}

char *selection_sql(const struct selection *selection)
{
	return conditions(selection, none);
}

char *selection_sql_of_runs(const struct selection *selection)
{
	return conditions(selection, selection->table == SELECTION_CALLS ? of_functions : none);
}

/* A label among the others is the rest of its line. */
char *selection_column(enum selection_table table, const char *key)
{
	char *column = NULL, *prefix = NULL, *literal = NULL;

	if (is_column(table, key))
		return strdup(key);
	if (asprintf(&prefix, "%s=", key) < 0)
		return NULL;
	literal = sql_text(prefix);
	if (literal && asprintf(&column,
				"substring(arrayFirst(x -> startsWith(x, %s), "
				"splitByChar('\\n', toString(labels))), %zu)",
				literal, strlen(prefix) + 1) < 0)
		column = NULL;
	free(prefix);
	free(literal);
	return column;
}
