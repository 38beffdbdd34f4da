/* SPDX-License-Identifier: MIT
 *
 * code.h - decodes one instruction of x86-64 or i386: its length and operands, as far as epilogue.h
 * and entry.c need them. Async-signal-safe.
 */
#ifndef DWELL_ARCH_X86_CODE_H
#define DWELL_ARCH_X86_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define EPILOGUE_INSTRUCTION 15 /* bytes, at most */
#define EPILOGUE_ROOM        40 /* for an invalid instruction: all that can follow all prefixes */

static const bool epilogue_is_wide = sizeof(uintptr_t) == 8; /* long mode: REX prefixes exist */

struct epilogue_instruction {
	unsigned length;
	unsigned map; /* 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a; 8 to 10: XOP */
	uint8_t opcode, rex;
	uint8_t opcode_at, displacement_at; /* offsets; the second is 0 without a displacement */
	bool has_modrm, is_segmented;
	bool is_short_address; /* 67 */
	uint8_t modrm, sib;
	int32_t displacement; /* of an operand in memory */
	int32_t immediate;    /* the last one, or the distance of a jump */
};

/* Looks up the bit of an opcode in a map, 32 to a word. */
static bool epilogue_has_bit(const uint32_t bits[8], unsigned opcode)
{
	return bits[opcode >> 5] >> (opcode & 31) & 1;
}

static bool epilogue_needs_modrm(const struct epilogue_instruction *i)
{
	static const uint32_t one[8] = { 0x0f0f0f0f, 0x0f0f0f0f, 0,          0x00000a0c,
					 0x0000ffff, 0,          0xff0f00c3, 0xc0c00000 };
	static const uint32_t two[8] = { 0xffffa00f, 0x0000ff0f, 0xffffffff, 0xff7fffff,
					 0xffff0000, 0xfffff8f8, 0xffff00ff, 0xffffffff };

	if (i->map == 0)
		return epilogue_has_bit(one, i->opcode);
	return i->map > 1 || epilogue_has_bit(two, i->opcode);
}

/* Returns how many bytes of constants follow an opcode that is not of one byte. */
static unsigned epilogue_immediate_of_map(const struct epilogue_instruction *i)
{
	uint8_t op = i->opcode;

	if (i->map == 3 || i->map == 8)
		return 1;
	if (i->map == 10)
		return 4;
	if (i->map != 1)
		return 0;
	if (op >= 0x80 && op <= 0x8f)
		return 4;
	return op == 0x0f || (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba ||
	       op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
}

/* Returns how many bytes of constants follow. */
static unsigned epilogue_immediate_bytes(const struct epilogue_instruction *i, bool is_short)
{
	unsigned word = is_short && !(i->rex & 8) ? 2 : 4;
	uint8_t op = i->opcode;

	if (i->map)
		return epilogue_immediate_of_map(i);
	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word : 0;
	switch (op) {
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return word;
	case 0xe8:
	case 0xe9:
		return 4;
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xe4:
	case 0xe5:
	case 0xe6:
	case 0xe7:
	case 0xeb:
		return 1;
	case 0xc2:
	case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xf6:
		return (i->modrm >> 3 & 7) < 2;
	case 0xf7:
		return (i->modrm >> 3 & 7) < 2 ? word : 0;
	}
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe3))
		return 1;
	if (op >= 0xb8 && op <= 0xbf)
		return i->rex & 8 ? 8 : word;
	if (op >= 0xa0 && op <= 0xa3)
		return i->is_short_address ? (unsigned)sizeof(uintptr_t) / 2 : sizeof(uintptr_t);
	return 0;
}

static int32_t epilogue_number_at(const uint8_t *bytes, unsigned size)
{
	if (size == 1)
		return (int8_t)bytes[0];
	if (size == 2)
		return (int16_t)(bytes[0] | bytes[1] << 8);
	return (int32_t)(bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			 (uint32_t)bytes[3] << 24);
}

static bool epilogue_is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 ||
	       byte == 0x67;
}

/* Reads the map from the bytes of a VEX, EVEX or XOP prefix. */
static unsigned epilogue_skip_vector_prefix(const uint8_t *bytes, unsigned at,
					    struct epilogue_instruction *i)
{
	/* In 32-bit code, these are other instructions unless the operands that follow would be
	 * registers. */
	if (!epilogue_is_wide && bytes[at + 1] < 0xc0)
		return at;
	if (bytes[at] == 0xc5) {
		i->map = 1;
		return at + 2;
	}
	if (bytes[at] == 0xc4 || bytes[at] == 0x62) {
		i->map = bytes[at + 1] & 3;
		return at + (bytes[at] == 0xc4 ? 3 : 4);
	}
	/* A `pop` otherwise. */
	if (bytes[at] == 0x8f && (bytes[at + 1] & 31) >= 8 && (bytes[at + 1] & 31) <= 10) {
		i->map = bytes[at + 1] & 31;
		return at + 3;
	}
	return at;
}

static unsigned epilogue_read_opcode(const uint8_t *bytes, unsigned at,
				     struct epilogue_instruction *i)
{
	unsigned behind = epilogue_skip_vector_prefix(bytes, at, i);

	if (behind == at && bytes[at] == 0x0f) {
		behind++;
		i->map = bytes[behind] == 0x38 ? 2 : bytes[behind] == 0x3a ? 3 : 1;
		behind += i->map > 1;
	}
	i->opcode = bytes[behind];
	return behind + 1;
}

static unsigned epilogue_read_operand(const uint8_t *bytes, unsigned at,
				      struct epilogue_instruction *i)
{
	unsigned mode, size = 0;

	i->modrm = bytes[at++];
	mode = i->modrm >> 6;
	if (mode != 3 && (i->modrm & 7) == 4)
		i->sib = bytes[at++];
	if (mode == 1)
		size = 1;
	else if (mode == 2 || (mode == 0 && (i->modrm & 7) == 5) ||
		 (mode == 0 && (i->modrm & 7) == 4 && (i->sib & 7) == 5))
		size = 4;
	if (size) {
		i->displacement = epilogue_number_at(bytes + at, size);
		i->displacement_at = (uint8_t)at;
	}
	return at + size;
}

/* Decodes an instruction. bytes has EPILOGUE_ROOM of them, valid code or not. */
static void epilogue_decode(const uint8_t *bytes, struct epilogue_instruction *i)
{
	unsigned at = 0, size;
	bool is_short = false;

	*i = (struct epilogue_instruction){ 0 };
	for (; at < EPILOGUE_INSTRUCTION - 1; at++) {
		bool is_rex = epilogue_is_wide && (bytes[at] & 0xf0) == 0x40;

		if (!is_rex && !epilogue_is_prefix(bytes[at]))
			break;
		i->rex = is_rex ? bytes[at] : 0; /* applies to the byte that follows */
		is_short = is_short || bytes[at] == 0x66;
		i->is_segmented = i->is_segmented || bytes[at] == 0x64 || bytes[at] == 0x65;
		i->is_short_address = i->is_short_address || bytes[at] == 0x67;
	}
	at = epilogue_read_opcode(bytes, at, i);
	i->opcode_at = (uint8_t)(at - 1);
	i->has_modrm = epilogue_needs_modrm(i);
	if (i->has_modrm)
		at = epilogue_read_operand(bytes, at, i);
	size = epilogue_immediate_bytes(i, is_short);
	if (size)
		i->immediate = epilogue_number_at(bytes + at, size < 4 ? size : 4);
	i->length = at + size;
}

#endif
