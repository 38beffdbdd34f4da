/* SPDX-License-Identifier: MIT
 *
 * no_evaluation.h - the evaluation.h of CPUs on which no interpreter was looked into: scripts are
 * recorded natively.
 */
#ifndef DWELL_ARCH_NO_EVALUATION_H
#define DWELL_ARCH_NO_EVALUATION_H

#include "held_frames.h"

static const struct arch_held arch_lua_held = { 0 };
static const struct arch_held arch_perl_held = { 0 };
static const struct arch_held arch_php_held = { 0 };
static const struct arch_held arch_ruby_held = { 0 };

#define ARCH_JUMP_BYTES 1

static inline uintptr_t arch_jump_here(const uint8_t *code, uintptr_t address)
{
	(void)code;
	(void)address;
	return 0;
}

#define ARCH_CALL_MEMBER_BYTES 1

static inline bool arch_call_member(const uint8_t *code, uint32_t offset)
{
	(void)code;
	(void)offset;
	return false;
}

static inline bool arch_php_globals(const uint8_t code[ARCH_HELD_BYTES],
				    struct arch_globals *globals)
{
	(void)code;
	(void)globals;
	return false;
}

#endif
