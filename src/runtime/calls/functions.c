/* SPDX-License-Identifier: MIT */
#include "functions.h"

#include "arena.h"
#include "sys.h"

#define PIECE       FUNCTIONS_FILE
#define PIECE_BYTES ((size_t)PIECE * FUNCTION_BYTES)

/*
 * Makes another piece usable. The redirectors of the first one are there already; the memory of its
 * functions is not, because musl's linker would have mapped it from the file: see arena.c.
 */
static bool grow(void)
{
	uint32_t ready = calls_state.function_room;
	void *functions;

	if (ready + PIECE > FUNCTIONS_MAX)
		return false;
	if (ready && !arena_map_again(arch_redirectors, arch_redirector(ready), PIECE_BYTES))
		return false;
	functions = sys_mmap_at(&calls_functions[ready], PIECE_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(functions))
		return false;
	calls_state.function_room = ready + PIECE;
	return true;
}

bool functions_reserve(uint32_t id)
{
	while (calls_state.function_room <= id)
		if (!grow())
			return false;
	return true;
}
