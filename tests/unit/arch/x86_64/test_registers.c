/* SPDX-License-Identifier: MIT
 *
 * test_registers.c - every way in and out of a wrapped call keeps what registers hold: all that can
 * be an argument on the way in, all that can be a result on the way out, and what belongs to the
 * caller.
 */
#include "../../apart.h"
#include "../../capture/calls/wrapped.h"
#include "../../random64.h"

/* As in registers.S. */
struct registers {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r12, r13, r14, r15;
	uint64_t stack[2];
	uint8_t st0[16], st1[16];
	uint8_t xmm[16][16];
	uint32_t mxcsr, fpucw;
};

_Static_assert(offsetof(struct registers, stack) == 120 && offsetof(struct registers, st1) == 152 &&
		       offsetof(struct registers, xmm) == 168 &&
		       offsetof(struct registers, fpucw) == 428,
	       "registers.S");

void registers_call(void *function, struct registers *given, struct registers *got);
void registers_function(void);
extern struct registers registers_arrived, registers_results;
struct registers registers_arrived, registers_results;

static uint64_t random_state = 1;

/* Every bit of everything, but what must be a floating-point number. */
static void fill(struct registers *registers)
{
	uint64_t *words = (uint64_t *)registers;

	for (size_t i = 0; i < sizeof(*registers) / sizeof(*words); i++)
		words[i] = random64(&random_state);
	/* A number, so that the x87 unit hands it back bit by bit: with its highest bit set. */
	registers->st0[7] |= 0x80;
	registers->st1[7] |= 0x80;
	registers->st0[9] = registers->st1[9] = 0x40;
}

static bool arguments_arrive(const struct registers *given)
{
	const struct registers *arrived = &registers_arrived;

	return arrived->rdi == given->rdi && arrived->rsi == given->rsi &&
	       arrived->rdx == given->rdx && arrived->rcx == given->rcx &&
	       arrived->r8 == given->r8 && arrived->r9 == given->r9 &&
	       arrived->stack[0] == given->stack[0] && arrived->stack[1] == given->stack[1] &&
	       memcmp(arrived->xmm, given->xmm, sizeof(given->xmm)) == 0;
}

static bool chain_and_count_arrive(const struct registers *given)
{
	return registers_arrived.rax == given->rax && registers_arrived.r10 == given->r10;
}

static bool results_come_back(const struct registers *got)
{
	const struct registers *results = &registers_results;

	return got->rax == results->rax && got->rdx == results->rdx &&
	       memcmp(got->xmm, results->xmm, sizeof(got->xmm)) == 0 &&
	       memcmp(got->st0, results->st0, 10) == 0 && memcmp(got->st1, results->st1, 10) == 0;
}

/* As they were at the call, both in the function and behind it. */
static bool are_kept(const struct registers *given, const struct registers *seen)
{
	return seen->rbx == given->rbx && seen->rbp == given->rbp && seen->r12 == given->r12 &&
	       seen->r13 == given->r13 && seen->r14 == given->r14 && seen->r15 == given->r15 &&
	       seen->rsp == given->rsp;
}

static void check(void *function, int times, const char *which)
{
	bool arguments = true, others = true, results = true, kept = true, modes = true;

	for (int i = 0; i < times; i++) {
		struct registers given, got;

		fill(&given);
		fill(&registers_results);
		memset(&registers_arrived, 0, sizeof(registers_arrived));
		memset(&got, 0, sizeof(got));
		registers_call(function, &given, &got);
		arguments = arguments_arrive(&given) && arguments;
		others = chain_and_count_arrive(&given) && others;
		results = results_come_back(&got) && results;
		kept = are_kept(&given, &registers_arrived) && are_kept(&given, &got) && kept;
		modes = got.mxcsr == registers_arrived.mxcsr &&
			(got.fpucw & 0xffff) == (registers_arrived.fpucw & 0xffff) && modes;
	}
	ok(arguments, "%s: all arguments arrive, in registers and on the stack", which);
	ok(others, "%s: so do the number of vector arguments and the static chain", which);
	ok(results, "%s: all results come back", which);
	ok(kept, "%s: what is the caller's is kept", which);
	ok(modes, "%s: and how the CPU rounds", which);
}

/* The first call starts the runtime; the second makes the record's histogram. */
static void check_flags(uint32_t flags, uint32_t clock, const char *which)
{
	void *wrapped_function;

	wrapped_begin_with(flags, clock);
	wrapped_function = wrap_as((void *)registers_function, "registers_function", 0);
	check(wrapped_function, 1, "the first call");
	check(wrapped_function, 5000, which);
	ok(SEEN(wrapped_function).calls == 5001, "and it was through the wrapper");
}

static void unwrapped(void)
{
	check((void *)registers_function, 1000, "without a wrapper");
}

static void timed(void)
{
	check_flags(0, RECORD_CLOCK_TICKS, "timed");
}

static void timed_in_c(void)
{
	check_flags(0, RECORD_CLOCK_NS, "timed in C");
}

static void counted(void)
{
	check_flags(RECORD_COUNT_ONLY, RECORD_CLOCK_TICKS, "counted");
}

static void counted_in_c(void)
{
	check_flags(RECORD_COUNT_ONLY | RECORD_BY_CALLER, RECORD_CLOCK_TICKS, "counted in C");
}

static void sampled(void)
{
	check_flags(RECORD_SAMPLE_TIMING, RECORD_CLOCK_TICKS, "sampled");
}

static void sampled_by_caller(void)
{
	check_flags(RECORD_SAMPLE_TIMING | RECORD_BY_CALLER, RECORD_CLOCK_TICKS,
		    "sampled, by caller");
}

/* A child that is not followed has jumps for all of its ways in. */
static void plain(void)
{
	void *wrapped_function;
	pid_t child;

	wrapped_begin_with(RECORD_NO_FOLLOW, RECORD_CLOCK_TICKS);
	wrapped_function = wrap_as((void *)registers_function, "registers_function", 0);
	check(wrapped_function, 10, "before a fork");
	child = apart_fork();
	if (child == 0) {
		struct registers given, got;

		fill(&given);
		fill(&registers_results);
		registers_call(wrapped_function, &given, &got);
		_exit(arguments_arrive(&given) && chain_and_count_arrive(&given) &&
				      results_come_back(&got) &&
				      are_kept(&given, &registers_arrived) && are_kept(&given, &got)
			      ? 0
			      : 1);
	}
	ok(apart_wait(child) == 0, "behind it, where nothing is counted, all is kept too");
}

int main(void)
{
	apart("without a wrapper", unwrapped);
	apart("timed", timed);
	apart("timed in C", timed_in_c);
	apart("counted", counted);
	apart("counted in C", counted_in_c);
	apart("sampled", sampled);
	apart("sampled, by caller", sampled_by_caller);
	apart("plain", plain);
	return tap_done();
}
