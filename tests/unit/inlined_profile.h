/* SPDX-License-Identifier: MIT
 *
 * inlined_profile.h - samples in the functions of tests/prog/inlined.c, which are inlined in each
 * other:
 *
 *	100 ns and 50 ns	leaf, inlined in middle, inlined in outer: at its two places
 *	10 ns			outer itself
 *	7 ns			shared, inlined in twice, which outer has called
 */
#ifndef DWELL_TESTS_INLINED_PROFILE_H
#define DWELL_TESTS_INLINED_PROFILE_H

#include "inlined_spots.h"
#include "model/profile/profile.h"
#include "recording.h"

#define INLINED_BASE UINT64_C(0x7f0000000000)
#define INLINED_SIZE UINT64_C(0x100000)

struct inlined_profile {
	struct recording recording;
	struct reader reader;
	struct profile profile;
};

/* Returns the spot of a name in the function of that name, located by nm. */
static inline uint64_t inlined_spot_in(const char *symbols, const char *name, uint64_t start,
				       uint64_t end)
{
	uint64_t spots[SPOTS_MAX];
	size_t count = spots_find(symbols, name, spots);

	for (size_t i = 0; i < count; i++)
		if (spots[i] >= start && spots[i] < end)
			return spots[i];
	bail_out("a spot of the library is not there");
}

/* Finds the start and end of a function, by nm. */
static inline void inlined_extent(const char *library, const char *name, uint64_t *start,
				  uint64_t *end)
{
	char command[1024], line[1024], found[512];
	unsigned long long address, size;
	FILE *nm;

	snprintf(command, sizeof(command), "nm -S %s", library);
	nm = popen(command, "r");
	*end = 0;
	while (nm && fgets(line, sizeof(line), nm))
		if (sscanf(line, "%llx %llx %*c %511s", &address, &size, found) == 3 &&
		    strcmp(found, name) == 0) {
			*start = address;
			*end = address + size;
		}
	if (!nm || pclose(nm) || !*end)
		bail_out("nm does not know a function of the library");
}

static inline void inlined_record(struct recording *recording, const char *library)
{
	uint64_t leaf[SPOTS_MAX], outer[SPOTS_MAX], start = 0, end, shared, process;
	struct record_samples *samples;
	char *symbols = spots_read(library);

	if (spots_find(symbols, "leaf", leaf) != 2 || spots_find(symbols, "outer", outer) != 1)
		bail_out("the library has not the spots that it should have");
	inlined_extent(library, "twice", &start, &end);
	shared = inlined_spot_in(symbols, "shared", start, end);
	free(symbols);
	*recording = recording_new(0);
	process = recording_process(recording, 42, 0);
	recording_mapped(recording, 0, INLINED_BASE, INLINED_SIZE, library, NULL);
	recording_sampler(recording, 1000);
	recording_thread(recording, process, 42);
	recording_stack(recording, 0, (uint64_t[]){ INLINED_BASE + leaf[0] }, 1);
	recording_stack(recording, 1, (uint64_t[]){ INLINED_BASE + leaf[1] }, 1);
	recording_stack(recording, 2, (uint64_t[]){ INLINED_BASE + outer[0] }, 1);
	/* A return address is behind the call. */
	recording_stack(recording, 3,
			(uint64_t[]){ INLINED_BASE + shared, INLINED_BASE + outer[0] + 1 }, 2);
	samples = recording_samples(recording, 42, "main", 0, 10);
	recording_sample(samples, 0, 100, 0);
	recording_sample(samples, 1, 50, 2000);
	recording_sample(samples, 2, 10, 3000);
	recording_sample(samples, 3, 7, 4000);
}

static inline void inlined_profile_read(struct inlined_profile *inlined, const char *library,
					struct profile_filter *filter)
{
	struct err err;

	inlined_record(&inlined->recording, library);
	if (reader_open(&inlined->reader,
			recording_file(&inlined->recording, inlined->recording.size), &err) ||
	    profile_read(&inlined->profile, &inlined->reader, filter, &err))
		bail_out(err.text);
}

static inline void inlined_profile_free(struct inlined_profile *inlined)
{
	profile_free(&inlined->profile);
	reader_close(&inlined->reader);
	recording_free(&inlined->recording);
}

#endif
