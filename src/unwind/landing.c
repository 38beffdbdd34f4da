/* SPDX-License-Identifier: MIT */
#include "unwind/landing.h"

#include "unwind/search.h"
#include "unwind/step.h"

#define FRAME_BYTES 4096 /* libgcc's are a quarter of it */

/* Returns the start of the function; 0: unknown. */
__attribute__((noinline)) static uintptr_t start_of(const struct memory *memory, uintptr_t pc)
{
	const struct mapping *mapping = table_find(memory->table, pc);
	struct unwind_data data;
	struct fde fde;

	return mapping && !search_fde(memory, mapping, pc, &fde, &data) ? fde.start : 0;
}

static bool leads_to(const struct memory *memory, uintptr_t slot, uintptr_t function)
{
	uintptr_t address;

	return memory_bytes(memory, slot, &address, sizeof(address)) && address == function;
}

bool landing_was_called(const struct memory *memory, uintptr_t pc, const struct registers *caller)
{
	const uintptr_t back = caller->value[ARCH_FRAME_PC];
	uint8_t call[ARCH_CALL_BYTES], stub[ARCH_PLT_AFTER];
	uintptr_t function = start_of(memory, pc), to, slot;
	bool is_slot;

	if (!function || !memory_bytes(memory, back - sizeof(call), call, sizeof(call)) ||
	    !arch_call(call, caller->value, &to, &is_slot))
		return false;
	if (is_slot)
		return leads_to(memory, to, function);
	if (to == function)
		return true;
	return memory_bytes(memory, to, stub, sizeof(stub)) &&
	       arch_plt_slot(stub, to, caller->value, &slot) && leads_to(memory, slot, function);
}

bool landing_find_caller(struct memory *memory, uintptr_t pc, uintptr_t sp,
			 struct registers *caller)
{
	const uintptr_t end = caller->value[ARCH_FRAME_SP];
	struct registers found = *caller;

	if (end - sp > FRAME_BYTES)
		return false;
	for (; sp < end; sp += sizeof(uintptr_t)) {
		if (!memory_word(memory, sp, &found.value[ARCH_FRAME_PC]))
			return false;
		if (!table_find(memory->table, found.value[ARCH_FRAME_PC]) ||
		    !landing_was_called(memory, pc, &found))
			continue;
		step_finish(caller, end, found.value[ARCH_FRAME_PC], 0);
		return true;
	}
	return false;
}
