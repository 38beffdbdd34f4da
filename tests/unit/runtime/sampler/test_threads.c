/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../../random64.h"
#include "runtime/sampler/threads.h"
#include "tap.h"

#define ROOM 32768

static unsigned int in_use(void)
{
	unsigned int count = 0;

	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		count++;
	return count;
}

static void before_there_are_records(void)
{
	ok(!threads_by_cookie(0) && !threads_by_cookie(1) && !threads_by_cookie(UINTPTR_MAX),
	   "no cookie means anything before there are records");
	ok(!threads_next(NULL) && !threads_find(1), "nor is there any record to find");
	ok(threads_init() == 0 && threads_init() == 0, "the records are made, once");
	ok(!threads_next(NULL), "none is in use");
}

static void one_record(void)
{
	struct thread *t = threads_add(100);

	if (!ok(t && t->tid == 100 && !t->armed && t->timer_id == -1 && !t->perf_page &&
			t->billed_ns == 0 && t->last_pc == 0,
		"a new record has its tid and no clock"))
		bail_out("there are no records");
	ok(threads_find(100) == t && !threads_find(101), "it is found by its tid");
	ok(threads_next(NULL) == t && !threads_next(t), "it is all there is");
	ok(threads_cookie(t) != 0 && threads_by_cookie(threads_cookie(t)) == t,
	   "its cookie leads to it");
	threads_remove(t);
	ok(!threads_find(100) && !threads_next(NULL), "it is gone when it is removed");
}

static void old_cookies(void)
{
	struct thread *t = threads_add(200);
	uintptr_t cookie = threads_cookie(t);
	struct thread *again;

	t->armed = true;
	t->last_pc = 1;
	threads_remove(t);
	ok(!threads_by_cookie(cookie), "a cookie is stale when its record is removed");
	again = threads_add(200);
	ok(again == t, "the record is used again");
	ok(!again->armed && again->last_pc == 0, "as new");
	ok(!threads_by_cookie(cookie), "the old cookie stays stale");
	ok(threads_by_cookie(threads_cookie(again)) == again && threads_cookie(again) != cookie,
	   "the new one is another");
	threads_remove(again);
}

static void garbage(void)
{
	struct thread *t = threads_add(300);
	uintptr_t next = threads_cookie(t) + 1; /* the record after it has never been in use */
	uint64_t state = 1;
	bool harmless = true;

	ok(!threads_by_cookie(0), "0 is not a cookie");
	ok(!threads_by_cookie(0xffff) && !threads_by_cookie(UINTPTR_MAX), "nor are all ones");
	ok(!threads_by_cookie(ROOM + 1), "nor is a record more than there is room for");
	ok(!threads_by_cookie(2) && !threads_by_cookie(ROOM) && !threads_by_cookie(next),
	   "nor is the number of a record that was never in use");
	for (int i = 0; i < 1000000; i++) {
		struct thread *found = threads_by_cookie((uintptr_t)random64(&state));

		harmless = harmless && (!found || found == t);
	}
	ok(harmless, "a million random numbers lead to no record but one in use");
	threads_remove(t);
	ok(!threads_by_cookie(threads_cookie(t)),
	   "nor is what the next cookie of a free record will be");
}

static void several(void)
{
	struct thread *a = threads_add(1), *b = threads_add(2), *c = threads_add(3), *d;

	ok(a != b && b != c && a != c && in_use() == 3, "three threads have three records");
	threads_remove(b);
	ok(threads_find(1) == a && !threads_find(2) && threads_find(3) == c && in_use() == 2,
	   "removing one leaves the others");
	d = threads_add(4);
	ok(d == b && in_use() == 3, "a hole is filled first");
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		threads_remove(t);
	ok(in_use() == 0, "records can be removed while they are walked");
}

/* Thread ids far apart, which may share a bucket. */
static void far_apart(void)
{
	enum { COUNT = 300, STRIDE = 4096 };
	bool found = true, gone = true;

	for (int i = 1; i <= COUNT; i++)
		threads_add(i * STRIDE);
	for (int i = 1; i <= COUNT; i++) {
		struct thread *t = threads_find(i * STRIDE);

		found = found && t && t->tid == i * STRIDE;
	}
	ok(found && !threads_find((COUNT + 1) * STRIDE), "%d threads are each found by their tid",
	   COUNT);
	/* From the middle, from the end and from the start. */
	for (int i = 2; i <= COUNT; i += 3)
		threads_remove(threads_find(i * STRIDE));
	for (int i = 3; i <= COUNT; i += 3)
		threads_remove(threads_find(i * STRIDE));
	for (int i = 1; i <= COUNT; i++)
		gone = gone && !threads_find(i * STRIDE) == (i % 3 != 1);
	ok(gone && in_use() == COUNT / 3, "removed threads are not, and the others still are");
	for (int i = 1; i <= COUNT; i += 3)
		threads_remove(threads_find(i * STRIDE));
	ok(in_use() == 0, "until there is none");
}

static void forgetting(void)
{
	struct thread *a = threads_add(1), *b = threads_add(2);
	uintptr_t cookie = threads_cookie(b);

	threads_remove(a);
	threads_forget();
	ok(!threads_find(1) && !threads_find(2) && in_use() == 0, "all are forgotten");
	a = threads_add(2);
	b = threads_add(1);
	ok(a && b && a != b && threads_find(2) == a && threads_find(1) == b && in_use() == 2,
	   "a new thread has a record of its own");
	ok(!threads_by_cookie(cookie), "and no cookie from before leads there");
	threads_remove(a);
	threads_remove(b);
}

static void room(void)
{
	struct thread *t = NULL, *first, *last;
	uintptr_t cookie;
	int count = 0;

	while (count <= ROOM && (t = threads_add(1000 + count)) != NULL)
		count++;
	ok(!t && count == ROOM, "there is room for %d threads and not for one more", ROOM);
	ok(in_use() == ROOM, "all of them are there");
	last = threads_find(1000 + ROOM - 1);
	ok(last && threads_by_cookie(threads_cookie(last)) == last, "the last one has a cookie");
	first = threads_find(1000);
	cookie = threads_cookie(first);
	threads_remove(first);
	ok(threads_add(7) == first && !threads_add(8), "a thread that leaves makes room for one");
	threads_forget();
	ok(in_use() == 0 && !threads_find(7), "all are forgotten at once");
	ok(!threads_by_cookie(cookie) && !threads_by_cookie(threads_cookie(last) - (1 << 16)),
	   "and their cookies are stale");
	ok(threads_add(9) != NULL && in_use() == 1, "and there is room again");
}

int main(void)
{
	before_there_are_records();
	one_record();
	old_cookies();
	garbage();
	several();
	far_apart();
	forgetting();
	room();
	return tap_done();
}
