/* SPDX-License-Identifier: MIT
 *
 * evaluation.h - evaluation functions of interpreters, as gcc builds them for x86-64. Any context.
 */
#ifndef DWELL_ARCH_EVALUATION_H
#define DWELL_ARCH_EVALUATION_H

#include "frame.h"
#include "held_frames.h"

/* rbp, r13, r15: mov %rdi, %r15; mov %rsi, %r13; mov %r13, %rbp */
static const struct arch_held arch_lua_held = {
	{ 6, 13, 15 },
	{ { 3, { 0x49, 0x89, 0xff } }, { 3, { 0x49, 0x89, 0xf5 } }, { 3, { 0x4c, 0x89, 0xed } } },
};

/* rbx: mov 0x8(%rdi), %rax; mov %rdi, %rbx */
static const struct arch_held arch_perl_held = {
	{ 3 },
	{ { 4, { 0x48, 0x8b, 0x47, 0x08 } }, { 3, { 0x48, 0x89, 0xfb } } },
};

/* r14, r15: mov %rdi, %r14. Compilers other than gcc do without. */
static const struct arch_held arch_php_held = { { 14, 15 }, { { 3, { 0x49, 0x89, 0xfe } } } };

/* rbx, r15, r14: mov 0x10(%rdi), %r15; mov %rdi, %rbx; mov (%r15), %r14 */
static const struct arch_held arch_ruby_held = {
	{ 3, 15, 14 },
	{ { 4, { 0x4c, 0x8b, 0x7f, 0x10 } },
	  { 3, { 0x48, 0x89, 0xfb } },
	  { 3, { 0x4d, 0x8b, 0x37 } } },
};

/* Returns the target of the jump at an address; 0: there is none. */
#define ARCH_JUMP_BYTES 5

static inline uintptr_t arch_jump_here(const uint8_t code[ARCH_JUMP_BYTES], uintptr_t address)
{
	return code[0] == 0xe9 ? arch_relative(code + 1, address + ARCH_JUMP_BYTES) : 0;
}

/* Returns true for a call of the function whose address is in a struct, at an offset. The struct is
 * where Perl's evaluation function holds it: call *offset(%rbx) */
#define ARCH_CALL_MEMBER_BYTES 6

static inline bool arch_call_member(const uint8_t code[ARCH_CALL_MEMBER_BYTES], uint32_t offset)
{
	return code[0] == 0xff && code[1] == 0x93 && arch_relative(code + 2, 0) == offset;
}

/* Reads how a function begins: [endbr64;] push of any registers; sub $n, %rsp. Returns the size of
 * its frame and return address, 0: it begins otherwise; and that of this code. */
static inline uint16_t arch_frame_made(const uint8_t code[ARCH_HELD_BYTES], unsigned *bytes)
{
	unsigned at = code[0] == 0xf3 ? 4 : 0, pushed = 0;

	while (at < ARCH_HELD_BYTES / 2) {
		unsigned prefix = code[at] == 0x41;

		if (code[at + prefix] >> 3 != 0x50 >> 3)
			break;
		at += prefix + 1;
		pushed++;
	}
	*bytes = at + 4;
	if (code[at] != 0x48 || code[at + 2] != 0xec)
		return 0;
	if (code[at + 1] == 0x83)
		return (uint16_t)(8 * (pushed + 1) + code[at + 3]);
	return code[at + 1] == 0x81 ? (uint16_t)(8 * (pushed + 1) + arch_relative(code + at + 3, 0))
				    : 0;
}

/* Finds where execute_ex() of PHP stores r14 and r15: mov %r14, a(%rsp); mov %r15, b(%rsp) */
static inline bool arch_php_globals(const uint8_t code[ARCH_HELD_BYTES],
				    struct arch_globals *globals)
{
	unsigned at, found = 0;

	globals->frame_bytes = arch_frame_made(code, &at);
	for (; at + 5 <= ARCH_HELD_BYTES && found != 3; at++) {
		unsigned which = code[at + 2] == 0x7c;

		if (code[at] != 0x4c || code[at + 1] != 0x89 || code[at + 3] != 0x24 ||
		    (code[at + 2] != 0x74 && !which))
			continue;
		globals->place[which] = code[at + 4];
		globals->stored = (uint16_t)(at + 5);
		found |= 1U << which;
	}
	return globals->frame_bytes && found == 3;
}

#endif
