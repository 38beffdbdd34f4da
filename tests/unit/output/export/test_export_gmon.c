/* SPDX-License-Identifier: MIT
 *
 * test_export_gmon.c LIBRARY - gmon.out of samples in tests/prog/profile_library: the data written
 * is read again unchanged; and the functions of other histograms.
 */
#include <math.h>

#include "../../elf_symbols.h"
#include "../../gmon_file.h"
#include "exported.h"
#include "model/profile/gmon_profile.h"

#define BASE UINT64_C(0x7f0000000000)

static const char *library;

static uint64_t address_of(const char *name)
{
	return elf_symbol_address(library, name);
}

static uint64_t place_of(const char *name)
{
	return BASE + elf_symbol_offset(library, name);
}

static const struct gmon_row *row_of(const struct gmon_profile *profile, const char *name)
{
	static const struct gmon_row none = { 0 };

	for (size_t i = 0; i < profile->count; i++)
		if (strcmp(profile->rows[i].name, name) == 0)
			return &profile->rows[i];
	return &none;
}

static bool has_call(const struct gmon_profile *profile, const char *caller, const char *callee,
		     uint64_t count)
{
	for (size_t i = 0; i < profile->call_count; i++)
		if (strcmp(profile->rows[profile->calls[i].caller].name, caller) == 0 &&
		    strcmp(profile->rows[profile->calls[i].callee].name, callee) == 0)
			return profile->calls[i].count == count;
	return false;
}

/* Three stacks; one address has more samples than a counter can count. */
static struct recording small_recording(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;

	recording_mapped(&recording, 0, PROG, 0x1000, "/gone/prog", NULL);
	recording_mapped(&recording, 0, BASE, 0x100000, library, NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0,
			(uint64_t[]){ place_of("alpha"), place_of("beta") + 2, PROG + 0x13 }, 3);
	recording_stack(&recording, 1, (uint64_t[]){ place_of("beta") + 1 }, 1);
	recording_stack(&recording, 2, (uint64_t[]){ PROG + 0x12, place_of("beta") + 2 }, 2);
	samples = recording_samples(&recording, 42, "main", 1000, 16);
	for (int i = 0; i < 3; i++)
		recording_sample(samples, 0, 60000000, 2000);
	recording_sample(samples, 1, 2000000, 2000);
	recording_sample(samples, 2, 1000000, 2000);
	return recording;
}

static void make_large(struct profile *profile)
{
	profile->stacks[0].amount.ns = UINT64_C(100000) * 1000000;
}

static struct gmon_profile profile_of(const struct gmon *gmon)
{
	struct gmon_profile profile;
	struct err err;

	if (gmon_profile_make(&profile, gmon, library, false, &err))
		bail_out(err.text);
	return profile;
}

static void round_trip(void)
{
	const char *slash = strrchr(library, '/');
	struct recording recording = small_recording();
	struct gmon_profile profile;
	struct gmon gmon;
	struct err err;
	size_t size;
	char *bytes = exported(&recording, "gmon", (struct export_source){ .object = slash + 1 },
			       make_large, &size);
	int fd = memfd_create("gmon", MFD_CLOEXEC);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) != (ssize_t)size || gmon_open(&gmon, path, &err))
		bail_out("the written file cannot be read");
	ok(gmon.histogram_count == 2 && gmon.histograms[0].low == gmon.histograms[1].low &&
		   gmon.histograms[0].high == gmon.histograms[1].high,
	   "more than a counter can count is in a second histogram of the same text");
	profile = profile_of(&gmon);
	ok(llround(row_of(&profile, "alpha")->samples) == 100000 &&
		   llround(row_of(&profile, "beta")->samples) == 2 && profile.rate == 1000,
	   "functions have the time that was sampled, in ticks");
	ok(has_call(&profile, "beta", "alpha", 3) && profile.call_count == 1,
	   "calls with both ends in the object, as many as there are samples");
	gmon_profile_free(&profile);
	gmon_close(&gmon);
	close(fd);
	free(bytes);
	recording_free(&recording);
}

/* Counts of functions replace samples. */
static void counted(void)
{
	const char *slash = strrchr(library, '/');
	struct recording recording = small_recording();
	struct record_arc arcs[] = { { place_of("beta") + 2, place_of("alpha") + 1, 7 },
				     { place_of("beta") + 2, place_of("alpha") + 1, 5000000000 },
				     { PROG + 0x13, place_of("beta") + 1, 2 },
				     { place_of("beta") + 2, PROG + 0x20, 9 } };
	struct gmon_profile profile;
	struct gmon gmon;
	struct err err;
	size_t size;
	char *bytes, path[64];
	int fd = memfd_create("gmon", MFD_CLOEXEC);

	recording_segment(&recording, RECORD_NAMES, 2 * RECORD_GRAIN, 1, NULL, 0);
	recording_arcs(&recording, 0, arcs, 4);
	bytes = exported(&recording, "gmon", (struct export_source){ .object = slash + 1 }, NULL,
			 &size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) != (ssize_t)size || gmon_open(&gmon, path, &err))
		bail_out("the written file cannot be read");
	profile = profile_of(&gmon);
	ok(has_call(&profile, "beta", "alpha", 5000000007) && profile.call_count == 2,
	   "calls that functions have counted, also more than a record can hold");
	ok(row_of(&profile, "beta")->calls == 2, "and those from elsewhere");
	gmon_profile_free(&profile);
	gmon_close(&gmon);
	close(fd);
	free(bytes);
	recording_free(&recording);
}

/* A counter covers four bytes, half of which belong to the next function. */
static void parts(void)
{
	uint64_t beta = address_of("beta") & ~UINT64_C(1);
	const uint16_t counts[] = { 10, 6 };
	struct gmon_file file = gmon_file_new();
	struct gmon_profile profile;
	const struct gmon_row *row;
	struct gmon gmon;
	struct err err;

	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, beta - 2, beta + 6, 50, counts, 2);
	gmon_file_arc(&file, beta + 1, address_of("alpha"), 3);
	gmon_file_arc(&file, beta + 2, address_of("alpha") + 1, 4);
	if (gmon_open(&gmon, gmon_file_path(&file), &err))
		bail_out(err.text);
	profile = profile_of(&gmon);
	row = row_of(&profile, "beta");
	ok(llround(row->samples) == 11 && llround(row->ns) == 11 * 20000000 &&
		   llround(profile.samples) == 16,
	   "a counter counts for each function by its part");
	ok(row_of(&profile, "alpha")->calls == 7 && has_call(&profile, "beta", "alpha", 7),
	   "calls from several places are those of one function");
	gmon_profile_free(&profile);
	gmon_close(&gmon);
	close(file.fd);
}

static void refusals(void)
{
	struct gmon_file file = gmon_file_new();
	struct gmon_profile profile;
	struct gmon gmon;
	struct err err;

	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1002, 50, (const uint16_t[]){ 1 }, 1);
	memcpy(file.bytes + sizeof(struct gmon_header) + 1 + 24, "furlong", 7);
	if (gmon_open(&gmon, gmon_file_path(&file), &err))
		bail_out(err.text);
	ok(gmon_profile_make(&profile, &gmon, library, false, &err) < 0 &&
		   strstr(err.text, "furlong"),
	   "other samples than time are not shown as time");
	ok(gmon_profile_make(&profile, &gmon, "/nowhere", false, &err) < 0 &&
		   strstr(err.text, "/nowhere"),
	   "a program that is not there");
	ok(gmon_profile_make(&profile, &gmon, file.path, false, &err) < 0 &&
		   strstr(err.text, "cannot read the symbols of"),
	   "a program that is none");
	gmon_close(&gmon);
	close(file.fd);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail_out("usage: test_export_gmon LIBRARY");
	library = realpath(argv[1], NULL);
	round_trip();
	counted();
	parts();
	refusals();
	return tap_done();
}
