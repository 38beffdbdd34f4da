/* SPDX-License-Identifier: MIT
 *
 * test_span_list.c - nested spans, and many of them compared with an exhaustive search.
 */
#include "../random64.h"
#include "symbol/span_list.h"
#include "tap.h"

#define SPANS 400

static void add(struct span_list *list, uint64_t low, uint64_t high, uint32_t value, uint32_t depth)
{
	struct span span = { .low = low, .high = high, .value = value, .depth = depth };

	if (span_list_add(list, &span))
		bail_out("no memory");
}

/* Returns the number of the span found, or 0. */
static uint32_t found(struct span_list *list, uint64_t address)
{
	const struct span *span = span_list_find(list, address);

	return span ? span->value : 0;
}

static void nested(void)
{
	struct span_list list = { 0 };

	ok(!span_list_find(&list, 5), "an empty list has nothing");
	add(&list, 40, 50, 3, 2);
	add(&list, 10, 100, 1, 0);
	add(&list, 30, 60, 2, 1);
	add(&list, 70, 70, 4, 9);
	add(&list, 90, 80, 5, 9);
	ok(found(&list, 9) == 0 && found(&list, 10) == 1 && found(&list, 29) == 1, "the outer one");
	ok(found(&list, 30) == 2 && found(&list, 45) == 3 && found(&list, 50) == 2,
	   "the inner ones");
	ok(found(&list, 99) == 1 && found(&list, 100) == 0, "its end is outside");
	ok(found(&list, 70) == 1 && found(&list, 85) == 1, "empty ones are left out");
	add(&list, 95, 200, 6, 0);
	ok(found(&list, 150) == 6 && found(&list, 97) == 6, "one that is added later is found");
	span_list_free(&list);
}

static void against_all(void)
{
	struct span_list list = { 0 };
	struct span spans[SPANS];
	size_t wrong = 0;
	uint64_t seed = 1;

	for (uint32_t i = 0; i < SPANS; i++) {
		uint64_t low = random64(&seed) % 5000;

		spans[i] = (struct span){
			.low = low, .high = low + random64(&seed) % 300, .value = i + 1, .depth = i
		};
		span_list_add(&list, &spans[i]);
	}
	for (uint64_t address = 0; address < 5400; address++) {
		uint32_t deepest = 0;

		for (uint32_t i = 0; i < SPANS; i++)
			if (spans[i].low <= address && address < spans[i].high)
				deepest = i + 1;
		wrong += found(&list, address) != deepest;
	}
	ok(wrong == 0, "the same as by trying all, at each of 5400 addresses");
	span_list_free(&list);
}

int main(void)
{
	nested();
	against_all();
	return tap_done();
}
