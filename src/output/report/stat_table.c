/* SPDX-License-Identifier: MIT */
#include "stat_table.h"

#include <math.h>
#include <string.h>

#include "output/table/units.h"

static const struct table_column for_people[] = {
	{ "value", COLUMN_NUMBER },
	{ "spread", COLUMN_DROPS_1ST },
	{ "event", COLUMN_GIVES },
	{ "remark", COLUMN_GIVES | COLUMN_WRAPS },
};

static const struct table_column for_programs[] = {
	{ "event", 0 }, { "mean", COLUMN_NUMBER },    { "deviation", COLUMN_NUMBER },
	{ "unit", 0 },  { "counted", COLUMN_NUMBER }, { "refusal", 0 },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

void stat_add(struct stat_row *row, const struct pmu_counter *counter)
{
	row->last = *counter;
	row->sum += counter->value;
	row->squares += counter->value * counter->value;
}

/* Returns the standard deviation of a mean of several runs. */
static double deviation(double sum, double squares, unsigned runs)
{
	double mean = sum / runs, variance = squares / runs - mean * mean;

	return runs > 1 && variance > 0 ? sqrt(variance / (runs - 1)) : 0;
}

static double mean_of(const struct stat_result *result, const char *name)
{
	for (size_t i = 0; i < result->count; i++) {
		const struct stat_row *row = &result->rows[i];

		if (!pmu_counter_refusal(&row->last) && strcmp(row->last.event->name, name) == 0)
			return row->sum / result->runs;
	}
	return 0;
}

/* Events that say most beside another one. */
static const struct ratio {
	const char *event, *of, *format;
	double times;
} ratios[] = {
	{ "instructions", "cycles", "%.2f per cycle", 1 },
	{ "branch-misses", "branches", "%.2f%% of all branches", 100 },
	{ "cache-misses", "cache-references", "%.2f%% of all references", 100 },
	{ "L1-dcache-load-misses", "L1-dcache-loads", "%.2f%% of all loads", 100 },
	{ "LLC-load-misses", "LLC-loads", "%.2f%% of all loads", 100 },
	{ "cycles", "task-clock", "%.2f GHz", 1 },
};

static void write_ratio(char *text, size_t size, const struct stat_result *result, const char *name,
			double mean)
{
	double clock_ns = mean_of(result, "task-clock"), whole;

	if (strcmp(name, "task-clock") == 0 && result->wall_ns > 0) {
		snprintf(text, size, "%.2f CPUs used", mean * result->runs / result->wall_ns);
		return;
	}
	for (size_t i = 0; i < LENGTH(ratios); i++) {
		whole = strcmp(name, ratios[i].event) == 0 ? mean_of(result, ratios[i].of) : 0;
		if (whole > 0) {
			snprintf(text, size, ratios[i].format, ratios[i].times * mean / whole);
			return;
		}
	}
	if (clock_ns > 0 && strcmp(name, "cpu-clock") != 0) {
		char count[UNITS_BYTES];

		snprintf(text, size, "%s per second of CPU time",
			 units_count(count, (uint64_t)(mean / clock_ns * 1e9 + 0.5)));
	}
}

/* Returns the value with its unit: a time, a count, or a number of something else. */
static const char *write_value(char text[UNITS_BYTES], const struct pmu_event *event, double mean)
{
	if (strcmp(event->unit, "ns") == 0)
		return units_time(text, mean);
	if (!*event->unit)
		return units_count(text, (uint64_t)(mean + 0.5));
	snprintf(text, UNITS_BYTES, "%.2f %s", mean, event->unit);
	return text;
}

/* Writes the name of an event as it was counted. */
static const char *write_name(char name[PMU_EVENT_NAME_BYTES + 2],
			      const struct pmu_counter *counter)
{
	snprintf(name, PMU_EVENT_NAME_BYTES + 2, "%s%s", counter->event->name,
		 counter->without_kernel ? ":u" : "");
	return name;
}

static int add_for_people(struct table *table, const struct stat_result *result,
			  const struct stat_row *row)
{
	const struct pmu_event *event = row->last.event;
	const char *refusal = pmu_counter_refusal(&row->last);
	double mean = row->sum / result->runs;
	char value[UNITS_BYTES] = "-", spread[UNITS_BYTES] = "", remark[128] = "";
	char name[PMU_EVENT_NAME_BYTES + 2];
	const char *const cells[] = { value, spread, write_name(name, &row->last),
				      refusal ? refusal : remark };

	if (!refusal) {
		write_value(value, event, mean);
		write_ratio(remark, sizeof(remark), result, event->name, mean);
		if (result->runs > 1 && mean > 0)
			snprintf(spread, sizeof(spread), "+-%.1f%%",
				 100 * deviation(row->sum, row->squares, result->runs) / mean);
	}
	return table_add(table, cells);
}

static int add_for_programs(struct table *table, const struct stat_result *result,
			    const struct stat_row *row)
{
	const struct pmu_counter *last = &row->last;
	const char *refusal = pmu_counter_refusal(last);
	char mean[UNITS_BYTES], off[UNITS_BYTES], counted[UNITS_BYTES];
	char name[PMU_EVENT_NAME_BYTES + 2];
	const char *const cells[] = { write_name(name, last),   refusal ? NULL : mean,
				      refusal ? NULL : off,     last->event->unit,
				      refusal ? NULL : counted, refusal };

	snprintf(mean, sizeof(mean), "%.15g", row->sum / result->runs);
	snprintf(off, sizeof(off), "%.6g", deviation(row->sum, row->squares, result->runs));
	snprintf(counted, sizeof(counted), "%.4f",
		 last->enabled_ns ? (double)last->running_ns / (double)last->enabled_ns : 1);
	return table_add(table, cells);
}

int stat_table_make(struct table *table, const struct stat_result *result, enum table_format format,
		    struct err *err)
{
	int status = 0;

	if (format == TABLE_TEXT)
		table_init(table, "events", for_people, LENGTH(for_people));
	else
		table_init(table, "events", for_programs, LENGTH(for_programs));
	if (table_add_meta_number(table, "runs", result->runs) ||
	    table_add_meta_number(table, "wall_ns", (uint64_t)(result->wall_ns / result->runs)) ||
	    table_add_meta_number(table, "user_ns", (uint64_t)(result->user_ns / result->runs)) ||
	    table_add_meta_number(table, "system_ns", (uint64_t)(result->system_ns / result->runs)))
		status = -ENOMEM;
	for (size_t i = 0; i < result->count && !status; i++)
		status = (format == TABLE_TEXT ? add_for_people
					       : add_for_programs)(table, result, &result->rows[i]);
	return status ? err_no_memory(err) : 0;
}

void stat_table_summary(const struct stat_result *result, FILE *out)
{
	unsigned runs = result->runs;
	double off = deviation(result->wall_ns, result->wall_squares, runs), least = 1;
	char wall[UNITS_BYTES], user[UNITS_BYTES], system[UNITS_BYTES], spread[UNITS_BYTES] = "";
	bool without_kernel = false;

	if (runs > 1)
		snprintf(spread, sizeof(spread), " +-%.1f%%", 100 * off * runs / result->wall_ns);
	fprintf(out, "\n%s%s elapsed, %s in user code, %s in the kernel",
		units_time(wall, result->wall_ns / runs), spread,
		units_time(user, result->user_ns / runs),
		units_time(system, result->system_ns / runs));
	if (runs > 1)
		fprintf(out, "; means of %u runs", runs);
	fputc('\n', out);
	for (size_t i = 0; i < result->count; i++) {
		const struct pmu_counter *last = &result->rows[i].last;

		without_kernel |= last->without_kernel;
		if (last->running_ns && (double)last->running_ns < least * (double)last->enabled_ns)
			least = (double)last->running_ns / (double)last->enabled_ns;
	}
	if (without_kernel)
		fputs("only user code was counted where :u stands behind a name: see "
		      "kernel.perf_event_paranoid\n",
		      out);
	if (least < 1)
		fprintf(out,
			"the counters took turns: values are estimates from at least %.0f%% of the "
			"time\n",
			100 * least);
}
