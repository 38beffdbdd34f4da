/* SPDX-License-Identifier: MIT
 *
 * entries.h - the functions of entries.S, for unit/entry/test_survey.c.
 */
#define REFUSED                                                                                    \
	{ "refused_short", ENTRY_COPYABLE }, { "refused_before_data", ENTRY_COPYABLE },            \
		{ "refused_into", ENTRY_COPYABLE }, { "refused_loop", ENTRY_LOOP },                \
		{ "refused_keeping", ENTRY_KEEPING }, { "refused_loop_behind_pad", ENTRY_LOOP },   \
		{ "refused_vector", ENTRY_UNMOVABLE }, { "refused_variant", ENTRY_PRIVATE },       \
		{ "refused_key", ENTRY_UNMOVABLE }, { "refused_trap", ENTRY_UNMOVABLE },           \
		{ "refused_call", ENTRY_UNMOVABLE }, { "refused_call_pointer", ENTRY_UNMOVABLE },  \
		{ "refused_stack", ENTRY_UNCALLED }, { "refused_part.cold", ENTRY_PART },          \
		{ "refused_private", ENTRY_PRIVATE },                                              \
	{                                                                                          \
		"_start", ENTRY_UNCALLED                                                           \
	}

/* The first has a prologue, and CFA_OF_PROLOGUE bytes from the stack pointer to the CFA behind it.
 */
#define COPIED                                                                                     \
	"entry_plain", "entry_landing_pad", "entry_relative", "entry_page", "entry_literal",       \
		"entry_literal_short", "entry_literal_signed", "entry_branch", "entry_compare",    \
		"entry_compare_short", "entry_bit", "entry_call", "entry_jump", "entry_short",     \
		"entry_behind", "entry_nops", "entry_signed", "entry_pad_and_signed"
#define CFA_OF_PROLOGUE 16

/* The place of one among them that signs its return address, and the same of that copy. */
#define FURTHER        16
#define CFA_OF_FURTHER 16
