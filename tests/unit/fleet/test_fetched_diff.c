/* SPDX-License-Identifier: MIT */
#include "fleet/fetched_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/row_binary.h"
#include "tap.h"

enum part { WHOLE, TOTAL, SELF };

/* A row of a response. */
struct sent {
	uint8_t side, part;
	const char *name, *object;
	uint64_t units, samples, ns;
	double squares, run_sum, run_squares;
};

/* Ten hosts on each side: work() takes more on each new one; main() does on average, and hosts
 * differ more than that. */
static const struct sent both[] = {
	{ 0, WHOLE, "", "", 10, 2000, 20000, 2e5, 20000, 4.1e7 },
	{ 0, TOTAL, "main", "app", 10, 2000, 20000, 2e5, 20000, 4.1e7 },
	{ 0, TOTAL, "work", "lib.so.1.2", 10, 1000, 10000, 1e5, 10000, 1.0001e7 },
	{ 0, SELF, "work", "lib.so.1.2", 10, 1000, 10000, 1e5, 10000, 1.0001e7 },
	{ 0, SELF, "main", "app", 10, 1000, 10000, 1e5, 10000, 1.81e7 },
	{ 1, WHOLE, "", "", 10, 4000, 40000, 4e5, 40000, 1.61e8 },
	{ 1, SELF, "work", "lib.so.1.3", 10, 3000, 30000, 3e5, 30000, 9.0001e7 },
	{ 1, TOTAL, "work", "lib.so.1.3", 10, 3000, 30000, 3e5, 30000, 9.0001e7 },
	{ 1, TOTAL, "main", "app", 10, 4000, 40000, 4e5, 40000, 1.61e8 },
	{ 1, SELF, "main", "app", 10, 1300, 13000, 1.3e5, 13000, 2.5e7 },
	{ 1, SELF, "", "", 1, 1, 10, 1e2, 10, 1e2 },
};

static void put_double(double number, FILE *out)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	row_binary_put(bits, 8, out);
}

static char *bytes_of(const struct sent *rows, size_t count, size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	for (size_t i = 0; i < count; i++) {
		row_binary_put(rows[i].side, 1, out);
		row_binary_put(rows[i].part, 1, out);
		row_binary_put_text(rows[i].name, out);
		row_binary_put_text(rows[i].object, out);
		row_binary_put(rows[i].units, 8, out);
		row_binary_put(rows[i].samples, 8, out);
		row_binary_put(rows[i].ns, 8, out);
		put_double(rows[i].squares, out);
		put_double(rows[i].run_sum, out);
		put_double(rows[i].run_squares, out);
	}
	fclose(out);
	return bytes;
}

static const struct diff_row *row_of(const struct diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->count; i++)
		if (strcmp(diff_unit(diff, diff->rows[i].node)->name, name) == 0)
			return &diff->rows[i];
	return NULL;
}

static void test_rows(const struct diff *diff)
{
	const struct diff_row *work = row_of(diff, "work"), *main_row = row_of(diff, "main");

	ok(diff->count == 3 && work && main_row && row_of(diff, "[unknown]"),
	   "a function is one row, with another version of its library too");
	if (!work || !main_row)
		return;
	ok(diff->runs[0] == 10 && diff->runs[1] == 10 && diff->all.sides[1].samples == 4000,
	   "sides have their units");
	ok(work->self.sides[0].value == 1000 && work->self.sides[1].value == 3000 &&
		   main_row->total.sides[1].value == 4000 &&
		   main_row->self.sides[1].samples == 1300,
	   "values are means over units");
	ok(work->self.is_significant && !main_row->self.is_significant,
	   "a change that all units have is significant; one that is small beside their spread "
	   "is not");
}

static void test_compare(void)
{
	size_t size;
	char *bytes = bytes_of(both, sizeof(both) / sizeof(both[0]), &size);
	const struct diff_options options = { 0 };
	struct fetched_diff fetched;
	struct diff diff;
	struct err err;

	if (ok(!fetched_diff_parse(&fetched, bytes, size, &err), "a response is read")) {
		if (ok(!diff_make_of_sums(&diff, fetched.sides, &options, &err), "and compared")) {
			test_rows(&diff);
			diff_free(&diff);
		}
		fetched_diff_free(&fetched);
	}
	free(bytes);
}

static bool is_refused(const struct sent *row)
{
	struct fetched_diff fetched;
	struct err err;
	size_t size;
	char *bytes = bytes_of(row, 1, &size);
	int status = fetched_diff_parse(&fetched, bytes, size, &err);

	free(bytes);
	if (!status)
		fetched_diff_free(&fetched);
	return status == -EPROTO;
}

static void test_damage(void)
{
	struct fetched_diff fetched;
	struct err err;
	size_t size;
	char *bytes = bytes_of(both, 1, &size);
	bool all = true;

	for (size_t cut = 1; cut < size; cut++)
		all = all && fetched_diff_parse(&fetched, bytes, cut, &err) == -EPROTO;
	ok(all, "one that is cut anywhere is refused");
	free(bytes);
	ok(is_refused(&(struct sent){ .side = 2, .name = "", .object = "" }) &&
		   is_refused(&(struct sent){ .part = 3, .name = "", .object = "" }),
	   "so is an unknown side or part");
	ok(is_refused(&(struct sent){ .name = "", .object = "", .squares = NAN }) &&
		   is_refused(&(struct sent){ .name = "", .object = "", .run_sum = INFINITY }) &&
		   is_refused(&(struct sent){ .name = "", .object = "", .run_squares = -1 }),
	   "and sums that no times have");
}

int main(void)
{
	test_compare();
	test_damage();
	return tap_done();
}
