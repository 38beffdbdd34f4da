/* SPDX-License-Identifier: MIT
 *
 * test_diff.c LIBRARY - two recordings with samples in tests/prog/profile_library, and in missing
 * files, whose functions have no symbols.
 */
#include "model/diff/diff.h"
#include "model/diff/diff_test.h"

#include <math.h>

#include "../../elf_symbols.h"
#include "../../recording.h"

#define BASE UINT64_C(0x7f0000000000)
#define LOST UINT64_C(0x7f1000000000)
#define SIZE UINT64_C(0x100000)

/* Default weight of samples. */
#define TICK 1000

static const char *library;
static uint64_t alpha, beta, gamma_;

static const uint8_t id_a[20] = "a", id_b[20] = "b";

/* The stacks of the recordings. */
enum { ALPHA, BETA, GAMMA, NAMELESS, OTHER_NAMELESS, STACKS };

/* A run being made: the number of samples of each stack. */
struct run {
	int samples[STACKS];
	uint32_t ns; /* per sample; 0: the default */
	const char *lost_path;
	const uint8_t *lost_id; /* NULL: none */
};

/* A run, read. */
struct made {
	struct recording recording;
	struct reader reader;
	struct profile profile;
};

static void add_samples(struct recording *recording, const struct run *run)
{
	uint64_t time = 0;

	for (uint32_t stack = 0; stack < STACKS; stack++) {
		struct record_samples *samples = NULL;

		for (int i = 0; i < run->samples[stack]; i++, time += 1024) {
			if (i % 100 == 0)
				samples = recording_samples(recording, 42, "main", time, 100);
			recording_sample(samples, stack, run->ns ? run->ns : TICK, time);
		}
	}
}

static void make(struct made *made, const struct run *run)
{
	static struct profile_filter filter = { .keep_samples = true };
	struct recording *recording = &made->recording;
	uint64_t process;
	struct err err;

	*recording = recording_new(0);
	process = recording_process(recording, 42, 0);
	recording_mapped(recording, 0, BASE, SIZE, library, NULL);
	recording_mapped(recording, 0, LOST, SIZE, run->lost_path ? run->lost_path : "/gone/x",
			 run->lost_id);
	recording_sampler(recording, 1000);
	recording_segment(recording, RECORD_COUNTS, recording_thread(recording, process, 42), 10,
			  NULL, 0);
	/* beta calls all. */
	recording_stack(recording, ALPHA, (uint64_t[]){ BASE + alpha, BASE + beta + 1 }, 2);
	recording_stack(recording, BETA, (uint64_t[]){ BASE + beta }, 1);
	recording_stack(recording, GAMMA, (uint64_t[]){ BASE + gamma_, BASE + beta + 1 }, 2);
	recording_stack(recording, NAMELESS, (uint64_t[]){ LOST + 0x10 }, 1);
	recording_stack(recording, OTHER_NAMELESS, (uint64_t[]){ LOST + 0x20, LOST + 0x11 }, 2);
	add_samples(recording, run);
	if (reader_open(&made->reader, recording_file(recording, recording->size), &err) ||
	    profile_read(&made->profile, &made->reader, &filter, &err))
		bail_out(err.text);
}

#define RUNS_MAX 4

/* A comparison, with its input. */
struct compared {
	struct made made[DIFF_SIDES][RUNS_MAX];
	const struct profile *profiles[DIFF_SIDES][RUNS_MAX];
	size_t counts[DIFF_SIDES];
	struct diff diff;
};

static void add(struct compared *compared, enum diff_side side, struct run run)
{
	struct made *made = &compared->made[side][compared->counts[side]];

	make(made, &run);
	compared->profiles[side][compared->counts[side]++] = &made->profile;
}

static void compare(struct compared *compared, struct diff_options options)
{
	struct diff_runs sides[DIFF_SIDES];
	struct err err;

	for (int side = 0; side < DIFF_SIDES; side++)
		sides[side] = (struct diff_runs){ .profiles = compared->profiles[side],
						  .count = compared->counts[side],
						  .program = side == DIFF_OLD ? "old" : "new" };
	if (diff_make(&compared->diff, sides, &options, &err))
		bail_out(err.text);
	diff_sort(&compared->diff, NULL);
}

static void compared_free(struct compared *compared)
{
	diff_free(&compared->diff);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < compared->counts[side]; i++) {
			profile_free(&compared->made[side][i].profile);
			reader_close(&compared->made[side][i].reader);
			recording_free(&compared->made[side][i].recording);
		}
	}
}

static const struct diff_row *row_of(const struct compared *compared, const char *name)
{
	static const struct diff_row none;

	for (size_t i = 0; i < compared->diff.count; i++) {
		const struct diff_row *row = &compared->diff.rows[i];

		if (strcmp(diff_unit(&compared->diff, row->node)->name, name) == 0)
			return row;
	}
	return &none;
}

static bool is(const struct diff_change *change, double before, double now)
{
	if (change->sides[DIFF_OLD].value == before && change->sides[DIFF_NEW].value == now)
		return true;
	note("%g and %g", change->sides[DIFF_OLD].value, change->sides[DIFF_NEW].value);
	return false;
}

static void functions(void)
{
	struct compared compared = { 0 };
	const struct diff_row *row;

	add(&compared, DIFF_OLD, (struct run){ .samples = { 200, 300, 20 } });
	add(&compared, DIFF_NEW, (struct run){ .samples = { 300, 310, 0 } });
	compare(&compared, (struct diff_options){ .by = DIFF_BY_FUNCTION });
	row = row_of(&compared, "alpha");
	ok(compared.diff.count == 3 && is(&row->self, 200 * TICK, 300 * TICK) &&
		   is(&row->total, 200 * TICK, 300 * TICK),
	   "time of a function before and after");
	ok(is(&row_of(&compared, "beta")->self, 300 * TICK, 310 * TICK) &&
		   is(&row_of(&compared, "beta")->total, 520 * TICK, 610 * TICK),
	   "with what it calls");
	ok(row->self.is_significant && row->self.p < 1e-4 &&
		   !row_of(&compared, "beta")->self.is_significant,
	   "half as much again of 200 samples is not noise, 3 per cent of 300 is");
	ok(is(&row_of(&compared, "gamma_")->self, 20 * TICK, 0) &&
		   row_of(&compared, "gamma_")->self.is_significant,
	   "one that is gone");
	ok(is(&compared.diff.all, 520 * TICK, 610 * TICK) && compared.diff.all.is_significant,
	   "all of it");
	ok(&compared.diff.rows[0] == row && compared.diff.tested == 3,
	   "the largest change is the first");
	diff_sort(&compared.diff, "relative");
	ok(&compared.diff.rows[0] == row_of(&compared, "gamma_"), "by relative change");
	diff_sort(&compared.diff, "name");
	ok(&compared.diff.rows[1] == row_of(&compared, "beta") && !diff_sort_known("selves"),
	   "by name");
	diff_sort(&compared.diff, "old");
	ok(&compared.diff.rows[0] == row_of(&compared, "beta"), "by time before");
	diff_sort(&compared.diff, "object");
	ok(&compared.diff.rows[0] == row_of(&compared, "alpha"),
	   "by object; in one, what has changed most");
	compared_free(&compared);
}

/* Functions on the stack of a row. */
static int depth_of(const struct compared *compared, const char *name)
{
	int depth = 0;

	for (uint32_t i = row_of(compared, name)->node; i != DIFF_ROOT;
	     i = compared->diff.tree.nodes[i].caller)
		depth++;
	return depth;
}

static void others(void)
{
	struct compared compared = { 0 };

	add(&compared, DIFF_OLD, (struct run){ .samples = { 200, 300, 20 } });
	add(&compared, DIFF_NEW, (struct run){ .samples = { 300, 310, 0 } });
	compare(&compared, (struct diff_options){ .by = DIFF_BY_STACK });
	ok(compared.diff.count == 3 && depth_of(&compared, "alpha") == 2 &&
		   is(&row_of(&compared, "beta")->self, 300 * TICK, 310 * TICK),
	   "by stack");
	diff_free(&compared.diff);
	compare(&compared, (struct diff_options){ .by = DIFF_BY_OBJECT });
	ok(compared.diff.count == 1 && is(&compared.diff.rows[0].self, 520 * TICK, 610 * TICK),
	   "by object");
	diff_free(&compared.diff);
	compare(&compared, (struct diff_options){ .is_normalized = true });
	ok(is(&row_of(&compared, "beta")->total, 1, 1) &&
		   is(&row_of(&compared, "alpha")->self, 200 / 520.0, 300 / 610.0),
	   "shares of all time");
	ok(row_of(&compared, "beta")->total.p == 1 && row_of(&compared, "alpha")->self.p < 0.05 &&
		   row_of(&compared, "alpha")->self.p > 1e-4,
	   "which tell less");
	compared_free(&compared);
}

/* Functions without symbols, in files with build-ids. */
static void nameless(void)
{
	struct compared compared = { 0 };

	add(&compared, DIFF_OLD,
	    (struct run){ .samples = { [NAMELESS] = 1, [OTHER_NAMELESS] = 10 },
			  .lost_path = "/gone/libx.so.1.2",
			  .lost_id = id_a });
	add(&compared, DIFF_NEW,
	    (struct run){ .samples = { [NAMELESS] = 2, [OTHER_NAMELESS] = 20 },
			  .lost_path = "/gone/new/libx.so.1.3",
			  .lost_id = id_a });
	compare(&compared, (struct diff_options){ 0 });
	ok(compared.diff.count == 2 &&
		   is(&row_of(&compared, "libx.so.1.3+0x10")->total, 11 * TICK, 22 * TICK) &&
		   is(&row_of(&compared, "libx.so.1.3+0x20")->self, 10 * TICK, 20 * TICK),
	   "the same file: functions without symbols are matched by address");
	compared_free(&compared);

	compared = (struct compared){ 0 };
	add(&compared, DIFF_OLD, (struct run){ .samples = { 5 }, .lost_id = id_a });
	add(&compared, DIFF_NEW,
	    (struct run){ .samples = { 5, [NAMELESS] = 2, [OTHER_NAMELESS] = 20 },
			  .lost_id = id_a });
	compare(&compared, (struct diff_options){ 0 });
	ok(is(&row_of(&compared, "x+0x10")->total, 0, 22 * TICK) &&
		   is(&row_of(&compared, "x+0x20")->self, 0, 20 * TICK),
	   "a file that one side has no samples of: by address");
	compared_free(&compared);

	compared = (struct compared){ 0 };
	add(&compared, DIFF_OLD,
	    (struct run){ .samples = { [NAMELESS] = 1, [OTHER_NAMELESS] = 10 },
			  .lost_path = "/gone/libx.so.1.2",
			  .lost_id = id_a });
	add(&compared, DIFF_NEW,
	    (struct run){ .samples = { [NAMELESS] = 2, [OTHER_NAMELESS] = 20 },
			  .lost_path = "/gone/new/libx.so.1.3",
			  .lost_id = id_b });
	compare(&compared, (struct diff_options){ 0 });
	ok(compared.diff.count == 1 &&
		   is(&row_of(&compared, "libx.so.1.3 without symbols")->self, 11 * TICK,
		      22 * TICK) &&
		   is(&compared.diff.rows[0].total, 11 * TICK, 22 * TICK),
	   "another file: all of them are one");
	compared_free(&compared);
}

/* Two programs with any names. */
static void programs(void)
{
	struct compared compared = { 0 };

	add(&compared, DIFF_OLD,
	    (struct run){ .samples = { [NAMELESS] = 30 }, .lost_path = "/gone/old" });
	add(&compared, DIFF_NEW,
	    (struct run){ .samples = { [NAMELESS] = 40 }, .lost_path = "/gone/new" });
	compare(&compared, (struct diff_options){ .by = DIFF_BY_OBJECT });
	ok(compared.diff.count == 1 && is(&row_of(&compared, "new")->self, 30 * TICK, 40 * TICK),
	   "the executed programs are one object");
	compared_free(&compared);

	compared = (struct compared){ 0 };
	add(&compared, DIFF_OLD,
	    (struct run){ .samples = { [NAMELESS] = 30 }, .lost_path = "/gone/new" });
	add(&compared, DIFF_NEW,
	    (struct run){ .samples = { [NAMELESS] = 40 }, .lost_path = "/gone/new" });
	compare(&compared, (struct diff_options){ .by = DIFF_BY_OBJECT });
	ok(compared.diff.count == 1, "unless that is not an object of both, such as a script");
	compared_free(&compared);
}

/* Samples with ten times the weight are ten times fewer. */
static void weights(void)
{
	struct compared compared = { 0 };
	double light;

	add(&compared, DIFF_OLD, (struct run){ .samples = { 300, 1000 } });
	add(&compared, DIFF_NEW, (struct run){ .samples = { 400, 1000 } });
	compare(&compared, (struct diff_options){ 0 });
	light = row_of(&compared, "alpha")->self.p;
	compared_free(&compared);

	compared = (struct compared){ 0 };
	add(&compared, DIFF_OLD, (struct run){ .samples = { 30, 100 }, .ns = 10 * TICK });
	add(&compared, DIFF_NEW, (struct run){ .samples = { 400, 1000 } });
	compare(&compared, (struct diff_options){ 0 });
	ok(light < 0.001 && row_of(&compared, "alpha")->self.p > 0.05 &&
		   is(&row_of(&compared, "alpha")->self, 300 * TICK, 400 * TICK),
	   "the same times from fewer samples tell less: %g and %g",
	   row_of(&compared, "alpha")->self.p, light);
	compared_free(&compared);
}

static void repeated(void)
{
	static const int calm[] = { 400, 410, 390 }, wild[] = { 300, 500, 400 };
	struct compared compared = { 0 };

	for (int i = 0; i < 3; i++) {
		add(&compared, DIFF_OLD, (struct run){ .samples = { calm[i], calm[i] } });
		add(&compared, DIFF_NEW,
		    (struct run){ .samples = { calm[i] + 100, wild[i] + 100 } });
	}
	compare(&compared, (struct diff_options){ 0 });
	ok(is(&row_of(&compared, "alpha")->self, 400 * TICK, 500 * TICK) &&
		   is(&row_of(&compared, "beta")->self, 400 * TICK, 500 * TICK) &&
		   diff_is_repeated(&compared.diff),
	   "of several runs, one on average");
	ok(row_of(&compared, "alpha")->self.is_significant &&
		   !row_of(&compared, "beta")->self.is_significant,
	   "a change has to stand out from how much runs differ");
	compared_free(&compared);
}

static void nothing(void)
{
	struct compared compared = { 0 };

	add(&compared, DIFF_OLD, (struct run){ .samples = { 0 } });
	add(&compared, DIFF_NEW, (struct run){ .samples = { 5 } });
	compare(&compared, (struct diff_options){ 0 });
	ok(is(&row_of(&compared, "alpha")->self, 0, 5 * TICK) && compared.diff.tested == 0 &&
		   !row_of(&compared, "alpha")->self.is_significant,
	   "nothing and a few samples are noise");
	diff_free(&compared.diff);
	compare(&compared, (struct diff_options){ .is_normalized = true });
	ok(is(&row_of(&compared, "alpha")->self, 0, 1), "also as a share");
	compared_free(&compared);
}

static struct diff_change counted(uint64_t old, uint64_t new)
{
	return (struct diff_change){
		.sides = { { .samples = old, .ns = (double)old, .squares = (double)old },
			   { .samples = new, .ns = (double)new, .squares = (double)new } }
	};
}

/* A leaf has grown as much with its callees as by itself, beside others that have certainly grown
 * only with their callees. */
static void leaf(void)
{
	struct diff_row rows[20];
	struct diff diff = {
		.rows = rows, .count = 20, .runs = { 1, 1 }, .all = counted(100000, 100000)
	};

	for (int i = 0; i < 20; i++)
		rows[i] = (struct diff_row){ .self = counted(100, 100),
					     .total = counted(1000, 2000) };
	rows[0].self = rows[0].total = counted(100, 134);
	if (diff_test(&diff))
		bail_out("there is no memory");
	ok(rows[0].self.p == rows[0].total.p && rows[0].self.p < 0.05,
	   "a leaf has the same p twice: %g", rows[0].self.p);
	ok(rows[0].self.is_significant == rows[0].total.is_significant,
	   "and the same verdict, whatever others do");
	ok(rows[1].total.is_significant && !rows[1].self.is_significant && diff.tested == 20,
	   "the others have two");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail_out("usage: test_diff LIBRARY");
	library = realpath(argv[1], NULL);
	alpha = elf_symbol_offset(library, "alpha");
	beta = elf_symbol_offset(library, "beta");
	gamma_ = elf_symbol_offset(library, "gamma_");
	functions();
	others();
	nameless();
	programs();
	weights();
	repeated();
	nothing();
	leaf();
	return tap_done();
}
