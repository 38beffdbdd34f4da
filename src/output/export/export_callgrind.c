/* SPDX-License-Identifier: MIT
 *
 * export_callgrind.c - samples in callgrind's format: the cost of each line of a function, and the
 * total cost of each call from it.
 *
 * Tools compute the total cost of a function from the calls to it, or from those out of it; both
 * are correct only if each function is on a stack once. So only the innermost occurrence of a
 * function counts: main > f > g > f > h becomes main > g > f > h. And all stacks begin with a
 * function that stands for the whole, so that functions at the start of some stacks but not of
 * others have all calls to them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "callgrind.h"
#include "export_common.h"
#include "model/profile/profile_nodes.h"

/* Room for the name of an event; a longer one is cut. */
#define NAME_BYTES 128

/* Stands for a callee, and sorts after all functions. */
#define ITSELF UINT32_MAX

/* A part of a function's cost: of one of its lines, or of calls from there. */
struct cost {
	uint32_t function;
	uint32_t callee; /* ITSELF: not a call */
	const char *source;
	uint32_t line;
	struct profile_amount amount;
};

struct costs {
	const struct profile *profile;
	const char **sources; /* the main source of each function; NULL: unknown */
	struct cost *list;
	size_t count;
	struct hash by_call; /* of frame and callee -> cost */
};

/* A node on the way to the one at hand that is the innermost of its function so far. */
struct kept {
	uint32_t outer, inner; /* the next ones, as nodes; PROFILE_ROOT: there is none */
	uint32_t replaced;     /* the one of the same function further out; PROFILE_ROOT: none */
};

/* Costs are found by one walk over the tree of stacks: what a node changes is true for all stacks
 * below it. */
struct walking {
	struct costs *costs;
	const struct profile_amount *totals; /* of each node */
	struct kept *kept;                   /* of each node; the root is in a ring with the rest */
	uint32_t *innermost;                 /* of each function; PROFILE_ROOT: it is not there */
	bool failed;                         /* there was no memory */
};

/* Returns the cost of calls from one node to the next, which is added if it is new. */
static struct cost *find_cost(struct costs *costs, uint32_t node, uint32_t callee)
{
	const struct profile *profile = costs->profile;
	bool is_root = node == PROFILE_ROOT;
	uint32_t number = is_root ? HASH_NONE : profile->tree.nodes[node].key;
	const struct frame root = { .function = (uint32_t)profile->functions.count };
	const struct frame *frame = is_root ? &root : profile_frame(profile, number);
	uint32_t *place = hash_place(&costs->by_call, (uint64_t)number << 32 | callee);
	struct cost *more;

	if (place && *place != HASH_NONE)
		return &costs->list[*place];
	more = place ? vec_room(costs->list, costs->count, sizeof(*more)) : NULL;
	if (!more)
		return NULL;
	costs->list = more;
	*place = (uint32_t)costs->count++;
	more[*place] = (struct cost){ .function = frame->function,
				      .callee = callee,
				      .source = frame->source ? frame->source : "???",
				      .line = frame->source ? frame->line : 0 };
	return &more[*place];
}

/* Adds the time of a node's stacks to the call from one that is kept to the next; or takes it
 * away, which is to be there before. */
static void charge(struct walking *walking, uint32_t from, uint32_t node, bool is_more)
{
	const struct profile *profile = walking->costs->profile;
	const struct profile_amount *amount = &walking->totals[node];
	uint32_t to = walking->kept[from].inner;
	uint32_t callee = to == PROFILE_ROOT ? ITSELF : profile_node_function(profile, to);
	struct cost *cost = amount->samples ? find_cost(walking->costs, from, callee) : NULL;

	walking->failed = walking->failed || (amount->samples && !cost);
	if (!cost)
		return;
	cost->amount.samples += is_more ? amount->samples : -amount->samples;
	cost->amount.ns += is_more ? amount->ns : -amount->ns;
}

static void join(struct walking *walking, uint32_t outer, uint32_t inner)
{
	walking->kept[outer].inner = inner;
	walking->kept[inner].outer = outer;
}

/* Takes a node out, whose own links stay. */
static void drop(struct walking *walking, uint32_t dropped, uint32_t node)
{
	const struct kept *kept = &walking->kept[dropped];

	charge(walking, kept->outer, node, false);
	charge(walking, dropped, node, false);
	join(walking, kept->outer, kept->inner);
	charge(walking, kept->outer, node, true);
}

static void enter(void *argument, uint32_t node)
{
	struct walking *walking = argument;
	uint32_t *innermost =
		&walking->innermost[profile_node_function(walking->costs->profile, node)];
	uint32_t last;

	if (*innermost != PROFILE_ROOT)
		drop(walking, *innermost, node);
	walking->kept[node].replaced = *innermost;
	*innermost = node;
	last = walking->kept[PROFILE_ROOT].outer;
	charge(walking, last, node, false);
	join(walking, last, node);
	join(walking, node, PROFILE_ROOT);
	charge(walking, last, node, true);
	charge(walking, node, node, true);
}

/* Links become what they were before, in the opposite order. */
static void leave(void *argument, uint32_t node)
{
	struct walking *walking = argument;
	const struct kept *kept = &walking->kept[node];

	join(walking, kept->outer, PROFILE_ROOT);
	walking->innermost[profile_node_function(walking->costs->profile, node)] = kept->replaced;
	if (kept->replaced != PROFILE_ROOT) {
		const struct kept *replaced = &walking->kept[kept->replaced];

		walking->kept[replaced->outer].inner = kept->replaced;
		walking->kept[replaced->inner].outer = kept->replaced;
	}
}

static int add_stacks(struct costs *costs, struct err *err)
{
	const struct profile *profile = costs->profile;
	struct profile_amount *totals = profile_nodes_totals(profile);
	struct walking walking = {
		.costs = costs,
		.totals = totals,
		.kept = calloc(profile->tree.count, sizeof(*walking.kept)),
		.innermost = calloc(profile->functions.count + 1, sizeof(*walking.innermost)),
	};
	struct profile_walk walk = { .enter = enter, .leave = leave, .argument = &walking };

	walking.failed = !totals || !walking.kept || !walking.innermost;
	if (!walking.failed) {
		charge(&walking, PROFILE_ROOT, PROFILE_ROOT, true);
		profile_nodes_walk(profile, &walk);
	}
	free(totals);
	free(walking.kept);
	free(walking.innermost);
	return walking.failed ? err_no_memory(err) : 0;
}

/* Sorts a function's own lines last, because a line after calls= belongs to the call. */
static int compare(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	if (a->source != b->source && strcmp(a->source, b->source) != 0)
		return strcmp(a->source, b->source);
	return (a->line > b->line) - (a->line < b->line);
}

/* Makes one of those that are equal, and drops those that no stack has. */
static void merge(struct costs *costs)
{
	size_t count = 0;

	if (costs->count)
		qsort(costs->list, costs->count, sizeof(*costs->list), compare);
	for (size_t i = 0; i < costs->count; i++) {
		struct cost *last = &costs->list[count ? count - 1 : 0];

		if (!costs->list[i].amount.samples)
			continue;
		if (count && compare(last, &costs->list[i]) == 0) {
			last->amount.samples += costs->list[i].amount.samples;
			last->amount.ns += costs->list[i].amount.ns;
		} else {
			costs->list[count++] = costs->list[i];
		}
	}
	costs->count = count;
}

static struct callgrind_function function_of(const struct costs *costs, uint32_t number)
{
	const struct function *function = &costs->profile->functions.list[number];

	if (number == costs->profile->functions.count)
		return (struct callgrind_function){
			.number = number, .name = "(root)", .object = "???", .file = "???"
		};
	return (struct callgrind_function){
		.number = number,
		.name = function->name,
		.object = function->file ? function->file->path : function->object,
		.file = costs->sources[number] ? costs->sources[number] : "???",
	};
}

static void write_costs(struct callgrind *callgrind, const struct costs *costs)
{
	const char *file = NULL; /* of the current lines */

	for (size_t i = 0; i < costs->count; i++) {
		const struct cost *cost = &costs->list[i];
		struct callgrind_function callee;

		if (i == 0 || cost[-1].function != cost->function) {
			struct callgrind_function function = function_of(costs, cost->function);

			callgrind_begin(callgrind, &function);
			file = function.file;
		}
		if (strcmp(file, cost->source) != 0)
			callgrind_file(callgrind, cost->source);
		file = cost->source;
		if (cost->callee != ITSELF) {
			callee = function_of(costs, cost->callee);
			callgrind_call(callgrind, &callee, cost->amount.samples);
		}
		fprintf(callgrind->out, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", cost->line,
			cost->amount.ns, cost->amount.samples);
	}
}

/* Writes the head. A name of an event must be a word there. */
static void write_head(const struct callgrind *callgrind, const struct export_source *source)
{
	const char *event = source->profile->totals.event;
	char names[NAME_BYTES + sizeof(" Samples")];

	snprintf(names, sizeof(names), "%.*s Samples", NAME_BYTES - 1, event ? event : "ns");
	for (size_t i = 0; event && names[i] && names[i] != ' '; i++)
		if (!isalnum((unsigned char)names[i]))
			names[i] = '_';
	callgrind_head(callgrind, source->reader, names);
}

static int write_samples(const struct export_source *source, struct costs *costs, FILE *out,
			 struct err *err)
{
	const struct profile_amount *kept = &source->profile->totals.kept;
	struct callgrind callgrind;
	int status = 0;

	if (callgrind_init(&callgrind, source->profile->functions.count + 1, out)) {
		write_head(&callgrind, source);
		fprintf(out, "summary: %" PRIu64 " %" PRIu64 "\n", kept->ns, kept->samples);
		write_costs(&callgrind, costs);
	} else {
		status = err_no_memory(err);
	}
	callgrind_fini(&callgrind);
	return status;
}

int export_callgrind(const struct export_source *source, FILE *out, struct err *err)
{
	struct costs costs = { .profile = source->profile };
	int status;

	if (source->calls)
		return export_callgrind_calls(source, out, err);
	costs.sources = export_sources(source->profile);
	status = costs.sources ? add_stacks(&costs, err) : err_no_memory(err);
	merge(&costs);
	if (!status)
		status = write_samples(source, &costs, out, err);
	free(costs.list);
	hash_free(&costs.by_call);
	free(costs.sources);
	return status;
}
