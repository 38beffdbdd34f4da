/* SPDX-License-Identifier: MIT */
#include "fleet/piece_losses.h"

#include <stdlib.h>

#include "../recording.h"

static void lose(struct recording *recording, uint64_t process, uint64_t calls)
{
	struct record_process *about = (struct record_process *)(recording->bytes + process +
								 sizeof(struct record_segment));

	about->lost_calls = calls;
	about->lost_threads = calls + 1;
	about->lost_functions = calls + 2;
}

/* The first run has two processes, the second one. */
static struct recording two_runs(void)
{
	struct recording recording = recording_new(0);
	uint64_t run = recording_run(&recording, "node1", "1"), process;
	struct record_sampler *sampler;

	process = recording_process(&recording, 42, 0);
	lose(&recording, process, 10);
	sampler = recording_sampler(&recording, 100);
	sampler->lost = 3;
	sampler->lost_ns = 30;
	process = recording_process(&recording, 43, 0);
	lose(&recording, process, 20);
	sampler = recording_sampler(&recording, 100);
	sampler->unwatched_ns = 400;
	sampler->unsampled_ns = 50;
	process = recording_process(&recording, 44, 0);
	recording_belongs(&recording, process, run);
	lose(&recording, process, 7);
	recording_sampler(&recording, 100)->lost = 5;
	return recording;
}

int main(void)
{
	struct recording recording = two_runs();
	struct piece_losses *losses;
	struct reader reader;
	struct runs runs;
	struct err err;

	if (reader_open(&reader, recording_file(&recording, recording.size), &err) ||
	    runs_read(&runs, &reader, &err))
		bail_out(err.text);
	losses = piece_losses_find(&reader, &runs);
	if (ok(losses && runs.count == 2, "both runs are found")) {
		ok(losses[0].calls == 30 && losses[0].threads == 32 && losses[0].functions == 34,
		   "calls that the processes of a run have lost");
		ok(losses[0].samples == 3 && losses[0].samples_ns == 30 &&
			   losses[0].unwatched_ns == 450,
		   "samples, and CPU time without samples");
		ok(losses[1].calls == 7 && losses[1].samples == 5 && !losses[1].unwatched_ns,
		   "another run has its own");
	}
	free(losses);
	runs_free(&runs);
	reader_close(&reader);
	recording_free(&recording);
	return tap_done();
}
