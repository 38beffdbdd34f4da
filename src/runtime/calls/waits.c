/* SPDX-License-Identifier: MIT */
#include "waits.h"

#include <time.h>

#include "base/scramble.h"
#include "arena.h"
#include "runtime/process/instant.h"
#include "state.h"

/*
 * Means are in units of which RECORD_LONG_NS has some 2^UNIT_BITS: ticks, shifted to the left by
 * calls_state.unit_shift, or to the right if that is negative.
 */
#define UNIT_BITS 16
/* The assumed cost of a measurement, two system calls, and its largest part of a suspect's time. */
#define WATCH_UNITS 2048
#define PART        128
/* Calls that take longer on average are all measured. */
#define MEAN_BITS 18
#define MEAN_MOST (WATCH_UNITS * PART + 1)
_Static_assert(WATCH_UNITS *PART == 1 << MEAN_BITS, "a sum of calls below it fits into 32 bits");
/* A function whose calls take less on average, or that spends less than a LONG_LEAST of its time in
 * long calls, stops being a suspect until its next long call. */
#define MEAN_LEAST 4096
#define LONG_LEAST 8

/* ---- the rate of the clock ---- */

/* From 1 MHz to 10 GHz. */
#define LONG_LEAST_TICKS 20
#define LONG_MOST_TICKS  200000

/* A shorter time would be that of an interruption. */
#define RATE_LEAST_NS 100000

/* Divides bit by bit: 32-bit CPUs divide 64 bits by a function of libgcc, which the runtime does
 * without. */
uint64_t waits_long_ticks(uint64_t ticks, uint64_t ns)
{
	uint64_t found = 0;

	for (; ns >> 32; ns >>= 1)
		ticks >>= 1;
	if (ns < RATE_LEAST_NS || ticks >> 36)
		return 0;
	for (uint64_t bit = 1 << 17; bit; bit >>= 1)
		if ((found | bit) * ns <= RECORD_LONG_NS * ticks)
			found |= bit;
	return found >= LONG_LEAST_TICKS && found <= LONG_MOST_TICKS ? found : 0;
}

/* The program has been loaded since the start of the recording, which takes so long that a moment
 * between the two readings does not matter. */
void waits_find_rate(const struct record_header *header)
{
	const uint64_t usual = 1 << UNIT_BITS;
	int64_t ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	uint64_t found = RECORD_LONG_NS;

	if (calls_state.clock == RECORD_CLOCK_TICKS)
		found = ns > 0 ? waits_long_ticks(instant_now() - header->started.ticks,
						  (uint64_t)ns - header->started.ns)
			       : 0;
	calls_state.long_ticks = found ? found : usual;
	calls_state.unit_shift = UNIT_BITS - 63 + __builtin_clzll(calls_state.long_ticks * 3 / 2);
}

/* Returns ticks in units. */
static uint64_t units_of(uint64_t ticks)
{
	int32_t shift = calls_state.unit_shift;

	return shift >= 0 ? ticks << shift : ticks >> -shift;
}

/* Returns whether the tally is that of start.c, which is not in the recording, and outlives it. */
static bool is_calibrating(const struct tally *tally)
{
	return tally->seen.function == 0;
}

/* ---- suspects ---- */

static struct tally **place_of(struct calls_thread *thread, uint32_t function)
{
	return &thread->suspects[function % SUSPECTS_MAX];
}

struct tally *waits_suspect(const struct calls_thread *thread, uint32_t function)
{
	struct tally *tally = thread->suspects[function % SUSPECTS_MAX];

	return tally && tally->seen.function == function ? tally : NULL;
}

/*
 * Makes it a suspect. Hides its tally from the assembly, which leaves a function without one to C.
 * A signal handler may do the same with another one meanwhile, and that must not get lost.
 */
static void suspect(struct calls_thread *thread, struct tally *tally)
{
	uint32_t function = tally->seen.function;
	struct tally **place = place_of(thread, function), *old = *place;

	tally->is_suspect = true;
	if (function >= thread->capacity || thread->tallies[function] != tally)
		return;
	do
		if (old)
			thread->tallies[old->seen.function] = old;
	while (!__atomic_compare_exchange_n(place, &old, tally, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	thread->tallies[function] = NULL;
}

static void acquit(struct calls_thread *thread, struct tally *tally)
{
	struct tally *expected = tally;

	tally->is_suspect = false;
	if (!waits_suspect(thread, tally->seen.function))
		return;
	thread->tallies[tally->seen.function] = tally;
	__atomic_compare_exchange_n(place_of(thread, tally->seen.function), &expected, NULL, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Makes its item in the recording, as tallies.c does for octaves. */
static struct record_waits *waits_of(struct calls_thread *thread, struct tally *tally)
{
	struct record_waits *new = NULL;
	sys_sigset mask;

	if (tally->waits || room_denies(&thread->room, sizeof(*new)))
		return tally->waits;
	mask = state_block_signals();
	if (!tally->waits)
		new = room_take(&thread->room, sizeof(*new));
	if (new) {
		new->function = tally->seen.function;
		new->caller = tally->seen.caller;
		room_publish(&new->item, RECORD_WAITS);
		tally->waits = new;
	}
	state_restore_signals(mask);
	return tally->waits;
}

void waits_add(struct calls_thread *thread, struct tally *tally, uint64_t duration, uint64_t weight)
{
	struct record_waits *waits = is_calibrating(tally) ? NULL : waits_of(thread, tally);

	if (!waits)
		return;
	calls_add(&waits->sum, duration * weight);
	suspect(thread, tally);
}

/* ---- measurements ---- */

/* Returns the mean of the calls in units, at most MEAN_MOST, with 13 exact bits: both are shifted
 * until 32-bit CPUs can divide them. */
static uint32_t mean_of(const struct tally *tally)
{
	uint64_t calls = tally->seen.weight ? tally->seen.weight : tally->seen.returned;
	uint64_t sum = units_of(tally->seen.sum);
	unsigned shift = 0;

	if (!calls)
		return 0;
	if (sum >> MEAN_BITS >= calls)
		return MEAN_MOST;
	while (calls >> shift >> (32 - MEAN_BITS))
		shift++;
	return (uint32_t)(sum >> shift) / (uint32_t)(calls >> shift);
}

/*
 * Draws how many calls the next measured one stands for: at random, so that it cannot lock step
 * with the program, and so many that measuring costs at most a PART of their time.
 */
static void draw(struct calls_thread *thread, struct tally *tally, uint32_t mean)
{
	uint32_t gap = 1 + WATCH_UNITS * PART / (mean > MEAN_LEAST ? mean : MEAN_LEAST);

	thread->random = scramble(thread->random + 0x9e3779b9u);
	tally->stands = (uint16_t)(1 + thread->random % (2 * gap - 1));
	tally->unwatched = (uint16_t)(tally->stands - 1);
}

/* Returns how many calls this one stands for if it is to be measured; 0: it is not. */
static uint64_t turn_of(struct calls_thread *thread, struct tally *tally)
{
	uint64_t stands = tally->stands;
	uint32_t mean;

	/* The first call. */
	if (tally->seen.calls == 1)
		return is_calibrating(tally) ? 0 : 1;
	if (!tally->is_suspect)
		return 0;
	mean = mean_of(tally);
	if (mean < MEAN_LEAST || !tally->waits || tally->waits->sum < tally->seen.sum / LONG_LEAST)
		acquit(thread, tally);
	if (tally->unwatched) {
		tally->unwatched--;
		return 0;
	}
	draw(thread, tally, mean);
	return stands ? stands : 1;
}

static struct watch *find(struct calls_thread *thread, const struct slot *slot)
{
	for (uint32_t i = 0; i < WATCHES_MAX; i++)
		if (thread->watches[i].slot == slot)
			return &thread->watches[i];
	return NULL;
}

/*
 * Reads the thread's CPU clock, between two instants. A thread that loses its CPU meanwhile uses no
 * CPU time, so the least that it ever took is what it takes.
 */
static int64_t read_clock(struct calls_thread *thread, uint64_t before)
{
	int64_t cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t ticks = instant_now() - before;

	if (!thread->watch_ticks || ticks < thread->watch_ticks)
		thread->watch_ticks = ticks;
	return cpu_ns;
}

void waits_enter(struct calls_thread *thread, struct tally *tally, struct slot *slot)
{
	uint64_t stands = turn_of(thread, tally);
	struct watch *watch = stands ? find(thread, NULL) : NULL;
	int64_t cpu_ns = watch ? read_clock(thread, instant_now()) : -1;

	if (cpu_ns < 0)
		return;
	*watch = (struct watch){ .slot = slot, .cpu_ns = cpu_ns, .stands = stands };
	thread->watch_count++;
	slot->exit = arch_exit_whole;
}

void waits_drop(struct slot *slot)
{
	struct calls_thread *thread = slot->owner;
	struct watch *watch = thread->watch_count ? find(thread, slot) : NULL;

	if (!watch)
		return;
	watch->slot = NULL;
	thread->watch_count--;
	slot->exit = arena_way_out(slot);
}

uint64_t waits_leave(struct calls_thread *thread, struct tally *tally, const struct slot *slot,
		     const struct waits_ended *ended)
{
	const struct watch *watch = thread->watch_count ? find(thread, slot) : NULL;
	struct record_waits *waits = NULL;
	int64_t cpu_ns;

	if (!watch)
		return 0;
	cpu_ns = read_clock(thread, ended->now);
	if (ended->time >= calls_state.long_ticks && cpu_ns >= watch->cpu_ns)
		waits = waits_of(thread, tally);
	if (waits) {
		uint64_t weight = ended->weight * watch->stands;

		/* The CPU time contains half of each reading. */
		calls_add(&waits->watched, (ended->gross + thread->watch_ticks) * weight);
		calls_add(&waits->cpu_ns, (uint64_t)(cpu_ns - watch->cpu_ns) * weight);
		calls_add(&waits->calls, 1);
		suspect(thread, tally);
	}
	return 2 * thread->watch_ticks;
}

void waits_forget(struct calls_thread *thread)
{
	for (uint32_t i = 0; i < SUSPECTS_MAX; i++)
		thread->suspects[i] = NULL;
	for (uint32_t i = 0; i < WATCHES_MAX; i++)
		if (thread->watches[i].slot)
			waits_drop(thread->watches[i].slot);
	thread->watch_count = 0;
}
