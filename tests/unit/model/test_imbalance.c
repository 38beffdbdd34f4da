/* SPDX-License-Identifier: MIT */
#include "../recordings.h"
#include "model/imbalance.h"
#include "model/profile/profile_rows.h"
#include "model/profile/join.h"

struct given {
	struct recording recording;
	struct reader reader;
	struct groups groups;
};

static void give(struct given *given, struct recording recording, const char *key)
{
	struct err err;

	given->recording = recording;
	if (reader_open(&given->reader, recording_file(&recording, recording.size), &err) ||
	    groups_read(&given->groups, &given->reader, key, &err))
		bail_out(err.text);
}

static void take_back(struct given *given)
{
	groups_free(&given->groups);
	reader_close(&given->reader);
	recording_free(&given->recording);
}

static bool is_row(const struct imbalance_row *row, uint64_t min, uint64_t mean, uint64_t max,
		   const char *most)
{
	bool is_same = row->min_ns == min && row->mean_ns == mean && row->max_ns == max &&
		       row->saved_ns == max - mean && row->most && strcmp(row->most, most) == 0;

	if (!is_same)
		note("%llu %llu %llu saved %llu most %s", (unsigned long long)row->min_ns,
		     (unsigned long long)row->mean_ns, (unsigned long long)row->max_ns,
		     (unsigned long long)row->saved_ns, row->most ? row->most : "none");
	return is_same;
}

/* Ranks 0, 1 and 2 have 1, 3 and 0 samples of a millisecond, all in one function. */
static void samples(void)
{
	struct profile_filter filter = { 0 };
	struct imbalance imbalance;
	struct profile profile;
	struct given given;
	struct err err;

	give(&given, recordings_ranks(), "rank");
	if (profile_read(&profile, &given.reader, &filter, &err) ||
	    imbalance_of_samples(&imbalance, &profile, &given.groups, &err))
		bail_out(err.text);
	ok(imbalance.count == 1 && is_row(&imbalance.rows[0], 0, 1333333, 3000000, "1") &&
		   imbalance.rows[0].present == 2,
	   "a rank without samples counts as 0");
	ok(is_row(&imbalance.whole, 0, 1333333, 3000000, "1"), "so it does in the whole");
	imbalance_free(&imbalance);
	profile_free(&profile);
	take_back(&given);
}

/* Ranks 0, 1 and 2 have one call each, of 1000, 3000 and 2000 ticks of half a nanosecond. */
static void calls(void)
{
	struct imbalance imbalance;
	struct calls calls;
	struct given given;
	struct err err;

	give(&given, recordings_ranks(), "rank");
	if (calls_merge_groups(&calls, &given.reader, &given.groups, &err) ||
	    imbalance_of_calls(&imbalance, &calls, &given.groups, &err))
		bail_out(err.text);
	ok(calls.count == 3 && calls.rows[0].label && !calls.rows[0].process,
	   "a function has a row for each rank");
	ok(imbalance.count == 1 && is_row(&imbalance.rows[0], 500, 1000, 1500, "1") &&
		   strcmp(imbalance.rows[0].name, "MPI_Barrier") == 0,
	   "calls are compared by their time");
	imbalance_free(&imbalance);
	calls_free(&calls);
	take_back(&given);
}

/* Two ranks are on one host. */
static void rows(void)
{
	struct profile_filter filter = { 0 };
	struct profile_rows rows;
	struct profile profile;
	struct calls calls;
	struct given given;
	struct err err;

	give(&given, recordings_ranks(), "host");
	if (profile_read(&profile, &given.reader, &filter, &err) ||
	    profile_rows_make_groups(&rows, &profile, &given.groups, &err) ||
	    calls_merge_groups(&calls, &given.reader, &given.groups, &err) ||
	    join_groups(&calls, &rows, &err))
		bail_out(err.text);
	ok(rows.count == 2 && strcmp(rows.rows[0].name, "node0") == 0 &&
		   rows.rows[0].self.samples == 4 && rows.rows[0].total.ns == 4000000,
	   "a row is the sum of its processes");
	ok(strcmp(rows.rows[1].name, "node1") == 0 && rows.rows[1].self.samples == 0,
	   "a host without samples has a row");
	ok(rows.joined && rows.rows[0].calls == 2 && rows.rows[0].calls_ns == 2000 &&
		   rows.rows[1].calls == 1 && rows.rows[1].calls_ns == 1000,
	   "the time in calls stands beside that of samples");
	calls_free(&calls);
	profile_rows_free(&rows);
	profile_free(&profile);
	take_back(&given);
}

/* A process without the label is not compared, but its samples have a row. */
static void without_label(void)
{
	static const uint64_t pcs[] = { 0x1010 };
	struct recording recording = recordings_ranks();
	uint64_t process = recordings_sampled_process(&recording);
	struct profile_filter filter = { 0 };
	struct imbalance imbalance;
	struct profile_rows rows;
	struct profile profile;
	struct given given;
	struct err err;

	recording_belongs(&recording, process, process);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, pcs, 1);
	recording_sample(recording_samples(&recording, 42, "main", 5, 4), 0, 9000000, 5);
	give(&given, recording, "rank");
	if (profile_read(&profile, &given.reader, &filter, &err) ||
	    imbalance_of_samples(&imbalance, &profile, &given.groups, &err) ||
	    profile_rows_make_groups(&rows, &profile, &given.groups, &err))
		bail_out(err.text);
	ok(is_row(&imbalance.whole, 0, 1333333, 3000000, "1"), "it is not compared");
	ok(rows.count == 4 && strcmp(rows.rows[3].name, "(none)") == 0 &&
		   rows.rows[3].self.ns == 9000000,
	   "it has a row of its own");
	profile_rows_free(&rows);
	imbalance_free(&imbalance);
	profile_free(&profile);
	take_back(&given);
}

int main(void)
{
	samples();
	calls();
	rows();
	without_label();
	return tap_done();
}
