/* SPDX-License-Identifier: MIT
 *
 * test_mcount.c - mcount and __fentry__ keep what registers hold, where nobody wants to know of
 * calls, where an arc is new and where it is known.
 */
#include "capture/gmon/arcs_private.h"
#include "registers.h"
#include "tap.h"

void pg_function(void);
void fentry_function(void);

static uint64_t calls(void)
{
	uint64_t sum = 0;

	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++)
			sum += chunk->arcs.arcs[i].count;
	return sum;
}

static void check(void (*function)(void), uint64_t counted, const char *which)
{
	struct registers given, got;
	uint64_t before = calls();

	fill(&given);
	fill(&registers_results);
	registers_call((void *)function, &given, &got);
	ok(arguments_arrive(&given) && chain_arrives(&given), "arguments arrive %s", which);
	ok(are_kept(&given, &got) && are_kept(&given, &registers_arrived),
	   "what is the caller's is kept %s", which);
	ok(calls() == before + counted, "and the call is %scounted", counted ? "" : "not ");
}

int main(void)
{
	check(pg_function, 0, "by mcount, which nobody asks for");
	check(fentry_function, 0, "by __fentry__, which nobody asks for");
	arcs_start();
	check(pg_function, 1, "by mcount, of the first arc");
	check(pg_function, 1, "by mcount, of an arc that is known");
	check(fentry_function, 1, "by __fentry__, of a new arc");
	check(fentry_function, 1, "by __fentry__, of an arc that is known");
	return tap_done();
}
