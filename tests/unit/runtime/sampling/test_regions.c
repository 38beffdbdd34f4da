/* SPDX-License-Identifier: MIT
 *
 * test_regions.c - the regions of a thread: nested, too many, and badly ended; and their frames.
 */
#include "runtime/sampling/regions.c"

#include <pthread.h>
#include <stdio.h>

#include "tap.h"

static struct writer writer;

/* Writes the name of a region that a sample was in; its number is enough here. */
void *scripts_take(struct scripts_writer *scripts, size_t size)
{
	static union {
		struct record_region region;
		char bytes[256];
	} space;

	(void)scripts;
	return size <= sizeof(space) ? &space : NULL;
}

void room_publish(struct record_item *item, uint32_t kind)
{
	item->kind = kind;
}

/* Returns the names of the calling thread's regions, the innermost first, separated by blanks. */
static const char *regions_now(int depth)
{
	static char names[2048];
	struct stack stack = { .pcs = writer.pcs, .depth = depth, .certain = depth };

	names[0] = '\0';
	regions_add(&writer, &stack);
	for (int i = depth; i < stack.depth; i++) {
		strcat(names, i == depth ? "" : " ");
		strcat(names, regions.names[writer.pcs[i] - RECORD_REGIONS_START].text);
	}
	return names;
}

static bool are(const char *names)
{
	const char *now = regions_now(1);

	if (strcmp(now, names) != 0)
		note("'%s', not '%s'", now, names);
	return strcmp(now, names) == 0;
}

static void nested(void)
{
	char name[] = "short-lived";

	dwell_region_begin("early");
	ok(are(""), "nothing is noted before samples are taken");
	regions_start();
	dwell_region_begin("outer");
	dwell_region_begin(name);
	memset(name, 'x', sizeof(name) - 1);
	ok(are("short-lived outer"), "regions in each other, and their names are copied");
	dwell_region_end("short-lived");
	ok(are("outer"), "one ends");
	dwell_region_begin("outer");
	ok(are("outer outer"), "the same one twice");
	dwell_region_end(NULL);
	dwell_region_end("outer");
	ok(are(""), "and all end");
}

static void badly_ended(void)
{
	dwell_region_end("outer");
	dwell_region_end(NULL);
	dwell_region_end("never seen");
	ok(are(""), "ends without a beginning");
	dwell_region_begin("a");
	dwell_region_begin("b");
	dwell_region_begin("c");
	dwell_region_end("outer");
	ok(are("c b a"), "the end of another one");
	dwell_region_end("a");
	ok(are(""), "an end ends what is in it");
	dwell_region_begin(NULL);
	ok(are("") && regions_lost() == 0, "no name");
	dwell_region_end(NULL);
}

static void too_deep(void)
{
	for (int i = 0; i < DEPTH_MAX + 4; i++)
		dwell_region_begin("deep");
	ok(regions_lost() == 4, "regions that are too deep are counted");
	for (int i = 0; i < DEPTH_MAX + 3; i++)
		dwell_region_end("deep");
	ok(are("deep"), "and their ends are theirs");
	dwell_region_end("deep");
}

/* A stack as deep as there is room for loses its outermost frames. */
static void deep_stack(void)
{
	struct stack stack = { .pcs = writer.pcs,
			       .depth = UNWIND_DEPTH,
			       .certain = UNWIND_DEPTH - 100,
			       .end = RECORD_STACK_COMPLETE };

	dwell_region_begin("a");
	dwell_region_begin("b");
	regions_add(&writer, &stack);
	ok(stack.depth == UNWIND_DEPTH && stack.end == RECORD_STACK_TOO_DEEP &&
		   stack.certain == UNWIND_DEPTH - 100,
	   "a deep stack makes room");
	dwell_region_end("a");
}

static void *in_thread(void *unused)
{
	ok(are(""), "a thread begins in none");
	dwell_region_begin("thread");
	ok(are("thread"), "and has its own");
	return unused;
}

static void threads(void)
{
	pthread_t thread;

	dwell_region_begin("main");
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	ok(are("main"), "which are no other's");
	dwell_region_end("main");
}

static void many_names(void)
{
	uint64_t before = regions_lost();
	char name[100];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		dwell_region_begin(name);
		dwell_region_end(name);
	}
	ok(regions_lost() - before > 2000 - RECORD_REGIONS_MAX, "names without room are counted");
	dwell_region_begin("one more");
	ok(are("[other regions]"), "and are in one region");
	dwell_region_end("one more");
	dwell_region_begin("name 5");
	ok(are("name 5"), "earlier ones are not");
	dwell_region_end("name 5");
	regions_after_fork();
	ok(regions_lost() == 0, "a child has lost none");
}

static void long_name(void)
{
	char name[200];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	dwell_region_begin(name);
	ok(strlen(regions_now(1)) == RECORD_REGION_BYTES - 1, "a long name is cut");
	name[150] = 'x';
	dwell_region_end(name);
	ok(are(""), "and ends all the same");
}

int main(void)
{
	nested();
	badly_ended();
	too_deep();
	deep_stack();
	threads();
	long_name();
	many_names();
	return tap_done();
}
