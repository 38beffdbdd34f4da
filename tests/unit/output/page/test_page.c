/* SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "../../recordings.h"
#include "output/page/page.h"
#include "output/page/page_data.h"

#define BASE UINT64_C(0x10000)

/* Text that a page must not treat as markup. */
#define HOSTILE "</script><img src=x>"

/* Two threads, whose items alternate; and calls, of 10, 10 and 200 ticks. */
static struct recording small_recording(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;

	recording_spec(&recording, RECORD_CHOOSE, "*", 1);
	recording_mapped(&recording, 0, BASE, 0x1000, "/gone/prog", NULL);
	recording_sampler(&recording, 1000)->lost = 7;
	recording_object(&recording, 1, "/gone/libz.so.1", "libz.so.1");
	recording_function(&recording, 1, 1, HOSTILE, "");
	recording_thread(&recording, process, 42);
	recording_calls(&recording, 1, 0, (uint64_t[]){ 10, 10, 200 }, 3, 0);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + 0x20, BASE + 0x11 }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ BASE + 0x10 }, 1);
	samples = recording_samples(&recording, 42, "first", 1000, 2);
	recording_sample(samples, 0, 1000000, 1000 + 8192000);
	samples = recording_samples(&recording, 43, "<i>", 1000, 2);
	recording_sample(samples, 1, 3000000, 1000 + 2048000);
	samples = recording_samples(&recording, 42, "first", 1000, 2);
	recording_sample(samples, 1 | RECORD_SAMPLE_BLOCKED, 2000000, 1000 + 16384000);
	return recording;
}

/* A whole page, parsed. */
struct opened {
	struct recording recording;
	struct reader reader;
	struct profile profile;
	struct calls calls;
	struct calls_tree tree;
	struct page_source source;
};

static void open_all(struct opened *opened, struct recording recording)
{
	struct profile_filter filter = { .keep_samples = true };
	struct err err;

	opened->recording = recording;
	if (reader_open(&opened->reader, recording_file(&recording, recording.size), &err) ||
	    profile_read(&opened->profile, &opened->reader, &filter, &err) ||
	    calls_merge_sums(&opened->calls, &opened->reader, CALLS_BY_FUNCTION, NULL, &err) ||
	    calls_tree_make(&opened->tree, &opened->reader, 0, &err))
		bail_out(err.text);
	opened->source = (struct page_source){ .reader = &opened->reader,
					       .title = "x.data",
					       .profile = &opened->profile,
					       .calls = &opened->calls,
					       .tree = &opened->tree,
					       .has_calls = true };
}

static void close_all(struct opened *opened)
{
	calls_tree_free(&opened->tree);
	calls_free(&opened->calls);
	profile_free(&opened->profile);
	reader_close(&opened->reader);
	recording_free(&opened->recording);
}

/* Bytes that are read one number after the other. */
struct bytes {
	char *text;
	size_t size, at;
};

static uint64_t number(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0, byte;

	do {
		if (bytes->at == bytes->size)
			bail_out("the data ends too early");
		byte = (unsigned char)bytes->text[bytes->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static bool numbers_are(struct bytes *bytes, const uint64_t *wanted, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		uint64_t found = number(bytes);

		if (found != wanted[i])
			note("number %zu is %llu", i, (unsigned long long)found);
		all = all && found == wanted[i];
	}
	return all;
}

#define NUMBERS_ARE(bytes, ...)                                                                    \
	numbers_are(bytes, (const uint64_t[]){ __VA_ARGS__ },                                      \
		    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void check_head(const char *head)
{
	ok(strncmp(head, "{\"meta\":{\"command\":\"ls -l\"", 26) == 0, "a head in JSON");
	ok(strstr(head, "\"page_format\":1,\"title\":\"x.data\",\"nodes\":2,") != NULL,
	   "which says what there is");
	ok(strstr(head, "\"LOST: samples without room in the recording: 7, 0.0 ns\"") != NULL,
	   "and what the report says below its tables");
	ok(strstr(head, "{\"name\":\"prog+0x20\",\"symbol\":null,\"object\":\"prog\","
			"\"language\":null,\"line\":null}") != NULL,
	   "functions");
	ok(strstr(head, "{\"pid\":42,\"tid\":42,\"name\":\"first\",\"command\":\"prog -x\","
			"\"samples\":2,\"rank\":null}") != NULL,
	   "threads, with how many samples they have");
	ok(strstr(head, "\"name\":\"<i>\"") != NULL, "names as they are");
	ok(strstr(head, "\"symbol\":\"" HOSTILE "\"") != NULL && strstr(head, "\"calls\":3,"),
	   "calls");
}

static void data(void)
{
	struct opened opened;
	struct bytes bytes = { 0 };
	struct err err;
	FILE *out = open_memstream(&bytes.text, &bytes.size);
	size_t head_size;
	char *head;

	open_all(&opened, small_recording());
	if (page_data_write(&opened.source, out, &err) || fclose(out))
		bail_out(err.text);
	head_size = number(&bytes);
	head = strndup(bytes.text + bytes.at, head_size);
	bytes.at += head_size;
	check_head(head);
	ok(NUMBERS_ARE(&bytes, 0, 0), "a tree: the second node is below the first");
	ok(number(&bytes) != number(&bytes), "of two functions");
	/* 4096 and 8192 us, and then 1024 us in the other thread: 2 * 4096, 2 * 4096, and back by
	 * 7168, which is 2 * 7168 - 1. Times are rounded to 1024 ticks of half a nanosecond. */
	ok(NUMBERS_ARE(&bytes, 2 * 4096, 2 * 4096, 2 * 7168 - 1),
	   "samples: when, thread by thread");
	ok(NUMBERS_ARE(&bytes, 2, 1, 1), "where");
	ok(NUMBERS_ARE(&bytes, 2000000, 2000000, 2000000), "the time they stand for");
	ok(NUMBERS_ARE(&bytes, 0, 1, 0), "which were waiting");
	ok(NUMBERS_ARE(&bytes, 2, 10, 2), "calls: two bins, the first with two");
	/* 200 is in the octave from 128 on, whose bins are 4 wide. */
	ok(NUMBERS_ARE(&bytes, 96 + (200 - 128) / 4 - 10, 1), "and one further on");
	ok(number(&bytes) == bytes.size - bytes.at &&
		   strcmp(bytes.text + bytes.at,
			  "{\"meta\":{},\"lines\":[\n],\"instructions\":[\n]}\n") == 0,
	   "nothing from inside of functions whose file is gone, and nothing else");
	free(head);
	free(bytes.text);
	close_all(&opened);
}

static unsigned char digit_of(char digit)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return digit == '=' ? 0 : (unsigned char)(strchr(digits, digit) - digits);
}

/* Decodes base64 text in place; returns the number of bytes. */
static size_t decode(char *text, size_t size)
{
	size_t count = 0, fill = size && text[size - 1] == '=';

	fill += size > 1 && text[size - 2] == '=';
	for (size_t i = 0; i + 3 < size; i += 4) {
		uint32_t group = (uint32_t)digit_of(text[i]) << 18 |
				 (uint32_t)digit_of(text[i + 1]) << 12 |
				 (uint32_t)digit_of(text[i + 2]) << 6 | digit_of(text[i + 3]);

		text[count++] = (char)(group >> 16);
		text[count++] = (char)(group >> 8);
		text[count++] = (char)group;
	}
	return count - fill;
}

/* Returns whether the base64 text contains the data that would be written. */
static bool holds(char *text, const struct page_source *source)
{
	struct err err;
	char *wanted = NULL;
	size_t size, packed = decode(text, strlen(text));
	FILE *out = open_memstream(&wanted, &size);
	uLongf found_size;
	Bytef *found;
	bool same;

	if (page_data_write(source, out, &err) || fclose(out))
		bail_out(err.text);
	found_size = size + 1;
	found = malloc(found_size);
	same = found && uncompress(found, &found_size, (const Bytef *)text, packed) == Z_OK &&
	       found_size == size && memcmp(found, wanted, size) == 0;
	free(found);
	free(wanted);
	return same;
}

static char *page_of(const struct page_source *sources, size_t count, const char *html, int *status)
{
	struct page_template page = { html, strlen(html) };
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*status = page_write(&page, sources, count, out, &err);
	fclose(out);
	return text;
}

static void whole(void)
{
	static const char begin[] = "<b><script type=\"application/x-dwell\">",
			  end[] = "</script>\n";
	struct opened opened;
	char *page, *close;
	int status;

	open_all(&opened, small_recording());
	page = page_of(&opened.source, 1, "<b><!-- data --></b>", &status);
	close = strstr(page, end);
	ok(status == 0 && strncmp(page, begin, strlen(begin)) == 0,
	   "data is where the page wants it");
	ok(close && strcmp(close + strlen(end), "</b>") == 0,
	   "and ends there, whatever functions are called");
	if (close)
		*close = '\0';
	ok(close && holds(page + strlen(begin), &opened.source), "compressed, and whole");
	free(page);
	page = page_of((struct page_source[]){ opened.source, opened.source }, 2, "<!-- data -->",
		       &status);
	close = strstr(page, "</script>\n<script");
	ok(close != NULL, "two recordings are one behind the other");
	free(page);
	page = page_of(&opened.source, 1, "<b></b>", &status);
	ok(status == -EINVAL, "a page without a place for data is refused");
	free(page);
	close_all(&opened);
}

static void only_calls(void)
{
	struct opened opened;
	struct bytes bytes = { 0 };
	struct err err;
	FILE *out = open_memstream(&bytes.text, &bytes.size);

	open_all(&opened, small_recording());
	opened.source.profile = NULL;
	if (page_data_write(&opened.source, out, &err) || fclose(out))
		bail_out(err.text);
	bytes.at = number(&bytes) + bytes.at;
	ok(strstr(bytes.text, "\"nodes\":0,") && NUMBERS_ARE(&bytes, 2, 10, 2),
	   "without samples, there is nothing between the head and the calls");
	free(bytes.text);
	close_all(&opened);
}

static void tree_of_calls(void)
{
	struct opened opened;
	struct bytes bytes = { 0 };
	struct err err;
	FILE *out = open_memstream(&bytes.text, &bytes.size);

	open_all(&opened, recordings_tree());
	opened.source.profile = NULL;
	if (page_data_write(&opened.source, out, &err) || fclose(out))
		bail_out(err.text);
	ok(strstr(bytes.text, "\"calls_tree\":[\n{\"depth\":0,\"name\":\"run\",") &&
		   strstr(bytes.text, "{\"depth\":1,\"name\":\"shapes::parse()\","),
	   "the whole tree of calls");
	free(bytes.text);
	close_all(&opened);
}

static void large_numbers(void)
{
	struct bytes bytes = { 0 };
	FILE *out = open_memstream(&bytes.text, &bytes.size);

	page_data_number(127, out);
	page_data_number(128, out);
	page_data_number(UINT64_MAX, out);
	fclose(out);
	ok(bytes.size == 1 + 2 + 10 && NUMBERS_ARE(&bytes, 127, 128, UINT64_MAX),
	   "numbers take as many bytes as they need");
	free(bytes.text);
}

int main(void)
{
	data();
	whole();
	only_calls();
	tree_of_calls();
	large_numbers();
	return tap_done();
}
