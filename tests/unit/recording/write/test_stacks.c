/* SPDX-License-Identifier: MIT
 *
 * test_stacks.c - numbers of stacks: equal for equal stacks, common frames written once, and with
 * any size of the table, a number leads to its stack.
 */
#include <errno.h>
#include <pthread.h>

#include "recording/format_script.h"
#include "recording/write/stacks.h"
#include "../../runtime/calls/wrapped.h"

#define DEPTH      40
#define FRAMES_MAX (1 << 22)

static struct record_frame *frames; /* by number, as a reader finds them */
static uint32_t frame_count;
static bool twice; /* a number was given to two frames */

static void begin(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
}

static struct stacks new_table(size_t entries)
{
	struct stacks stacks;
	size_t size = entries * sizeof(struct stacks_entry);

	if (stacks_init(&stacks, calloc(1, size), size))
		bail_out("there is no table");
	return stacks;
}

static void read_item(const struct record_frames *item)
{
	for (uint32_t i = 0; i < item->count; i++) {
		struct record_frame *frame = &frames[item->first + i];

		twice = twice || frame->pc[0] || frame->pc[1];
		*frame = item->frames[i];
		frame_count++;
	}
}

static void read_frames(void)
{
	const struct record_segment *segment = NULL;
	size_t size;
	const char *bytes = recording_map(&size);

	free(frames);
	frames = calloc(FRAMES_MAX, sizeof(*frames));
	frame_count = 0;
	twice = false;
	while ((segment = recording_next(bytes, size, segment)))
		if (segment->kind == RECORD_COUNTS)
			for (const struct record_item *item = NULL;
			     (item = item_next(segment, item));)
				read_item((const struct record_frames *)item);
}

/* Returns true if a number leads to that stack, frame by frame. */
static bool leads_to(uint32_t number, const struct stack *stack)
{
	for (int i = 0; i < stack->depth; i++) {
		const struct record_frame *frame = &frames[number];
		uint64_t pc = frame->pc[0] | (uint64_t)(frame->pc[1] & ~RECORD_FRAME_GUESSED) << 32;

		if (number >= RECORD_FRAME_MAX || pc != stack->pcs[i] ||
		    !(frame->pc[1] & RECORD_FRAME_GUESSED) != (i < stack->certain))
			return false;
		number = frame->caller;
	}
	return number == RECORD_FRAME_LAST(stack->end);
}

/* Makes a stack from two bytes: callers shared with others, and a distinct place. */
static struct stack stack_of(uint64_t *pcs, uint64_t *hashes, unsigned int which)
{
	int depth = 2 + (int)(which % 7);

	for (int i = 0; i < depth; i++)
		pcs[i] = UINT64_C(0x7f0012345000) + (uintptr_t)(depth - i) * 64 +
			 (which >> (4 * i)) % 16;
	return (struct stack){ .pcs = pcs, .hashes = hashes, .depth = depth, .certain = depth };
}

static void numbers(void)
{
	struct room room = { .kind = RECORD_COUNTS, .owner = 77 };
	struct stacks_writer writer = { .room = &room };
	struct stacks stacks = new_table(1024);
	uint64_t pcs[DEPTH] = { 0x1000, 0x2000, 0x3000 }, other[DEPTH] = { 0x1004, 0x2000, 0x3000 };
	uint64_t hashes[DEPTH];
	struct stack stack = { .pcs = pcs, .hashes = hashes, .depth = 3, .certain = 3 };
	struct stack next = { .pcs = other, .hashes = hashes, .depth = 3, .certain = 3 };
	struct stack cut = stack, guessed = stack, alone = stack;
	uint32_t first, again, second, of_cut, of_guessed, of_alone, before;

	begin();
	cut.end = RECORD_STACK_TOO_DEEP;
	guessed.certain = 2;
	alone.depth = alone.certain = 1;
	ok(stacks_number(&stacks, &writer, &stack, &first) &&
		   stacks_number(&stacks, &writer, &stack, &again) && first == again,
	   "the same stack has the same number");
	read_frames();
	before = frame_count;
	ok(before == 3 && leads_to(first, &stack), "its three frames are written, once");
	stacks_number(&stacks, &writer, &next, &second);
	read_frames();
	ok(frame_count == before + 1 && second != first && leads_to(second, &next),
	   "another place in the innermost function is one more frame");
	stacks_number(&stacks, &writer, &cut, &of_cut);
	stacks_number(&stacks, &writer, &guessed, &of_guessed);
	stacks_number(&stacks, &writer, &alone, &of_alone);
	read_frames();
	ok(of_cut != first && leads_to(of_cut, &cut),
	   "one that ends for another reason is another");
	ok(of_guessed != first && leads_to(of_guessed, &guessed), "so is one with a guess in it");
	ok(of_alone != first && leads_to(of_alone, &alone), "so is the innermost frame alone");
	ok(leads_to(first, &stack) && !twice, "and those before are as they were");
	free(stacks.entries);
}

/* Many stacks in a table of this many entries. */
static void many(size_t entries, unsigned int count, const char *what)
{
	struct room room = { .kind = RECORD_COUNTS, .owner = 77 };
	struct stacks_writer writer = { .room = &room };
	struct stacks stacks = new_table(entries);
	uint32_t *given = calloc(count, sizeof(*given));
	uint64_t pcs[DEPTH];
	uint64_t hashes[DEPTH];
	bool right = true, written = true;

	begin();
	for (unsigned int i = 0; i < count; i++) {
		struct stack stack = stack_of(pcs, hashes, i);

		written = stacks_number(&stacks, &writer, &stack, &given[i]) && written;
	}
	read_frames();
	for (unsigned int i = 0; i < count; i++) {
		struct stack stack = stack_of(pcs, hashes, i);

		right = leads_to(given[i], &stack) && right;
	}
	ok(written && right && !twice, "%s: each of %u stacks is found by its number", what, count);
	note("%u frames", frame_count);
	free(stacks.entries);
	free(given);
}

/* A table is filled from its beginning, so that memory is touched as stacks are added. */
static void few(void)
{
	struct room room = { .kind = RECORD_COUNTS, .owner = 77 };
	struct stacks_writer writer = { .room = &room };
	const size_t entries = 1 << 18;
	struct stacks stacks = new_table(entries);
	uint64_t pcs[DEPTH];
	uint64_t hashes[DEPTH];
	uint32_t number;
	size_t last = 0;

	begin();
	for (unsigned int i = 0; i < 60; i++) {
		struct stack stack = stack_of(pcs, hashes, i);

		stacks_number(&stacks, &writer, &stack, &number);
	}
	for (size_t i = 0; i < entries; i++)
		if (atomic_load(&stacks.entries[i].hash))
			last = i;
	ok(last < 4096, "60 stacks are in the first %zu entries of %zu", last + 1, entries);
	free(stacks.entries);
}

/* ---- many threads ---- */

#define THREADS 4
#define STACKS  20000

static struct stacks shared;
static uint32_t given[THREADS][STACKS];

static unsigned int which_of(unsigned int thread, unsigned int i)
{
	return (i * 7919 + thread * 13) % 4096; /* the same ones, in another order */
}

/* Returns NULL on success. */
static void *number_many(void *argument)
{
	unsigned int thread = (unsigned int)(uintptr_t)argument;
	struct room room = { .kind = RECORD_COUNTS, .owner = 100 + thread };
	struct stacks_writer writer = { .room = &room };
	uint64_t pcs[DEPTH];
	uint64_t hashes[DEPTH];

	for (unsigned int i = 0; i < STACKS; i++) {
		struct stack stack = stack_of(pcs, hashes, which_of(thread, i));

		if (!stacks_number(&shared, &writer, &stack, &given[thread][i]))
			return argument ? argument : &shared;
	}
	return NULL;
}

static void threads(void)
{
	pthread_t ids[THREADS];
	uint64_t pcs[DEPTH];
	uint64_t hashes[DEPTH];
	bool right = true;
	void *failed, *any = NULL;

	begin();
	shared = new_table(1 << 16);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, number_many, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], &failed);
		any = failed ? failed : any;
	}
	read_frames();
	for (unsigned int t = 0; t < THREADS; t++)
		for (unsigned int i = 0; i < STACKS; i++) {
			struct stack stack = stack_of(pcs, hashes, which_of(t, i));

			right = leads_to(given[t][i], &stack) && right;
		}
	ok(!any && right, "threads that number the same stacks at once all find them");
	ok(!twice, "no two of them have used the same number");
	free(shared.entries);
	ok(frame_count < 4 * 4096 * 3, "and few frames are written twice: %u", frame_count);
}

/* ---- no room ---- */

static void scarcity(void)
{
	static struct stacks_entry little[511];
	struct room room = { .kind = RECORD_COUNTS, .owner = 77 };
	struct stacks_writer writer = { .room = &room };
	struct stacks stacks;
	uint64_t pcs[1] = { 0x1000 };
	uint64_t hashes[1];
	struct stack stack = { .pcs = pcs, .hashes = hashes, .depth = 1, .certain = 1 };
	uint32_t number;
	bool refused;

	ok(stacks_init(&stacks, little, sizeof(little)) == -EINVAL,
	   "a table of 511 entries is refused");
	begin();
	stacks = new_table(1024);
	atomic_store(&stacks.next, RECORD_FRAME_MAX - 1);
	ok(!stacks_number(&stacks, &writer, &stack, &number) &&
		   !stacks_number(&stacks, &writer, &stack, &number),
	   "where there are no more numbers it says so");
	atomic_store(&stacks.next, 0);
	limit_size(0);
	refused = !stacks_number(&stacks, &writer, &stack, &number);
	limit_size(RLIM_INFINITY);
	ok(refused, "so it does without space in the file");
	ok(stacks_number(&stacks, &writer, &stack, &number),
	   "and if there is some, all is well again");
	read_frames();
	ok(leads_to(number, &stack), "the stack is there then");
	free(stacks.entries);
}

/* Frames that are added to a stack which has a number: those of the kernel. */
static void pushed(void)
{
	uint64_t pcs[] = { 30, 20, 10 };
	uint64_t hashes[3];
	struct stack stack = { .pcs = pcs, .hashes = hashes, .depth = 3, .certain = 3 };
	struct room room = { .kind = RECORD_COUNTS, .owner = 64 };
	struct stacks_writer writer = { .room = &room };
	struct stacks stacks;
	struct stacks_tip tip = { 0 }, again, other;

	begin();
	stacks = new_table(1024);
	if (stacks_number(&stacks, &writer, &stack, &tip.number))
		tip.hash = hashes[0];
	again = other = tip;
	ok(stacks_push(&stacks, &writer, RECORD_KERNEL_START, &tip) &&
		   stacks_push(&stacks, &writer, RECORD_KERNEL_START + 8, &tip),
	   "frames are added to a stack");
	ok(stacks_push(&stacks, &writer, RECORD_KERNEL_START, &again) &&
		   stacks_push(&stacks, &writer, RECORD_KERNEL_START + 8, &again) &&
		   again.number == tip.number,
	   "the same ones have the same number");
	ok(stacks_push(&stacks, &writer, RECORD_KERNEL_START + 8, &other) &&
		   other.number != tip.number,
	   "others have another");
	read_frames();
	ok(frame_count == 6 && !twice, "each is written once");
	ok(frames[tip.number].pc[1] == 0x7fff8000 && frames[tip.number].pc[0] == 8 &&
		   frames[frames[tip.number].caller].pc[0] == 0 &&
		   frames[frames[frames[tip.number].caller].caller].pc[0] == 30,
	   "the last one leads to the others, and on to the stack");
	free(stacks.entries);
}

int main(void)
{
	numbers();
	pushed();
	many(1 << 17, 30000, "a large table");
	many(4096, 30000, "a table that is much too small");
	many(512, 2000, "the smallest table");
	few();
	threads();
	scarcity();
	free(frames);
	return tap_done();
}
