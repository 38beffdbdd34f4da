/* SPDX-License-Identifier: MIT */
#include "samples_summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/profile_arcs.h"
#include "model/profile/profile_ends.h"
#include "model/profile/profile_rows.h"
#include "interpreter_note.h"
#include "jit_note.h"
#include "output/table/printable.h"
#include "rate_note.h"
#include "run_summary.h"
#include "output/table/units.h"
#include "symbol/package.h"

/* A smaller part of all time has no line of its own. */
#define WORTH_A_LINE 0.01

/* Leaves out looks at waiting threads: each stands for a whole wait, and was not requested. */
double samples_summary_rate(const struct profile *profile)
{
	const struct profile_totals *totals = &profile->totals;
	uint64_t samples = totals->seen.samples - totals->blocked.samples;
	uint64_t ns = totals->seen.ns - totals->blocked.ns;

	return ns ? (double)samples * 1e9 / (double)ns : 0;
}

static void write_samples(const struct profile_totals *totals, FILE *out)
{
	char count[UNITS_BYTES], time[UNITS_BYTES];

	run_summary_number(totals->kept.samples, "sample", "samples", out);
	if (totals->kept.samples != totals->seen.samples)
		fprintf(out, " of %s", units_count(count, totals->seen.samples));
	if (totals->event)
		printable_print(out, ", %s %s", units_count(time, totals->kept.ns), totals->event);
	else
		fprintf(out, ", %s of %s time", units_time(time, (double)totals->kept.ns),
			totals->is_wall ? "wall" : "CPU");
}

/* Writes how often events were sampled. */
static void write_period(const struct record_event *event, const struct profile_totals *totals,
			 FILE *out)
{
	char number[UNITS_BYTES];

	if (event && event->period)
		fprintf(out, "; one sample every %s\n", units_count(number, event->period));
	else if (!totals->hz)
		fputs("\n", out);
	else
		fprintf(out, "; %s samples per second requested\n",
			units_count(number, totals->hz));
}

static void write_clock(const struct reader *reader, const struct profile *profile, FILE *out)
{
	const struct profile_totals *totals = &profile->totals;
	char asked[UNITS_BYTES], achieved[UNITS_BYTES];

	if (totals->event) {
		write_period(reader_event(reader), totals, out);
		return;
	}
	if (!totals->hz) {
		printable_print(out, "; clock %s\n", *totals->clocks ? totals->clocks : "unknown");
		return;
	}
	printable_print(out, "; clock %s, %s Hz requested%s, %s achieved\n",
			*totals->clocks ? totals->clocks : "unknown",
			units_count(asked, totals->hz), totals->is_wall ? " while threads run" : "",
			units_count(achieved, (uint64_t)(samples_summary_rate(profile) + 0.5)));
}

/* Prints a rate as the others of that line, with decimals if it is small. */
static const char *rate_text(char text[UNITS_BYTES], double hz)
{
	if (hz >= 10)
		return units_count(text, (uint64_t)(hz + 0.5));
	snprintf(text, UNITS_BYTES, "%.2g", hz);
	return text;
}

/* Returns the calls without room to count them. If calls of chosen functions are counted, their
 * summary reports it. */
static uint64_t lost_calls(const struct reader *reader)
{
	uint64_t lost = 0;

	if (reader_has_specs(reader))
		return 0;
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == RECORD_PROCESS)
			lost += reader_process(&reader->segments[i])->lost_calls;
	return lost;
}

/* Writes nothing if no function has counted calls. */
static void write_counted(const struct reader *reader, FILE *out)
{
	uint64_t calls = profile_arcs_sum(reader);
	char count[UNITS_BYTES];

	if (calls)
		fprintf(out, "%s calls were counted by functions built with -pg\n",
			units_count(count, calls));
	run_summary_count("LOST: calls that were not counted", lost_calls(reader), out);
}

/* Writes how much of the time was to be recorded. */
static void write_paused(const struct profile_totals *totals, FILE *out)
{
	char part[UNITS_BYTES], whole[UNITS_BYTES];

	if (totals->paused_ns)
		fprintf(out, "recorded %s of %s of %s time: recording was paused for the rest\n",
			units_time(part, (double)totals->seen.ns),
			units_time(whole, (double)(totals->seen.ns + totals->paused_ns)),
			totals->is_wall ? "wall" : "CPU");
}

static void write_lowered(const struct profile_totals *totals, FILE *out)
{
	char share[UNITS_BYTES], rate[UNITS_BYTES];

	if ((double)totals->slowed_ns > WORTH_A_LINE * (double)totals->seen.ns)
		fprintf(out,
			"the rate was lowered for %s of the time, to %s Hz at the lowest, because "
			"samples took too long\n",
			units_share(share, (double)totals->slowed_ns, (double)totals->seen.ns),
			rate_text(rate, totals->lowest_hz));
}

/* Writes "1.2% of the time ...", if there is any: samples may stand for more or less of it. */
static void write_part(const struct profile_totals *totals, const struct profile_amount *part,
		       const char *what, FILE *out)
{
	char share[UNITS_BYTES];

	if (part->samples)
		fprintf(out, "%s of %s %s\n",
			units_share(share, (double)part->ns, (double)totals->seen.ns),
			totals->event ? "events" : "the time", what);
}

/* Writes which code ends the incomplete stacks, if they are worth a line. */
static int write_ends(const struct profile *profile, FILE *out, struct err *err)
{
	const size_t shown_max = 4;
	double all = (double)profile->totals.seen.ns;
	struct profile_end *list;
	char share[UNITS_BYTES];
	size_t count, shown = 0;
	int status = profile_ends(profile, &list, &count, err);

	if (status)
		return status;
	while (shown < count && shown < shown_max && (double)list[shown].ns >= WORTH_A_LINE * all)
		shown++;
	for (size_t i = 0; i < shown; i++)
		printable_print(out, "%s%s (%s)", i ? ", " : "incomplete stacks end in ",
				list[i].object, units_share(share, (double)list[i].ns, all));
	if (shown)
		fputc('\n', out);
	free(list);
	return 0;
}

static uint64_t unsampled(const struct profile_totals *totals)
{
	uint64_t accounted_ns =
		totals->seen.ns + totals->paused_ns + totals->lost.ns + totals->unwatched_ns;

	return totals->cpu_ns > accounted_ns ? totals->cpu_ns - accounted_ns : 0;
}

/* Writes the CPU time that the kernel reports and no line above contains. */
static void write_unsampled(const struct profile_totals *totals, FILE *out)
{
	uint64_t ns = unsampled(totals);
	char share[UNITS_BYTES], time[UNITS_BYTES];

	if ((double)ns > WORTH_A_LINE * (double)totals->cpu_ns)
		fprintf(out,
			"LOST: CPU time without samples: %s, %s of all: spent in the kernel at "
			"process exit, or by programs that were killed or could not be recorded\n",
			units_time(time, (double)ns),
			units_share(share, (double)ns, (double)totals->cpu_ns));
}

static void write_losses(const struct profile_totals *totals, FILE *out)
{
	char count[UNITS_BYTES], time[UNITS_BYTES];

	if (totals->lost.samples)
		fprintf(out, "LOST: samples without room in the recording: %s, %s\n",
			units_count(count, totals->lost.samples),
			units_amount(time, (double)totals->lost.ns, totals->event));
	if (totals->unwatched_ns)
		fprintf(out,
			"LOST: CPU time of threads that could not be sampled, and of processes "
			"that exited before a tick: %s\n",
			units_time(time, (double)totals->unwatched_ns));
	write_unsampled(totals, out);
	run_summary_count("LOST: regions beyond 1,023 names or 16 levels", totals->lost_regions,
			  out);
	run_summary_count("LOST: processes whose clock was refused", totals->refused, out);
	run_summary_count("DAMAGED: samples whose stack is missing", totals->stackless.samples,
			  out);
}

/* Writes where symbols are available. */
static void write_help(const struct package_offer *offer, FILE *out)
{
	if (offer->is_known)
		printable_print(out, "has no symbols: install %s\n", offer->name);
	else if (offer->is_unsure)
		printable_print(out, "has no symbols: %s may contain them; see also --debuginfod\n",
				offer->name);
	else
		fputs("has no symbols, and apt knows no package with them: see --debuginfod\n",
		      out);
}

static void write_nameless(const struct profile *profile, const struct profile_nameless *nameless,
			   const struct package_offer *offer, FILE *out)
{
	const struct symbolizer_object *object = nameless->object;
	char share[UNITS_BYTES], part[UNITS_BYTES];

	printable_print(out, "%s of %s in %s, %s of all, ",
			units_share(part, (double)nameless->ns, (double)nameless->whole_ns),
			profile->totals.event ? "events" : "the time", object->title,
			units_share(share, (double)nameless->ns, (double)profile->totals.kept.ns));
	if (object->state == SYMBOLIZER_CHANGED)
		printable_print(out, "has no names: %s has changed since it was recorded\n",
				object->path);
	else if (object->state == SYMBOLIZER_MISSING)
		printable_print(out, "has no names: %s is missing or cannot be read\n",
				object->path);
	else if (object->state == SYMBOLIZER_DAMAGED)
		printable_print(out, "has no names: %s is not a valid ELF file\n", object->path);
	else
		write_help(offer, out);
}

/* Keeps those that are worth a line. An object with all its symbols is left out: there is code
 * between functions. */
static size_t choose_nameless(const struct profile *profile, struct profile_nameless *list,
			      size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!list[i].object->is_full &&
		    (double)list[i].ns >= WORTH_A_LINE * (double)profile->totals.kept.ns)
			list[kept++] = list[i];
	return kept;
}

/* Finds the packages with the symbols of each, and whether they can be installed. */
static int find_offers(const struct profile *profile, const struct profile_nameless *list,
		       size_t count, struct package_offer *offers)
{
	struct symbolizer_package *packages = calloc(count + 1, sizeof(*packages));
	int status = -ENOMEM;

	for (size_t i = 0; packages && i < count; i++)
		packages[i].object = list[i].object;
	if (packages)
		status = symbolizer_packages(&profile->functions.symbolizer, packages, count);
	for (size_t i = 0; !status && i < count; i++)
		if (*packages[i].name)
			package_debug(offers[i].name, packages[i].name);
	if (!status)
		package_offered(PACKAGE_LISTS, offers, count);
	free(packages);
	return status;
}

static int write_list(const struct profile *profile, const struct profile_nameless *list,
		      size_t count, FILE *out, struct err *err)
{
	struct package_offer *offers = calloc(count + 1, sizeof(*offers));

	if (!offers || find_offers(profile, list, count, offers)) {
		free(offers);
		return err_no_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		write_nameless(profile, &list[i], &offers[i], out);
	free(offers);
	return 0;
}

static int write_objects(const struct profile *profile, FILE *out, struct err *err)
{
	struct profile_nameless *list;
	size_t count;
	int status = profile_nameless(profile, &list, &count, err);

	if (status)
		return status;
	status = write_list(profile, list, choose_nameless(profile, list, count), out, err);
	free(list);
	return status;
}

int samples_summary_write(const struct reader *reader, const struct profile *profile, FILE *out,
			  struct err *err)
{
	const struct profile_totals *totals = &profile->totals;
	int status;

	run_summary_write(reader, totals->processes, totals->threads, out);
	write_samples(totals, out);
	write_clock(reader, profile, out);
	write_paused(totals, out);
	write_counted(reader, out);
	write_lowered(totals, out);
	if (!totals->event)
		rate_note_write(totals, samples_summary_rate(profile), out);
	write_part(totals, &totals->blocked, "is in waiting threads", out);
	write_part(totals, &totals->truncated, "is in stacks that were too deep and are cut", out);
	write_part(totals, &totals->broken, "is in stacks that are incomplete", out);
	status = write_ends(profile, out, err);
	if (status)
		return status;
	write_losses(totals, out);
	run_summary_write_damage(reader, out);
	if (profile->scale.estimated && reader->header.clock == RECORD_CLOCK_TICKS)
		fputs("times of samples are estimated: the recording does not contain the rate of "
		      "its clock\n",
		      out);
	jit_note_write(profile, out);
	if (totals->has_unknown)
		interpreter_note_write(totals->unknown_language, totals->unknown_version, out);
	return write_objects(profile, out, err);
}

static int add_rate(struct table *table, const char *key, double hz)
{
	char rate[UNITS_BYTES];

	snprintf(rate, sizeof(rate), "%.1f", hz);
	return table_add_meta_digits(table, key, rate);
}

static int add_texts(struct table *table, const struct profile *profile)
{
	const char *event = profile->totals.event;
	int status = table_add_meta(table, "sample_clock", profile->totals.clocks);

	if (!status)
		status = table_add_meta(table, "sample_time",
					event                     ? "events"
					: profile->totals.is_wall ? "wall"
								  : "cpu");
	if (!status && event)
		status = table_add_meta(table, "sample_event", event);
	if (!status)
		status = add_rate(table, "rate_lowest", profile->totals.lowest_hz);
	return status || event ? status
			       : add_rate(table, "rate_achieved", samples_summary_rate(profile));
}

/* Adds the objects whose code ends incomplete stacks. */
static int add_ends(struct table *table, const struct profile *profile, struct err *err)
{
	struct profile_end *list;
	const char **names;
	size_t count;
	int status = profile_ends(profile, &list, &count, err);

	if (status)
		return status;
	names = malloc((count + 1) * sizeof(*names));
	for (size_t i = 0; names && i < count; i++)
		names[i] = list[i].object;
	status = names ? table_add_meta_list(table, "samples_broken_in", names, count) : -ENOMEM;
	free(names);
	free(list);
	return status ? err_no_memory(err) : 0;
}

int samples_summary_add_meta(struct table *table, const struct profile *profile, struct err *err)
{
	const struct profile_totals *totals = &profile->totals;
	bool is_event = totals->event;
	const struct run_summary_pair numbers[] = {
		{ "rate_asked", totals->hz },
		{ "samples", totals->seen.samples },
		{ is_event ? "samples_events" : "samples_ns", totals->seen.ns },
		{ "samples_shown", totals->kept.samples },
		{ is_event ? "samples_shown_events" : "samples_shown_ns", totals->kept.ns },
		{ "samples_slowed_ns", totals->slowed_ns },
		{ "samples_blocked", totals->blocked.samples },
		{ "samples_truncated", totals->truncated.samples },
		{ "samples_broken", totals->broken.samples },
		{ "samples_stackless", totals->stackless.samples },
		{ "sampled_processes", totals->processes },
		{ "sampled_threads", totals->threads },
		{ "lost_samples", totals->lost.samples },
		{ is_event ? "lost_samples_events" : "lost_samples_ns", totals->lost.ns },
		{ "unwatched_ns", totals->unwatched_ns },
		{ "cpu_ns", totals->cpu_ns },
		{ "system_ns", totals->system_ns },
		{ "coarse_ns", totals->coarse_ns },
		{ "paused_ns", totals->paused_ns },
		{ "lost_regions", totals->lost_regions },
		{ "unsampled_ns", unsampled(totals) },
		{ "refused_processes", totals->refused },
	};

	if (add_texts(table, profile) ||
	    run_summary_add_numbers(table, numbers, sizeof(numbers) / sizeof(numbers[0])))
		return err_no_memory(err);
	return add_ends(table, profile, err);
}
