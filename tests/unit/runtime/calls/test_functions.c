/* SPDX-License-Identifier: MIT
 *
 * test_functions.c - more functions than there are redirectors in the file: each redirector leads
 * to its own function, is counted, and can be unwound through.
 */
#include "../../apart.h"
#include "wrapped.h"

#define COUNT      132072 /* of functions: two pieces of redirectors, and a part of the third */
#define TEXT(x)    #x
#define TEXT_OF(x) TEXT(x)
_Static_assert(COUNT > 2 * FUNCTIONS_FILE && COUNT < 3 * FUNCTIONS_FILE, "a part of the third");

/* So many functions of one word each, which only return. */
__asm__(".text\n"
	".p2align 4\n"
	"crowd:\n"
	".rept " TEXT_OF(COUNT) "\n"
				"ret\n"
				".p2align 2\n"
				".endr\n");
extern char crowd[] __asm__("crowd");

static void (*wrapped_crowd[COUNT])(void);

/* Returns the call frame information of an address; NULL: there is none. A function of libgcc. */
struct dwarf_eh_bases {
	void *text, *data, *function;
};
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

static void wrap_all(uint32_t flags)
{
	wrapped_begin_with(flags, RECORD_CLOCK_TICKS);
	for (size_t i = 0; i < COUNT; i++) {
		char name[16];

		snprintf(name, sizeof(name), "crowd_%zu", i);
		wrapped_crowd[i] = (void (*)(void))wrap_as(crowd + 4 * i, name, 0);
	}
}

static void each_its_own(void)
{
	size_t right = 0;

	wrap_all(RECORD_COUNT_ONLY);
	for (size_t i = 0; i < COUNT; i++)
		wrapped_crowd[i]();
	for (size_t i = 0; i < COUNT; i++)
		right += SEEN(wrapped_crowd[i]).calls == 1 &&
			 calls_functions[wrapped_id((void *)wrapped_crowd[i])].target ==
				 (void *)(crowd + 4 * i);
	ok(right == COUNT, "%zu of %d functions are counted once, each as itself", right, COUNT);
	ok(calls_state.function_room == 3 * FUNCTIONS_FILE, "there is memory for no more pieces");
}

static void timed(void)
{
	wrap_all(0);
	for (int i = 0; i < 3; i++)
		wrapped_crowd[COUNT - 1]();
	ok(all_returned(SEEN(wrapped_crowd[COUNT - 1]), 3), "one of the last can be timed");
}

static void unwound(void)
{
	struct dwarf_eh_bases bases;
	const void *first, *last;

	wrap_all(0);
	first = _Unwind_Find_FDE((char *)(void *)wrapped_crowd[0] + 1, &bases);
	last = _Unwind_Find_FDE((char *)(void *)wrapped_crowd[COUNT - 1] + 1, &bases);
	ok(first && first == last && bases.function == (void *)arch_redirectors,
	   "the last redirector has the call frame information of the first");
}

int main(void)
{
	apart("each its own", each_its_own);
	apart("timed", timed);
	apart("unwound", unwound);
	return tap_done();
}
