/* SPDX-License-Identifier: MIT
 *
 * entries.h - the functions of entries.S, for unit/entry/test_survey.c.
 */
#define REFUSED                                                                                    \
	{ "refused_short", ENTRY_SHORT }, { "refused_before_nops", ENTRY_SHORT },                  \
		{ "refused_before_data", ENTRY_SHORT }, { "refused_loop", ENTRY_LOOP },            \
		{ "refused_into", ENTRY_INTO }, { "refused_switch", ENTRY_INTO },                  \
		{ "refused_counter", ENTRY_UNMOVABLE }, { "refused_stack", ENTRY_UNCALLED },       \
		{ "refused_part.cold", ENTRY_PART }, { "refused_private", ENTRY_PRIVATE },         \
	{                                                                                          \
		"_start", ENTRY_UNCALLED                                                           \
	}

/* The first has a prologue, and CFA_OF_PROLOGUE bytes from the stack pointer to the CFA behind it.
 */
#define COPIED                                                                                     \
	"entry_plain", "entry_landing_pad", "entry_relative", "entry_relative_constant",           \
		"entry_branch", "entry_call", "entry_call_first", "entry_call_pointer",            \
		"entry_jump", "entry_jump_pointer", "entry_short", "entry_behind", "entry_nops",   \
		"entry_switch"
#define CFA_OF_PROLOGUE 16

/* The place of one among them that makes a call, and the same of the copy with its return address.
 */
#define FURTHER        5
#define CFA_OF_FURTHER 24
