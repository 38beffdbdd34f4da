/* SPDX-License-Identifier: MIT
 *
 * test_join.c LIBRARY INLINED - calls and samples of the functions of tests/prog/profile_library,
 * and of tests/prog/inlined.
 */
#include "../../elf_symbols.h"
#include "../../inlined_profile.h"
#include "../../recording.h"
#include "model/profile/join.h"

/* Addresses of the library, and of another file. */
#define BASE  UINT64_C(0x7f0000000000)
#define OTHER UINT64_C(0x7f1000000000)
#define SIZE  UINT64_C(0x100000)

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *library;

/* A function of the library, by address and by offset in its file. */
struct spot {
	uint64_t address, offset;
};

static struct spot alpha, beta, gamma_;

static struct spot find(const char *name)
{
	return (struct spot){ elf_symbol_address(library, name), elf_symbol_offset(library, name) };
}

/* Adds a counted function: its place, its name, and the durations of its calls, in ticks of half a
 * nanosecond. */
static void count(struct recording *recording, uint32_t id, uint32_t object, struct spot at,
		  const char *symbol, const char *version)
{
	recording_function(recording, id, object, symbol, version)->address = at.address;
}

/* Adds the library, with its bias at BASE, as object 0. */
static uint64_t begin(struct recording *recording)
{
	uint64_t process = recording_process(recording, 42, 0);

	recording_mapped(recording, 0, BASE, SIZE, library, NULL);
	recording_mapped(recording, 0, OTHER, SIZE, "/gone/libother.so", NULL);
	recording_sampler(recording, 1000);
	recording_object(recording, 0, library, "libsoname.so.1")->bias =
		BASE + alpha.offset - alpha.address;
	recording_object(recording, 1, "/gone/libother.so", "")->bias =
		OTHER + alpha.offset - alpha.address;
	return process;
}

/* Adds three samples in alpha, which beta has called, and one in beta. */
static void sample(struct recording *recording)
{
	struct record_samples *samples;

	recording_stack(recording, 0, (uint64_t[]){ BASE + alpha.offset, BASE + beta.offset + 1 },
			2);
	recording_stack(recording, 1, (uint64_t[]){ BASE + beta.offset }, 1);
	samples = recording_samples(recording, 42, "prog", 1000, 8);
	for (int i = 0; i < 3; i++)
		recording_sample(samples, 0, 1000000, 1000);
	recording_sample(samples, 1, 1000000, 1000);
}

/* A recording, and its contents. */
struct joined {
	struct reader reader;
	struct profile profile;
	struct profile_rows rows;
	struct calls calls;
};

static void join(struct joined *joined, struct recording *recording, enum calls_by calls_by,
		 enum profile_by by)
{
	static struct profile_filter all;
	struct err err;

	if (reader_open(&joined->reader, recording_file(recording, recording->size), &err) ||
	    calls_merge(&joined->calls, &joined->reader, calls_by, &err) ||
	    profile_read(&joined->profile, &joined->reader, &all, &err) ||
	    profile_rows_make(&joined->rows, &joined->profile, by, &err) ||
	    join_calls_and_samples(&joined->calls, &joined->rows, &joined->profile, &joined->reader,
				   &err))
		bail_out(err.text);
}

static void joined_free(struct joined *joined)
{
	profile_rows_free(&joined->rows);
	profile_free(&joined->profile);
	calls_free(&joined->calls);
	reader_close(&joined->reader);
}

static void has_calls(const struct joined *joined, const char *name, uint64_t calls, double mean_ns,
		      const char *what)
{
	const struct profile_row *row = NULL;

	for (size_t i = 0; i < joined->rows.count; i++)
		if (strcmp(joined->rows.rows[i].name, name) == 0)
			row = &joined->rows.rows[i];
	if (!ok(row && row->calls == calls && row->mean_ns == mean_ns, "%s", what))
		note("%s: %llu calls, mean %g", name, row ? (unsigned long long)row->calls : 0,
		     row ? row->mean_ns : 0);
}

static void has_samples(const struct joined *joined, const char *symbol, const char *version,
			double ns, const char *what)
{
	const struct calls_row *row = NULL;

	for (size_t i = 0; i < joined->calls.count; i++) {
		const struct calls_row *each = &joined->calls.rows[i];

		if (strcmp(each->symbol, symbol) == 0 &&
		    strcmp(each->version ? each->version : "", version) == 0)
			row = each;
	}
	if (!ok(row && row->sampled_ns == ns, "%s", what))
		note("%s: %g ns", symbol, row ? row->sampled_ns : -2);
}

static void one_process(void)
{
	static const uint64_t short_[] = { 2000, 4000 }, long_[] = { 12000 };
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording);
	struct joined joined;

	count(&recording, 0, 0, alpha, "another_name", "V_1");
	count(&recording, 1, 0, alpha, "another_name", "V_2");
	count(&recording, 2, 0, beta, "beta", "");
	count(&recording, 3, 0, gamma_, "gamma_", "");
	count(&recording, 4, 1, alpha, "alpha", "");
	count(&recording, 5, 7, alpha, "of_no_object", "");
	count(&recording, 6, 0, (struct spot){ .address = UINT64_MAX / 2 }, "nowhere", "");
	recording_thread(&recording, process, 42);
	recording_calls(&recording, 0, RECORD_NO_CALLER, short_, LENGTH(short_), 0);
	recording_calls(&recording, 1, RECORD_NO_CALLER, long_, LENGTH(long_), 0);
	recording_counts(&recording, 2, RECORD_NO_CALLER, 7);
	for (uint32_t id = 3; id <= 6; id++)
		recording_calls(&recording, id, RECORD_NO_CALLER, long_, LENGTH(long_), 0);
	sample(&recording);
	join(&joined, &recording, CALLS_BY_FUNCTION, PROFILE_BY_FUNCTION);
	ok(joined.calls.joined && joined.rows.joined, "both know that they are joined");
	has_calls(&joined, "alpha", 3, 3000,
		  "the calls of all names, and their mean, 1, 2 and 6 us");
	has_samples(&joined, "another_name", "V_1", 3000000, "each name has the samples");
	has_samples(&joined, "another_name", "V_2", 3000000, "the other one too");
	has_calls(&joined, "beta", 7, -1, "calls that were only counted have no mean");
	has_samples(&joined, "beta", "", 1000000, "self time, and not that of callees");
	has_samples(&joined, "gamma_", "", -1, "a function that no sample was in");
	has_samples(&joined, "alpha", "", -1, "one of the same name and address in another file");
	has_samples(&joined, "of_no_object", "", -1, "one whose object the recording lacks");
	has_samples(&joined, "nowhere", "", -1, "one where nothing is mapped");
	joined_free(&joined);
	join(&joined, &recording, CALLS_BY_FUNCTION, PROFILE_BY_OBJECT);
	ok(joined.calls.joined && !joined.rows.joined, "rows of objects have no calls");
	has_samples(&joined, "beta", "", 1000000, "and functions still have samples");
	joined_free(&joined);
	join(&joined, &recording, CALLS_BY_THREAD, PROFILE_BY_FUNCTION);
	ok(!joined.calls.joined && !joined.rows.joined, "calls by thread are not joined");
	joined_free(&joined);
	recording_free(&recording);
}

/* Both count the same function, one under another number. */
static void two_processes(void)
{
	static const uint64_t durations[] = { 2000 };
	struct recording recording = recording_new(0);
	uint64_t parent = begin(&recording), child;
	struct joined joined;

	count(&recording, 0, 0, alpha, "alpha", "");
	recording_thread(&recording, parent, 42);
	recording_calls(&recording, 0, RECORD_NO_CALLER, durations, LENGTH(durations), 0);
	sample(&recording);
	child = recording_process(&recording, 43, parent);
	count(&recording, 9, 0, alpha, "alpha", "");
	recording_thread(&recording, child, 43);
	recording_calls(&recording, 9, RECORD_NO_CALLER, durations, LENGTH(durations), 0);
	join(&joined, &recording, CALLS_BY_FUNCTION, PROFILE_BY_FUNCTION);
	has_calls(&joined, "alpha", 2, 1000, "calls of a child count once");
	has_samples(&joined, "alpha", "", 3000000, "and so do samples");
	joined_free(&joined);
	recording_free(&recording);
}

/* A library that was replaced while one process had the old one. */
static void two_builds(void)
{
	static const uint64_t durations[] = { 2000 };
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording);
	struct joined joined;

	recording_thread(&recording, process, 42);
	sample(&recording);
	process = recording_process(&recording, 43, 0);
	recording_mapped(&recording, 0, BASE, SIZE, library, (const uint8_t[20]){ 1, 2, 3 });
	recording_object(&recording, 0, library, "libsoname.so.1")->bias =
		BASE + alpha.offset - alpha.address;
	count(&recording, 0, 0, alpha, "alpha", "");
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_NO_CALLER, durations, LENGTH(durations), 0);
	join(&joined, &recording, CALLS_BY_FUNCTION, PROFILE_BY_FUNCTION);
	has_samples(&joined, "alpha", "", -1, "calls in one build do not get samples of another");
	joined_free(&joined);
	recording_free(&recording);
}

/* Samples in leaf(), which is inlined in middle() and that in outer(), count as self time of a
 * call of outer(). */
static void inlined(const char *path)
{
	const uint64_t process = 2 * RECORD_GRAIN, thread = 3 * RECORD_GRAIN;
	struct spot outer = { elf_symbol_address(path, "outer"), elf_symbol_offset(path, "outer") };
	struct recording recording;
	struct joined joined;

	inlined_record(&recording, path);
	recording_segment(&recording, RECORD_NAMES, process, 1, NULL, 0);
	recording_object(&recording, 0, path, "")->bias =
		INLINED_BASE + outer.offset - outer.address;
	count(&recording, 0, 0, outer, "outer", "");
	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	recording_counts(&recording, 0, RECORD_NO_CALLER, 3);
	join(&joined, &recording, CALLS_BY_FUNCTION, PROFILE_BY_FUNCTION);
	has_samples(&joined, "outer", "", 160, "inlined functions are part of the call");
	joined_free(&joined);
	recording_free(&recording);
}

int main(int argc, char **argv)
{
	char *path = argc > 2 ? realpath(argv[2], NULL) : NULL;

	if (!path)
		bail_out("usage: test_join LIBRARY INLINED");
	library = realpath(argv[1], NULL);
	alpha = find("alpha");
	beta = find("beta");
	gamma_ = find("gamma_");
	one_process();
	two_processes();
	two_builds();
	inlined(path);
	free(path);
	return tap_done();
}
