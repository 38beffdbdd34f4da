/* SPDX-License-Identifier: MIT */
#include "base/entry_refusal.h"

const char *entry_refusal_text(unsigned refusal)
{
	static const char *const texts[ENTRY_REFUSALS] = {
		[ENTRY_FINE] = "can be patched",
		[ENTRY_SHORT] = "too short for a jump, and no padding behind it",
		[ENTRY_INTO] = "a jump leads into its first instructions",
		[ENTRY_LOOP] = "its own code jumps to its entry",
		[ENTRY_UNMOVABLE] = "one of its first instructions cannot be moved",
		[ENTRY_UNCALLED] = "not entered by a call",
		[ENTRY_PART] = "part of another function",
		[ENTRY_PRIVATE] = "local and without call frame information",
		[ENTRY_CHOSEN] = "resolved at load time to one of several implementations",
		[ENTRY_FRAMES] = "unusual call frame information at its entry",
		[ENTRY_CHANGED] = "its code in memory differs from the file",
		[ENTRY_FAR] = "no executable memory near it",
		[ENTRY_COPYABLE] =
			"may be copied elsewhere, and too short for a jump that allows it",
		[ENTRY_ACROSS] = "on two pages, which cannot be changed at once while it runs",
		[ENTRY_WAITING] = "a system call is among its first instructions, and it may run",
		[ENTRY_KEEPING] = "keeps its return address in a register while it calls",
	};

	return refusal < ENTRY_REFUSALS ? texts[refusal] : "unknown reason";
}
