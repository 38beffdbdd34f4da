/* SPDX-License-Identifier: MIT
 *
 * test_map_tree.c - compares lookups of mappings with a search through all events from the last one
 * back.
 */
#include "../../random64.h"
#include "model/profile/map_tree.h"
#include "tap.h"

enum { EVENTS = 60, ROUNDS = 300, QUESTIONS = 300 };

static void search(const struct map_event *events, uint64_t address, uint64_t time, size_t *last,
		   size_t *next)
{
	*last = *next = MAP_TREE_NONE;
	for (size_t i = 0; i < EVENTS; i++) {
		if (address < events[i].start || address >= events[i].end)
			continue;
		if (events[i].time <= time)
			*last = i;
		else if (*next == MAP_TREE_NONE)
			*next = i;
	}
}

static bool round_of(uint64_t *state)
{
	struct map_event events[EVENTS];
	struct map_tree tree;
	struct err err;
	uint64_t time = 0;
	bool all = true;

	for (size_t i = 0; i < EVENTS; i++) {
		uint64_t start = random64_below(state, 100);

		time += random64_below(state, 3);
		events[i] = (struct map_event){ .time = time,
						.start = start,
						.end = start + 1 + random64_below(state, 40) };
	}
	events[0].start = 0;
	events[0].end = UINT64_MAX;
	if (map_tree_build(&tree, events, EVENTS, &err))
		bail_out(err.text);
	for (int i = 0; i < QUESTIONS; i++) {
		uint64_t address = random64_below(state, 150), when = random64_below(state, 70);
		size_t last, next, other_last, other_next;

		map_tree_find(&tree, address, when, &last, &next);
		search(events, address, when, &other_last, &other_next);
		all = all && last == other_last && next == other_next;
	}
	map_tree_free(&tree);
	return all;
}

int main(void)
{
	struct map_tree tree;
	size_t last, next;
	uint64_t state = 1;
	struct err err;
	bool all = true;

	if (map_tree_build(&tree, NULL, 0, &err))
		bail_out(err.text);
	map_tree_find(&tree, 1, 1, &last, &next);
	ok(last == MAP_TREE_NONE && next == MAP_TREE_NONE, "without events there is nothing");
	map_tree_free(&tree);
	for (int i = 0; i < ROUNDS; i++)
		all = round_of(&state) && all;
	ok(all, "%d questions have the answer of a plain search", ROUNDS * QUESTIONS);
	return tap_done();
}
