/* SPDX-License-Identifier: MIT
 *
 * perl.c - the frames of Perl 5.36.
 *
 * A state has a list of stacks, and each of them an array of contexts; those of functions are
 * linked. The evaluation function, Perl_runops_standard(), holds the state and nothing else: so
 * its native frames and the activations in the contexts are brought together by their order,
 * from the outermost on.
 *
 *	contexts  f, g with return NULL | compare, block of sort | h ... main
 *	native    runops <- call_sv       runops <- Perl_pp_sort   runops <- perl_run
 *
 * An activation ends with a function that returns to no operation, as the native caller has called
 * it; with a stack, for the block of a sort; or with the program itself. The code between two calls
 * of a block has an activation in the contexts, but no native frame: as it is the innermost, it is
 * never reached. Elsewhere the native frame and the activation are of two kinds, and the native
 * frame remains.
 *
 * An eval inside of a native call runs in an evaluation function of its own, which then runs all
 * that remains of the activation (S_docatch()). So the inner native frame stands for all frames,
 * and the outer one for none.
 */
#include "perl.h"

#include "callees.h"
#include "evaluation.h"
#include "fields.h"

#include "perl_layouts.h"

#define WORD       ((uintptr_t)8)
#define KEPT_STATE 0 /* what arch_perl_held has a register for */

/* ---- finding ---- */

/* Indices of interpreter_found.places: functions that call the evaluation function, each with its
 * end. */
enum { CATCH = 0, RUN = 2, CALL = 4, CALL_OPERATOR = 6, CALL_TEXT = 8 };

#define CATCH_BYTES 1024 /* at most */

/* Reads the version, a byte a number, as 536; 0: it cannot be read. */
static uint32_t version_of(const struct dynsym *symbols)
{
	uintptr_t major = dynsym_find(symbols, "PL_revision"),
		  minor = dynsym_find(symbols, "PL_version");
	uint8_t numbers[2];

	if (!major || !minor || !peek_bytes(symbols->peek, major, &numbers[0], 1) ||
	    !peek_bytes(symbols->peek, minor, &numbers[1], 1))
		return 0;
	return (uint32_t)numbers[0] * 100 + numbers[1];
}

/* Returns true if code calls the evaluation function of the state that it holds. */
static bool calls_runops(const uint8_t code[CATCH_BYTES], const struct perl_layout *layout)
{
	for (size_t i = 0; i + ARCH_CALL_MEMBER_BYTES <= CATCH_BYTES; i += ARCH_CODE_ALIGNMENT)
		if (arch_call_member(code + i, (uint32_t)layout->state_runops))
			return true;
	return false;
}

/* Finds S_docatch(), which nothing exports: Perl_pp_entertry() ends with a jump there. Its code
 * decides between the layouts of one version, which differ from CPU to CPU. */
static bool find_catch(const struct dynsym *symbols, struct interpreter_found *found)
{
	uintptr_t end, start = dynsym_range(symbols, "Perl_pp_entertry", &end), target;
	uint8_t jump[ARCH_JUMP_BYTES], code[CATCH_BYTES];

	if (!start || !peek_bytes(symbols->peek, end - sizeof(jump), jump, sizeof(jump)))
		return false;
	target = arch_jump_here(jump, end - sizeof(jump));
	if (!target || !peek_bytes(symbols->peek, target, code, sizeof(code)))
		return false;
	found->places[CATCH] = target;
	found->places[CATCH + 1] = target + CATCH_BYTES;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if ((uint32_t)layouts[i].version == found->version &&
		    calls_runops(code, &layouts[i]))
			found->layout = &layouts[i];
	return found->layout;
}

static bool find_places(const struct dynsym *symbols, struct interpreter_found *found)
{
	static const struct {
		int at;
		const char *name;
	} callers[] = { { RUN, "perl_run" },
			{ CALL, "Perl_call_sv" },
			{ CALL_OPERATOR, "Perl_amagic_call" },
			{ CALL_TEXT, "Perl_eval_sv" } };

	uint8_t code[ARCH_HELD_BYTES];

	for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
		uintptr_t *place = &found->places[callers[i].at];

		place[0] = dynsym_range(symbols, callers[i].name, &place[1]);
		if (!place[0])
			return false;
	}
	found->evaluation = dynsym_range(symbols, "Perl_runops_standard", &found->evaluation_end);
	return callees_holds(symbols, found->evaluation, found->held, code) &&
	       find_catch(symbols, found);
}

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	if (!dynsym_find(symbols, "perl_construct") || !dynsym_find(symbols, "Perl_call_sv"))
		return RECORD_INTERPRETER_NONE;
	*found = (struct interpreter_found){ .kind = &interpreter_perl,
					     .held = &arch_perl_held,
					     .version = version_of(symbols) };
	/* Only a build with threads has this variable. */
	if (!dynsym_find(symbols, "PL_thr_key") || sizeof(uintptr_t) != WORD)
		return RECORD_INTERPRETER_UNKNOWN;
	return find_places(symbols, found) ? RECORD_INTERPRETER_WALKED : RECORD_INTERPRETER_UNKNOWN;
}

/* ---- native frames ---- */

static bool is_in(const struct interpreter_found *found, int place, uintptr_t pc)
{
	return pc >= found->places[place] && pc < found->places[place + 1];
}

static uintptr_t caller_of(const struct script_walk *walk, int native)
{
	return (uintptr_t)walk->native_pcs[walk->natives->frames[native].frame + 1];
}

/* Returns true if a native frame has taken over the activation of the next one. */
static bool takes_over(const struct script_walk *walk, int native)
{
	return native + 1 < walk->natives->count &&
	       walk->natives->frames[native + 1].frame == walk->natives->frames[native].frame + 2 &&
	       is_in(walk->found, CATCH, caller_of(walk, native));
}

/* Returns true if a function of Perl itself has called the function that a native frame runs. Else
 * it is a block that is called repeatedly. */
static bool is_called(const struct script_walk *walk, int native)
{
	uintptr_t caller;

	while (takes_over(walk, native))
		native++;
	caller = caller_of(walk, native);
	return is_in(walk->found, CALL, caller) || is_in(walk->found, CALL_OPERATOR, caller) ||
	       is_in(walk->found, CALL_TEXT, caller) || is_in(walk->found, RUN, caller);
}

/* Returns how many activations there are from that of a native frame on outwards. *has_main: the
 * outermost one runs the program. */
static int level_of(const struct script_walk *walk, uintptr_t state, bool *has_main)
{
	int level = 0;

	for (int i = walk->native; i < walk->natives->count; i++) {
		if (walk->natives->frames[i].value[KEPT_STATE] != state)
			continue;
		level += !takes_over(walk, i);
		*has_main = is_in(walk->found, RUN, caller_of(walk, i));
	}
	return level;
}

/* ---- activations ---- */

/* Returns the state that a native frame holds; 0: something else, or that of the next one. */
static uintptr_t state_of(struct script_walk *walk)
{
	const struct perl_layout *layout = walk->found->layout;
	uintptr_t state = walk->kept[KEPT_STATE];

	return walk->is_complete && state && field_can(walk, state, layout->state_bytes) &&
			       field_word(walk, state, layout->state_runops) ==
				       walk->found->evaluation
		       ? state
		       : 0;
}

static bool activation(struct script_walk *walk)
{
	uintptr_t state = state_of(walk);
	bool has_main = false;
	int level, count;

	if (!state)
		return false;
	walk->is_taken = walk->native && takes_over(walk, walk->native - 1);
	if (walk->is_taken)
		return true;
	level = level_of(walk, state, &has_main);
	count = perl_activations(walk, state, has_main);
	/* A function that Perl itself has called has returned, or has not begun. */
	walk->is_taken = !walk->native && count == level - 1 && is_called(walk, 0);
	if (count < level)
		return walk->is_taken;
	return perl_add_activation(walk, state, has_main, count - level,
				   is_called(walk, walk->native));
}

const struct interpreter interpreter_perl = {
	.language = RECORD_PERL,
	.find = find,
	.activation = activation,
	.describe = perl_describe,
};
