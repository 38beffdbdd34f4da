/* SPDX-License-Identifier: MIT
 *
 * evaluation.h - evaluation functions of interpreters, as gcc builds them for aarch64. Any context.
 */
#ifndef DWELL_ARCH_EVALUATION_H
#define DWELL_ARCH_EVALUATION_H

#include "frame.h"
#include "held_frames.h"

/* x27, x23, x20: mov x20, x0; mov x27, x1; ldr x23, [x27, #32] */
static const struct arch_held arch_lua_held = {
	{ 27, 23, 20 },
	{ { 4, { 0xf4, 0x03, 0x00, 0xaa } },
	  { 4, { 0xfb, 0x03, 0x01, 0xaa } },
	  { 4, { 0x77, 0x13, 0x40, 0xf9 } } },
};

/* x19: mov x19, x0; ldr x1, [x0, #8] */
static const struct arch_held arch_perl_held = {
	{ 19 },
	{ { 4, { 0xf3, 0x03, 0x00, 0xaa } }, { 4, { 0x01, 0x04, 0x40, 0xf9 } } },
};

/* x27, x28: mov x27, x0 */
static const struct arch_held arch_php_held = { { 27, 28 }, { { 4, { 0xfb, 0x03, 0x00, 0xaa } } } };

/* x21, x20, x19: mov x21, x0; ldr x20, [x21, #16]; ldr x19, [x20] */
static const struct arch_held arch_ruby_held = {
	{ 21, 20, 19 },
	{ { 4, { 0xf5, 0x03, 0x00, 0xaa } },
	  { 4, { 0xb4, 0x0a, 0x40, 0xf9 } },
	  { 4, { 0x93, 0x02, 0x40, 0xf9 } } },
};

/* Returns the target of the jump at an address; 0: there is none. It is a call but for a bit. */
#define ARCH_JUMP_BYTES 4

static inline uintptr_t arch_jump_here(const uint8_t code[ARCH_JUMP_BYTES], uintptr_t address)
{
	uint8_t call[] = { code[0], code[1], code[2], code[3] | 0x80 };

	return code[3] >> 7 ? 0 : arch_call_here(call, address);
}

/* Returns true for a call of the function whose address is in a struct, at an offset. The struct is
 * where Perl's evaluation function holds it: ldr x1, [x19, offset]; blr x1 */
#define ARCH_CALL_MEMBER_BYTES 8

static inline bool arch_call_member(const uint8_t code[ARCH_CALL_MEMBER_BYTES], uint32_t offset)
{
	return arch_word(code) == (0xf9400261 | offset / 8 << 10) &&
	       arch_word(code + 4) == 0xd63f0020;
}

/* Finds where execute_ex() of PHP stores x27 and x28: sub sp, sp, n; stp x28, x27, [sp, a] */
static inline bool arch_php_globals(const uint8_t code[ARCH_HELD_BYTES],
				    struct arch_globals *globals)
{
	uint32_t sub = arch_word(code);

	globals->frame_bytes = (uint16_t)(sub >> 10 & 0xfff);
	if ((sub & 0xffc003ff) != 0xd10003ff)
		return false;
	for (unsigned at = 4; at < ARCH_HELD_BYTES; at += 4) {
		uint32_t stp = arch_word(code + at);

		if ((stp & 0xffe07fff) != 0xa9006ffc)
			continue;
		globals->place[1] = (uint16_t)(8 * (stp >> 15 & 0x3f));
		globals->place[0] = globals->place[1] + 8;
		globals->stored = (uint16_t)(at + 4);
		return true;
	}
	return false;
}

#endif
