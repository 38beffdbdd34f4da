/* SPDX-License-Identifier: MIT */
#include "../../recording.h"
#include "model/calls/calls_sort.h"
#include "output/report/calls_summary.h"
#include "output/report/calls_table.h"

static const uint64_t durations[] = { 2000, 4000 };

static struct recording small_recording(uint32_t flags)
{
	struct recording recording = recording_new(flags);
	struct record_calls *calls;
	uint64_t process;

	recording_spec(&recording, RECORD_CHOOSE, "*", 1);
	recording_spec(&recording, RECORD_EXCLUDE, "never", 0);
	process = recording_process(&recording, 42, 0);
	recording_object(&recording, 0, "/usr/bin/prog", "");
	recording_object(&recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 1, "inflate", "ZLIB_1.2");
	recording_function(&recording, 1, 1, "setjmp", "");
	recording_thread(&recording, process, 43);
	calls = recording_calls(&recording, 0, 0, durations, 2, 0);
	calls->calls += 1235;
	calls->escaped = 1234;
	recording_counts(&recording, 1, RECORD_NO_CALLER, 7);
	return recording;
}

/* Returns the table and the summary as written; free with free(). */
static char *written(struct recording *recording, enum calls_by by, enum table_format format)
{
	struct table table;
	struct reader reader;
	struct calls calls;
	struct err err;
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (reader_open(&reader, recording_file(recording, recording->size), &err) ||
	    calls_merge(&calls, &reader, by, &err))
		bail_out(err.text);
	calls_sort(&calls, NULL);
	if (calls_table_make(&table, &calls, 10, format == TABLE_TEXT, &err) ||
	    (format != TABLE_TEXT && calls_summary_add_meta(&table, &reader, &calls, &err)))
		bail_out(err.text);
	table_write(&table, format, out);
	if (format == TABLE_TEXT)
		calls_summary_write(&reader, &calls, out);
	fclose(out);
	table_fini(&table);
	calls_free(&calls);
	reader_close(&reader);
	return text;
}

static void has(uint32_t flags, enum calls_by by, enum table_format format, const char *words,
		const char *what)
{
	struct recording recording = small_recording(flags);
	char *text = written(&recording, by, format);

	if (!ok(strstr(text, words), "%s", what))
		note("%s", text);
	free(text);
	recording_free(&recording);
}

static void for_people(void)
{
	has(0, CALLS_BY_FUNCTION, TABLE_TEXT,
	    "calls    total     self     mean      p50      p99      max   share  escaped  untimed"
	    "  function  library\n"
	    "1,237  3.00 us  3.00 us  1.50 us  1.00 us  2.00 us  2.00 us  100.0%    1,234        0"
	    "  inflate   libz.so.1\n"
	    "    7                                                                      0        7"
	    "  setjmp    libz.so.1\n",
	    "text: units, only columns that say something, nothing where there is no time");
	has(0, CALLS_BY_FUNCTION, TABLE_TEXT,
	    "ls -l: exit status 0, 1.00 ms, 1 process, 1 thread\n"
	    "1,244 calls of 2 functions; chosen: 2 functions; seen: 2 objects\n"
	    "overhead: at least 18.6 us (1.9% of the run), already subtracted above\n"
	    "calls in progress at the end, without times: 1\n",
	    "and a summary");
	has(RECORD_COUNT_ONLY, CALLS_BY_FUNCTION, TABLE_TEXT, "calls  escaped  function  library\n",
	    "text: --count has no times");
	has(RECORD_SAMPLE_TIMING, CALLS_BY_FUNCTION, TABLE_TEXT, "mean      +-      p50",
	    "text: sampled times have an error");
	has(RECORD_BY_CALLER, CALLS_BY_CALLER, TABLE_TEXT, "inflate   libz.so.1  prog\n",
	    "text: by caller");
	has(0, CALLS_BY_THREAD, TABLE_TEXT, "  42   43  inflate", "text: by thread");
	has(0, CALLS_BY_PROCESS, TABLE_TEXT, "  42  inflate   libz.so.1  prog -x\n",
	    "text: by process");
}

static void for_programs(void)
{
	has(0, CALLS_BY_FUNCTION, TABLE_JSON,
	    "\n{\"name\":\"inflate\",\"symbol\":\"inflate\",\"version\":\"ZLIB_1.2\","
	    "\"object\":\"libz.so.1\",\"calls\":1237,\"returned\":2,\"escaped\":1234,"
	    "\"abandoned\":0,\"untimed\":0,\"running\":1,\"total_ns\":3000,\"self_ns\":3000,"
	    "\"min_ns\":1000,\"max_ns\":2000,\"mean_ns\":1500.0,\"p50_ns\":1000,"
	    "\"p90_ns\":2000,\"p99_ns\":2000,\"cpu_ns\":3000,\"waiting\":0,\"watched\":0},\n",
	    "json: a row");
	has(0, CALLS_BY_FUNCTION, TABLE_JSON,
	    "\"untimed\":7,\"running\":0,\"total_ns\":null,\"self_ns\":null,\"min_ns\":null,"
	    "\"max_ns\":null,\"mean_ns\":null,\"p50_ns\":null,\"p90_ns\":null,\"p99_ns\":null,"
	    "\"cpu_ns\":null,\"waiting\":null,\"watched\":0}",
	    "json: a row without times");
	has(0, CALLS_BY_FUNCTION, TABLE_JSON,
	    "{\"meta\":{\"command\":\"ls -l\",\"exit_status\":0,\"signal\":null,"
	    "\"wall_ns\":1000000,",
	    "json: what ran");
	has(0, CALLS_BY_FUNCTION, TABLE_JSON,
	    "\"clock\":\"ticks\",\"lost_processes\":0,\"lost_programs\":0,\"processes\":1,"
	    "\"threads\":1,\"objects\":2,"
	    "\"functions_chosen\":2,\"functions_refused\":0,\"functions_called\":2,\"calls\":1244,"
	    "\"overhead_ns\":18555,"
	    "\"bindings\":0,"
	    "\"lost\":0,\"lost_threads\":0,\"lost_calls\":0,\"lost_functions\":0,"
	    "\"lost_callers\":0,\"unread_scripts\":0,\"unnamed\":0,"
	    "\"damaged\":0,\"missing\":0,\"unmatched\":[\"never\"]}",
	    "json: and what is to be said of it");
	has(RECORD_SAMPLE_TIMING, CALLS_BY_FUNCTION, TABLE_JSON,
	    "\"timed\":2,\"stderr_ns\":", "json: sampled times have an error");
	has(0, CALLS_BY_THREAD, TABLE_JSON, "\"pid\":42,\"tid\":43,\"calls\"", "json: by thread");
	has(0, CALLS_BY_PROCESS, TABLE_JSON, "\"pid\":42,\"command\":\"prog -x\",\"calls\"",
	    "json: by process");
	has(0, CALLS_BY_CALLER, TABLE_CSV, "\nsetjmp,setjmp,,libz.so.1,,,7,0,0,0,7,0,,,,,,,,,,,0\n",
	    "csv: a caller that is not known, times that are not there");
}

/* Adds a caller that is a function, and a call that has waited. */
static void detailed(void)
{
	static const uint64_t waited[] = { 200000 };
	struct recording recording = recording_new(RECORD_BY_CALLER | RECORD_BY_SITE);
	uint64_t process = recording_process(&recording, 42, 0);
	char *text;

	recording_object(&recording, 0, "/nowhere/prog", "");
	recording_object(&recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 1, "inflate", "");
	recording_caller(&recording, 0, 0, 0x1235);
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_CALLER_BIT, waited, 1, 0)->last = UINT64_MAX;
	recording_waits(&recording, 0, RECORD_CALLER_BIT,
			(const uint64_t[]){ 200000, 200000, 25000 });
	text = written(&recording, CALLS_BY_CALLER, TABLE_TEXT);
	if (!ok(strstr(text, "calls   total  waiting") && strstr(text, "   75.0%"),
		"text: the share of waiting, where a call was long"))
		note("%s", text);
	ok(strstr(text, "inflate   libz.so.1  prog+0x1234  prog\n"),
	   "text: a calling function and its object");
	free(text);
	recording_free(&recording);
}

static void joined(const char *arguments, size_t size, const char *expected)
{
	char text[64];

	calls_table_join(text, arguments, size);
	ok(strcmp(text, expected) == 0, "arguments: '%s' ('%s')", expected, text);
}

int main(void)
{
	for_people();
	for_programs();
	detailed();
	joined("", 0, "");
	joined("ls", 3, "ls");
	joined("ls\0-l\0a b", 10, "ls -l a b");
	joined("ls\0-l\0\0", 8, "ls -l");
	joined("cut", 3, "cu");
	return tap_done();
}
