/* SPDX-License-Identifier: MIT
 *
 * test_profile_count.c - processes and threads are counted once each, also those of several
 * machines.
 */
#include "../../recordings.h"
#include "model/profile/profile.h"
#include "recording/make/merge.h"

#define PROCESSES 300

/* Makes processes of one thread each, whose number is that of the process. */
static struct recording processes(uint8_t boot)
{
	struct recording recording = recording_new_sized(0, 2 * PROCESSES + 2);
	static const uint64_t pc = 0x1010;

	recording_header(&recording)->boot_id[0] = boot;
	recording_header(&recording)->started_unix_ns = 1000;
	for (uint32_t pid = 1000; pid < 1000 + PROCESSES; pid++) {
		uint64_t process = recording_process(&recording, pid, 0);

		recording_thread(&recording, process, pid);
		recording_stack(&recording, 0, &pc, 1);
		recording_sample(recording_samples(&recording, pid, "main", 2000, 1), 0, 1000,
				 2000);
	}
	return recording;
}

static struct profile_totals totals_of(const char *path)
{
	struct profile_filter filter = { 0 };
	struct profile_totals totals;
	struct profile profile;
	struct reader reader;
	struct err err;

	if (reader_open(&reader, path, &err) || profile_read(&profile, &reader, &filter, &err))
		bail_out(err.text);
	totals = profile.totals;
	profile_free(&profile);
	reader_close(&reader);
	return totals;
}

static void merged(struct recording *one, struct recording *other, size_t expected,
		   const char *what)
{
	char path[] = "/tmp/dwell-count-XXXXXX";
	const char *paths[] = { one->path, other->path };
	struct merge merge = { .paths = paths, .count = 2, .replace = true };
	struct merge_result result;
	struct profile_totals totals;
	int fd = mkstemp(path);
	struct err err;

	if (fd < 0 || write(fd, RECORD_MAGIC, 8) != 8 || merge_save(&merge, path, &result, &err))
		bail_out("there is no merged recording");
	close(fd);
	totals = totals_of(path);
	ok(totals.processes == expected && totals.threads == expected, "%s: %zu, %zu", what,
	   totals.processes, totals.threads);
	unlink(path);
}

int main(void)
{
	struct recording one = processes(1), other = processes(2), piece = processes(1);
	struct profile_totals totals;

	recording_header(&piece)->started_unix_ns = 2000;
	recording_file(&other, other.size);
	recording_file(&piece, piece.size);
	totals = totals_of(recording_file(&one, one.size));
	ok(totals.processes == PROCESSES && totals.threads == PROCESSES,
	   "processes of one thread each: %zu, %zu", totals.processes, totals.threads);
	merged(&one, &other, 2 * PROCESSES, "the same pids on two machines");
	merged(&one, &piece, PROCESSES, "the same processes in two runs");
	recording_free(&one);
	recording_free(&other);
	recording_free(&piece);
	return tap_done();
}
