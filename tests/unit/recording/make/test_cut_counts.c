/* SPDX-License-Identifier: MIT
 *
 * test_cut_counts.c - pieces of a recording contain what was added to its counters since the piece
 * before: exact calls, arcs, losses.
 */
#define DATA  "cut_counts.data"
#define PIECE "cut_counts.dwell"
#include "live.h"

static struct record_calls *begin_calls(struct live_writer *writer, struct record_octave **octave)
{
	struct record_calls *calls = room_take(&writer->room, sizeof(*calls));
	size_t bins = 2 * RECORD_BINS;

	*octave = room_take(&writer->room, sizeof(**octave) + bins * sizeof((*octave)->bins[0]));
	calls->caller = (*octave)->caller = RECORD_NO_CALLER;
	calls->min = calls->last = UINT64_MAX;
	room_publish(&calls->item, RECORD_CALLS);
	room_publish(&(*octave)->item, RECORD_OCTAVE);
	return calls;
}

/* Counts a call as the runtime does: its time gets into the octave with the next one. */
static void call(struct record_calls *calls, struct record_octave *octave, uint64_t time)
{
	calls->calls++;
	calls->returned++;
	calls->sum += time;
	calls->min = time < calls->min ? time : calls->min;
	calls->max = time > calls->max ? time : calls->max;
	if (calls->last != UINT64_MAX)
		octave->bins[calls->last]++;
	calls->last = time;
}

static void exact_calls(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct record_octave *octave;
	struct record_calls *calls;
	struct live_writer writer;
	struct live_contents piece;

	begin(&writer, (uint32_t)getpid());
	calls = begin_calls(&writer, &octave);
	call(calls, octave, 3);
	call(calls, octave, 60);
	piece = take(&live, false);
	ok(piece.calls == 2 && piece.sum == 63 && piece.durations == 2, "calls of the first piece");
	call(calls, octave, 10);
	call(calls, octave, 20);
	call(calls, octave, 15);
	piece = take(&live, false);
	ok(piece.calls == 3 && piece.returned == 3 && piece.sum == 45, "calls of the second piece");
	ok(piece.durations == 3, "each duration is in one histogram");
	ok(piece.min == 10 && piece.max == 20, "its shortest and longest call");
	piece = take(&live, false);
	ok(piece.calls == 0 && piece.durations == 0 && piece.threads == 0, "no call, no item");
	calls->calls++;
	calls->escaped++;
	piece = take(&live, false);
	ok(piece.calls == 1 && piece.returned == 0 && piece.durations == 0,
	   "a call that did not return has no duration, nor that of the call before");
	call(calls, octave, 1);
	piece = take(&live, true);
	ok(piece.calls == 1 && piece.durations == 1 && piece.min == 1 && piece.max == 1,
	   "a new shortest call");
	close_live(&live);
}

static void arcs(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct record_arcs *item;
	struct live_writer writer;

	begin(&writer, (uint32_t)getpid());
	item = room_take(&writer.names, sizeof(*item) + 2 * sizeof(item->arcs[0]));
	item->room = 2;
	item->count = 1;
	item->arcs[0] = (struct record_arc){ .from = 1, .self = 2, .count = 10 };
	room_publish(&item->item, RECORD_ARCS);
	ok(take(&live, false).arcs == 10, "arcs of the first piece");
	item->arcs[0].count += 5;
	item->arcs[1] = (struct record_arc){ .from = 3, .self = 4, .count = 100 };
	item->count = 2;
	ok(take(&live, false).arcs == 105, "arcs that were added since");
	ok(take(&live, true).arcs == 0, "and no more");
	close_live(&live);
}

static void losses(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer writer;
	struct live_contents piece;

	begin(&writer, (uint32_t)getpid());
	writer.sampler->lost = 10;
	writer.sampler->unsampled_ns = 7;
	room_lost_process(1);
	room_header()->scarcity.code = ENOSPC;
	piece = take(&live, false);
	ok(piece.lost == 10 && piece.header.scarcity.processes == 1 &&
		   piece.header.scarcity.code == ENOSPC,
	   "losses are in the piece of their time");
	ok(piece.unsampled == 0, "time that a child may still take over is not");
	writer.sampler->lost = 11;
	piece = take(&live, false);
	ok(piece.lost == 1 && piece.header.scarcity.processes == 0 && !piece.header.scarcity.code,
	   "and in no other one");
	ok(take(&live, true).unsampled == 7, "time that no child took over is in the last");
	close_live(&live);
}

int main(void)
{
	exact_calls();
	arcs();
	losses();
	return tap_done();
}
