/* SPDX-License-Identifier: MIT */
#include "../../recording.h"
#include "model/profile/call_tree.h"
#include "model/profile/join.h"
#include "output/report/calls_table.h"
#include "output/report/run_summary.h"
#include "output/report/samples_summary.h"
#include "output/report/samples_table.h"
#include "output/report/tree_table.h"

#define BASE UINT64_C(0x10000)

/* Two objects that do not exist, so that all names are addresses. */
static struct recording small_recording(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_sampler *sampler;
	struct record_samples *samples;

	recording_mapped(&recording, 0, BASE, 0x1000, "/gone/prog", NULL);
	recording_mapped(&recording, 0, 2 * BASE, 0x1000, "/gone/libfoo.so.1", NULL);
	sampler = recording_sampler(&recording, 1000);
	sampler->lost = 2;
	sampler->lost_ns = 2000000;
	sampler->slowest = 3;
	sampler->slowed_ns = 1000000;
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ 2 * BASE + 0x34, BASE + 0x13 }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ BASE + 0x12 }, 1)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_BROKEN);
	samples = recording_samples(&recording, 43, "worker", 1000, 8);
	for (int i = 0; i < 3; i++)
		recording_sample(samples, 0, 1000000, 1000);
	recording_sample(samples, 1, 1000000, 1000);
	return recording;
}

enum shape { FLAT, TREE };

static int make_table(struct table *table, const struct samples_source *source,
		      const struct call_tree *tree, enum shape shape, bool human, struct err *err)
{
	if (shape == TREE)
		return tree_table_make(table, source->profile, tree, 10, human, err);
	return samples_table_make(table, source, human, err);
}

/* Returns the table as written; free with free(). */
static char *written(struct recording *recording, enum profile_by by, enum shape shape,
		     enum table_format format)
{
	struct profile_filter filter = { 0 };
	struct table table;
	struct reader reader;
	struct profile profile;
	struct profile_rows rows;
	struct call_tree tree;
	struct samples_source source = { .profile = &profile, .rows = &rows, .limit = 10 };
	struct err err;
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (reader_open(&reader, recording_file(recording, recording->size), &err) ||
	    profile_read(&profile, &reader, &filter, &err) ||
	    profile_rows_make(&rows, &profile, by, &err) ||
	    call_tree_make(&tree, &profile, CALL_TREE_DOWN, 0, &err) ||
	    make_table(&table, &source, &tree, shape, format == TABLE_TEXT, &err))
		bail_out(err.text);
	if (format != TABLE_TEXT && samples_summary_add_meta(&table, &profile, &err))
		bail_out(err.text);
	table_write(&table, format, out);
	if (format == TABLE_TEXT && samples_summary_write(&reader, &profile, out, &err))
		bail_out(err.text);
	fclose(out);
	table_fini(&table);
	call_tree_free(&tree);
	profile_rows_free(&rows);
	profile_free(&profile);
	reader_close(&reader);
	return text;
}

static void has(enum profile_by by, enum shape shape, enum table_format format, const char *words,
		const char *what)
{
	struct recording recording = small_recording();
	char *text = written(&recording, by, shape, format);

	if (!ok(strstr(text, words), "%s", what))
		note("%s", text);
	free(text);
	recording_free(&recording);
}

static void for_people(void)
{
	has(PROFILE_BY_FUNCTION, FLAT, TABLE_TEXT,
	    "   self    total  samples  share  function          object\n", "text: columns");
	has(PROFILE_BY_FUNCTION, FLAT, TABLE_TEXT,
	    "3.00 ms  3.00 ms        3  75.0%  libfoo.so.1+0x34  libfoo.so.1\n", "text: a row");
	has(PROFILE_BY_FUNCTION, FLAT, TABLE_TEXT,
	    "1.00 ms  4.00 ms        1  25.0%  prog+0x12         prog\n",
	    "text: a caller is where the call is");
	has(PROFILE_BY_FUNCTION, FLAT, TABLE_TEXT,
	    "ls -l: exit status 0, 1.00 ms, 1 process, 1 thread\n"
	    "4 samples, 4.00 ms of CPU time; clock timer, 1,000 Hz requested, 1,000 achieved\n"
	    "the rate was lowered for 25.0% of the time, to 125 Hz at the lowest, because samples "
	    "took too long\n"
	    "25.0% of the time is in stacks that are incomplete\n"
	    "incomplete stacks end in prog (25.0%)\n"
	    "LOST: samples without room in the recording: 2, 2.00 ms\n"
	    "100.0% of the time in libfoo.so.1, 75.0% of all, has no names: /gone/libfoo.so.1 is "
	    "missing or cannot be read\n",
	    "and a summary");
	has(PROFILE_BY_LINE, FLAT, TABLE_JSON,
	    "\"object\":\"prog\",\"file\":null,\"line\":null,\"self\":1,\"total\":4",
	    "by line, where none is known");
	has(PROFILE_BY_OBJECT, FLAT, TABLE_TEXT, "1.00 ms  4.00 ms        1  25.0%  prog\n",
	    "text: by object");
	has(PROFILE_BY_THREAD, FLAT, TABLE_TEXT, "4.00 ms        4  100.0%   42   43  worker\n",
	    "text: by thread");
	has(PROFILE_BY_PROCESS, FLAT, TABLE_TEXT, "4.00 ms        4  100.0%   42  prog -x\n",
	    "text: by process");
	has(PROFILE_BY_FUNCTION, TREE, TABLE_TEXT,
	    "  total   share     self  function            object\n"
	    "4.00 ms  100.0%  1.00 ms  prog+0x12           prog\n"
	    "3.00 ms   75.0%  3.00 ms    libfoo.so.1+0x34  libfoo.so.1\n",
	    "text: a tree");
}

static void for_programs(void)
{
	has(PROFILE_BY_FUNCTION, FLAT, TABLE_JSON,
	    "{\"name\":\"libfoo.so.1+0x34\",\"symbol\":null,\"object\":\"libfoo.so.1\",\"self\":3,"
	    "\"total\":3,\"self_ns\":3000000,\"total_ns\":3000000}",
	    "json: a row");
	has(PROFILE_BY_FUNCTION, FLAT, TABLE_JSON,
	    "{\"meta\":{\"sample_clock\":\"timer\",\"sample_time\":\"cpu\","
	    "\"rate_lowest\":125.0,\"rate_achieved\":1000.0,\"rate_asked\":1000,\"samples\":4,",
	    "json: how samples were taken");
	has(PROFILE_BY_THREAD, FLAT, TABLE_CSV,
	    "name,pid,tid,self,total,self_ns,total_ns\nworker,42,43,4,4,4000000,4000000\n",
	    "csv: by thread");
	has(PROFILE_BY_FUNCTION, TREE, TABLE_JSON,
	    "\n{\"depth\":1,\"name\":\"libfoo.so.1+0x34\",\"symbol\":null,", "json: a tree");
}

/* Returns both tables of a recording that contains calls of the function with most samples. */
static char *written_joined(enum table_format format)
{
	static const uint64_t durations[] = { 2000, 4000 };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct profile_filter filter = { 0 };
	struct record_samples *samples;
	struct table samples_table, calls_table;
	struct reader reader;
	struct profile profile;
	struct profile_rows rows;
	struct calls calls;
	struct samples_source source = { .profile = &profile, .rows = &rows, .limit = 10 };
	bool human = format == TABLE_TEXT;
	struct err err;
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	recording_mapped(&recording, 0, BASE, 0x1000, "/gone/prog", NULL);
	recording_sampler(&recording, 1000);
	recording_object(&recording, 0, "/gone/prog", "")->bias = BASE;
	recording_function(&recording, 0, 0, "work", "")->address = 0x34;
	recording_function(&recording, 1, 0, "rest", "")->address = 0x56;
	recording_thread(&recording, process, 42);
	recording_calls(&recording, 0, RECORD_NO_CALLER, durations, 2, 0);
	recording_calls(&recording, 1, RECORD_NO_CALLER, durations, 1, 0);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + 0x34 }, 1);
	recording_stack(&recording, 1, (uint64_t[]){ BASE + 0x12 }, 1);
	samples = recording_samples(&recording, 42, "prog", 1000, 8);
	recording_sample(samples, 0, 1000000, 1000);
	recording_sample(samples, 1, 1000000, 1000);
	if (reader_open(&reader, recording_file(&recording, recording.size), &err) ||
	    calls_merge(&calls, &reader, CALLS_BY_FUNCTION, &err) ||
	    profile_read(&profile, &reader, &filter, &err) ||
	    profile_rows_make(&rows, &profile, PROFILE_BY_FUNCTION, &err) ||
	    join_calls_and_samples(&calls, &rows, &profile, &reader, &err) ||
	    make_table(&samples_table, &source, NULL, FLAT, human, &err) ||
	    calls_table_make(&calls_table, &calls, 10, human, &err))
		bail_out(err.text);
	table_write(&samples_table, format, out);
	table_write(&calls_table, format, out);
	fclose(out);
	table_fini(&samples_table);
	table_fini(&calls_table);
	calls_free(&calls);
	profile_rows_free(&rows);
	profile_free(&profile);
	reader_close(&reader);
	recording_free(&recording);
	return text;
}

static void has_joined(enum table_format format, const char *words, const char *what)
{
	char *text = written_joined(format);

	if (!ok(strstr(text, words), "%s", what))
		note("%s", text);
	free(text);
}

static void joined(void)
{
	has_joined(TABLE_TEXT,
		   "   self  samples  share  calls     mean  function   object\n"
		   "1.00 ms        1  50.0%      2  1.50 us  prog+0x34  prog\n"
		   "1.00 ms        1  50.0%                  prog+0x12  prog\n",
		   "text: samples with their calls");
	has_joined(TABLE_TEXT, "calls    total     self  sampled     mean ",
		   "text: calls with their samples");
	has_joined(TABLE_TEXT, "\n    2  3.00 us  3.00 us  1.00 ms  1.50 us ",
		   "text: where there are any");
	has_joined(TABLE_TEXT, "\n    1  1.00 us  1.00 us           1.00 us ",
		   "text: and where not");
	has_joined(TABLE_JSON,
		   "\"self_ns\":1000000,\"total_ns\":1000000,\"calls\":2,\"mean_ns\":1500.0}",
		   "json: samples with their calls");
	has_joined(TABLE_JSON, "\"total_ns\":1000000,\"calls\":null,\"mean_ns\":null}",
		   "json: null where there are none");
	has_joined(TABLE_JSON, "\"sampled_self_ns\":1000000}", "json: calls with their samples");
	has_joined(TABLE_JSON, "\"sampled_self_ns\":null}", "json: null where there are none");
}

/*
 * Returns a recording of incomplete stacks, most of the time because of `first`, which is not an
 * ELF file.
 */
static struct recording broken_recording(const char *first)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;

	recording_mapped(&recording, 0, BASE, 0x1000, "/gone/prog", NULL);
	recording_mapped(&recording, 0, 2 * BASE, 0x1000, first, NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + 0x12 }, 1)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_BROKEN);
	recording_stack(&recording, 1, (uint64_t[]){ 2 * BASE + 0x34 }, 1)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_BROKEN);
	recording_stack(&recording, 2, (uint64_t[]){ BASE + 0x56 }, 1);
	samples = recording_samples(&recording, 43, "worker", 1000, 8);
	/* `first` has fewer samples, which stand for more time. */
	for (int i = 0; i < 4; i++)
		recording_sample(samples, i ? 0 : 1, i ? 1000000 : 9000000, 1000);
	recording_sample(samples, 2, 3000000, 1000);
	return recording;
}

static void has_broken(enum table_format format, const char *words, const char *what)
{
	char path[] = "/tmp/dwell-unit.XXXXXX", wanted[256];
	int fd = mkstemp(path);
	struct recording recording = broken_recording(path);
	char *text;

	if (fd < 0 || write(fd, "LISP image", 10) != 10)
		bail_out("there is no file to write");
	close(fd);
	text = written(&recording, PROFILE_BY_FUNCTION, FLAT, format);
	snprintf(wanted, sizeof(wanted), words, strrchr(path, '/') + 1);
	if (!ok(strstr(text, wanted), "%s", what))
		note("%s", text);
	free(text);
	recording_free(&recording);
	unlink(path);
}

static void broken(void)
{
	has_broken(TABLE_TEXT, "\nincomplete stacks end in %s (60.0%%), prog (20.0%%)\n",
		   "text: which code ends stacks, the most of them first");
	has_broken(TABLE_JSON, "\"samples_broken_in\":[\"%s\",\"prog\"]", "json: the same");
	has_broken(TABLE_TEXT, "%s is not a valid ELF file\n", "text: a file that is not ELF");
}

int main(void)
{
	for_people();
	for_programs();
	joined();
	broken();
	return tap_done();
}
