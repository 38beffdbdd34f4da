/* SPDX-License-Identifier: MIT
 *
 * hotspot_bytes.h - instructions of x86-64 by which code of HotSpot shows how far a frame is made.
 */
#ifndef DWELL_INTERPRETER_HOTSPOT_BYTES_H
#define DWELL_INTERPRETER_HOTSPOT_BYTES_H

#include "hotspot.h"

static inline bool hotspot_has_bytes(struct peek *peek, uintptr_t at, const char *bytes,
				     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!peek_can(peek, at + i, 1) || peek_byte(peek, at + i) != (uint8_t)bytes[i])
			return false;
	return true;
}

/* Returns true for an instruction that calls by a register or by memory, of so many bytes. */
static inline bool hotspot_is_call(struct peek *peek, uintptr_t at, unsigned bytes)
{
	uint8_t mode;

	if (hotspot_byte(peek, at) != 0xff)
		return false;
	mode = hotspot_byte(peek, at + 1);
	if ((mode >> 3 & 7) != 2)
		return false;
	switch (mode >> 6) {
	case 3:
		return bytes == 2;
	case 2:
		return bytes == ((mode & 7) == 4 ? 7 : 6);
	case 1:
		return bytes == ((mode & 7) == 4 ? 4 : 3);
	default:
		return bytes == ((mode & 7) == 4 ? 3 : (mode & 7) == 5 ? 6 : 2);
	}
}

static inline bool hotspot_is_behind_call(struct peek *peek, uintptr_t pc)
{
	if (hotspot_byte(peek, pc - 5) == 0xe8)
		return true;
	for (unsigned bytes = 2; bytes <= 7; bytes++)
		if (hotspot_is_call(peek, pc - bytes, bytes))
			return true;
	return false;
}

/* sub $n, %rsp */
static inline bool hotspot_is_sub(struct peek *peek, uintptr_t at)
{
	return hotspot_has_bytes(peek, at, "\x48\x81\xec", 3) ||
	       hotspot_has_bytes(peek, at, "\x48\x83\xec", 3);
}

/* Returns true for push %rbp; mov %rsp, %rbp, or sub $n, %rsp: a frame is made. */
static inline bool hotspot_is_push(struct peek *peek, uintptr_t at)
{
	return hotspot_has_bytes(peek, at, "\x55\x48\x8b\xec", 4) ||
	       (hotspot_has_bytes(peek, at, "\x55", 1) && hotspot_is_sub(peek, at + 1));
}

/* Returns true behind add $n, %rsp; pop %rbp. */
static inline bool hotspot_is_popped(struct peek *peek, uintptr_t pc)
{
	return hotspot_has_bytes(peek, pc - 1, "\x5d", 1) &&
	       (hotspot_has_bytes(peek, pc - 5, "\x48\x83\xc4", 3) ||
		hotspot_has_bytes(peek, pc - 8, "\x48\x81\xc4", 3));
}

/* Returns true behind the pop %rbp of a compiled method: cmp poll(%r15), %rsp; ja; ret. A method
 * that an exception leaves ends in a jump instead, one that calls a native method in: leave; cmpq;
 * jne; ret. */
static inline bool hotspot_is_ending(struct peek *peek, uintptr_t pc)
{
	if (hotspot_has_bytes(peek, pc, "\xc3", 1))
		return true;
	if (hotspot_has_bytes(peek, pc, "\x0f\x87", 2) ||
	    hotspot_has_bytes(peek, pc, "\x0f\x85", 2))
		return hotspot_has_bytes(peek, pc + 6, "\xc3", 1);
	if (hotspot_has_bytes(peek, pc, "\xe9", 1))
		return hotspot_is_popped(peek, pc);
	return hotspot_has_bytes(peek, pc - 1, "\x5d\x49\x3b\xa7", 4) ||
	       hotspot_has_bytes(peek, pc - 1, "\x5d\x49\x3b\x67", 4) ||
	       hotspot_has_bytes(peek, pc - 1, "\xc9\x49\x81\x7f", 4);
}

/* Returns true behind the call that finds the handler of an exception: mov %rax, %rbx; [mov %r14,
 * %rax]; pop %rdx. */
static inline bool hotspot_is_handled(struct peek *peek, uintptr_t pc)
{
	return hotspot_has_bytes(peek, pc, "\x48\x8b\xd8\x5a", 4) ||
	       hotspot_has_bytes(peek, pc, "\x48\x8b\xd8\x49\x8b\xc6\x5a", 7);
}

#endif
