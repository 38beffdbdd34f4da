/* SPDX-License-Identifier: MIT
 *
 * record_truth.c DEPTH SECONDS - a program whose innermost function determines all its callers.
 *
 * walk_once() calls left() or right(), each of which calls one of both again, at random, and at
 * last one of 64 leaves: the last six turns determine which one. The last two of them also
 * determine how many turns there are: DEPTH and 0 to 3 more. So a thread that is interrupted in a
 * leaf has a known number of callers, and the innermost six are known too. Leaves look different to
 * an unwinder. tests/stat/record_truth.py relies on all this.
 *
 * Built by several compilers in several ways; as C++, some leaves throw exceptions.
 */
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#define MAY_THROW 1
#else
#define MAY_THROW 0
#endif

#define APART __attribute__((noinline)) /* has a frame of its own */
/* No call is the last thing that a function does: such leave no trace on the stack. */
#define STAY() __asm__ volatile("" ::: "memory")

#define TURNS  6
#define LEAVES (1 << TURNS)

struct turns {
	uint64_t random;
	unsigned int left; /* turns to take */
	unsigned int last; /* the last two of them */
	unsigned int path; /* those that were taken: left is 0, right is 1 */
};

static uint64_t state = 88172645463325252U;

static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static volatile unsigned int sink;

APART void spin(unsigned int n);
APART void spin(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		sink += i;
}

static void plain(struct turns *turns)
{
	unsigned int n = 40 + (turns->random >> 40) % 32;

	while (n--)
		sink += n;
}

static void with_alloca(struct turns *turns)
{
	size_t size = 16 + (turns->random >> 40) % 200;
	char *bytes = (char *)alloca(size);

	memset(bytes, (int)size, size);
	sink += (unsigned char)bytes[size / 2];
	spin(60);
	STAY();
}

static void with_alignment(struct turns *turns)
{
	__attribute__((aligned(128))) volatile uint64_t words[16];

	for (unsigned int i = 0; i < 48; i++)
		words[i % 16] = turns->random + i;
	sink += (unsigned int)words[3];
	spin(30);
	STAY();
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Through libc and back. */
static void with_library(struct turns *turns)
{
	int numbers[16];

	for (unsigned int i = 0; i < 16; i++)
		numbers[i] = (int)(turns->random >> (2 * i) & 0xffff);
	qsort(numbers, 16, sizeof(numbers[0]), compare);
	sink += (unsigned int)numbers[7];
	STAY();
}

/* Defines a leaf: each is a function of its own, also where several look alike. */
#define LEAF(n, body)                                                                              \
	APART void leaf_##n(struct turns *turns);                                                  \
	void leaf_##n(struct turns *turns)                                                         \
	{                                                                                          \
		body(turns);                                                                       \
		THROW(turns);                                                                      \
		sink += n;                                                                         \
		STAY();                                                                            \
	}

#if MAY_THROW
#define THROW(turns)                                                                               \
	if ((turns)->random >> 52 == 0)                                                            \
	throw 1
#else
#define THROW(turns) ((void)0)
#endif

#define FOUR(a, b, c, d)                                                                           \
	LEAF(a, plain) LEAF(b, with_alloca) LEAF(c, with_alignment) LEAF(d, with_library)
FOUR(0, 1, 2, 3)
FOUR(4, 5, 6, 7)
FOUR(8, 9, 10, 11)
FOUR(12, 13, 14, 15)
FOUR(16, 17, 18, 19)
FOUR(20, 21, 22, 23)
FOUR(24, 25, 26, 27)
FOUR(28, 29, 30, 31)
FOUR(32, 33, 34, 35)
FOUR(36, 37, 38, 39)
FOUR(40, 41, 42, 43)
FOUR(44, 45, 46, 47)
FOUR(48, 49, 50, 51)
FOUR(52, 53, 54, 55)
FOUR(56, 57, 58, 59)
FOUR(60, 61, 62, 63)

static void (*const leaves[LEAVES])(struct turns *) = {
	leaf_0,  leaf_1,  leaf_2,  leaf_3,  leaf_4,  leaf_5,  leaf_6,  leaf_7,  leaf_8,  leaf_9,
	leaf_10, leaf_11, leaf_12, leaf_13, leaf_14, leaf_15, leaf_16, leaf_17, leaf_18, leaf_19,
	leaf_20, leaf_21, leaf_22, leaf_23, leaf_24, leaf_25, leaf_26, leaf_27, leaf_28, leaf_29,
	leaf_30, leaf_31, leaf_32, leaf_33, leaf_34, leaf_35, leaf_36, leaf_37, leaf_38, leaf_39,
	leaf_40, leaf_41, leaf_42, leaf_43, leaf_44, leaf_45, leaf_46, leaf_47, leaf_48, leaf_49,
	leaf_50, leaf_51, leaf_52, leaf_53, leaf_54, leaf_55, leaf_56, leaf_57, leaf_58, leaf_59,
	leaf_60, leaf_61, leaf_62, leaf_63,
};

/* Something to clean up when an exception comes by. */
#if MAY_THROW
struct guard {
	~guard()
	{
		sink += 1;
	}
};
#define GUARD() guard guard_of_this
#else
#define GUARD() ((void)0)
#endif

APART void left(struct turns *turns);
APART void right(struct turns *turns);

static inline unsigned int next_turn(struct turns *turns)
{
	unsigned int left = turns->left--;

	return left <= 2 ? turns->last >> (left - 1) & 1 : turns->random & 1;
}

static inline __attribute__((always_inline)) void turn(struct turns *turns, unsigned int to)
{
	turns->path = turns->path << 1 | to;
	turns->random = turns->random << 63 | turns->random >> 1;
	if (turns->left == 0)
		leaves[turns->path % LEAVES](turns);
	else if (next_turn(turns))
		right(turns);
	else
		left(turns);
	STAY();
}

/* As if it were one frame with a good deal in it, and one with next to nothing. */
void left(struct turns *turns)
{
	volatile uint64_t words[5] = { turns->random };
	GUARD();

	turn(turns, 0);
	sink += (unsigned int)words[turns->path % 5];
	STAY();
}

void right(struct turns *turns)
{
	turn(turns, 1);
}

APART void walk_once(unsigned int depth);
void walk_once(unsigned int depth)
{
	struct turns turns = { random64(), depth, 0, 0 };

	turns.last = turns.random >> 32 & 3;
	turns.left += turns.last;
#if MAY_THROW
	try {
#endif
		if (next_turn(&turns))
			right(&turns);
		else
			left(&turns);
#if MAY_THROW
	} catch (int) {
		sink += 1;
	}
#endif
	STAY();
}

static double seconds_used(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	unsigned int depth = argc == 3 ? (unsigned int)atoi(argv[1]) : 0;
	double end = argc == 3 ? seconds_used() + atof(argv[2]) : 0;

	if (!depth)
		return 2;
	while (seconds_used() < end)
		for (int i = 0; i < 200; i++)
			walk_once(depth);
	return 0;
}

#ifdef __cplusplus
}
#endif
