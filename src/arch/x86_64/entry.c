/* SPDX-License-Identifier: MIT
 *
 * entry.c - moves the first instructions of a function.
 *
 *	function:  endbr64            stays
 *	           jmp gate           instead of the instructions below; see gate.c
 *	copy:      push %rbp ...      these, adapted to their new place
 *	           jmp function + n
 *
 * An operand relative to the program counter gets another displacement, a short branch a long one.
 * A call becomes a push of its own return address and a jump, so that no return address is in a
 * copy: unwinders and debuggers see the function itself.
 *
 * Calls nothing of libc.
 */
#include "entry.h"

#include "x86/code.h"

#define NEAR_JUMP 0xe9

static bool is_relative(const struct epilogue_instruction *i)
{
	return i->has_modrm && (i->modrm & 0xc7) == 5;
}

static unsigned reg_of(const struct epilogue_instruction *i)
{
	return i->modrm >> 3 & 7;
}

/* Returns the flow of an instruction of the one-byte map. */
static enum arch_flow flow_of_one(const struct epilogue_instruction *i)
{
	uint8_t op = i->opcode;

	if (op >= 0x70 && op <= 0x7f)
		return ARCH_FLOW_BRANCH;
	switch (op) {
	case 0xe8:
		return ARCH_FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return ARCH_FLOW_JUMP;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
	case 0xf4:
		return ARCH_FLOW_END;
	case 0x90:
		return i->rex & 1 ? ARCH_FLOW_NEXT : ARCH_FLOW_PADDING;
	case 0xcc:
		return ARCH_FLOW_PADDING;
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return ARCH_FLOW_BAD;
	case 0xc7:
		return i->modrm == 0xf8 ? ARCH_FLOW_BAD : ARCH_FLOW_NEXT; /* xbegin */
	case 0xff:
		if (reg_of(i) == 2 || reg_of(i) == 3)
			return reg_of(i) == 2 ? ARCH_FLOW_CALL_TO : ARCH_FLOW_BAD;
		return reg_of(i) == 4 || reg_of(i) == 5 ? ARCH_FLOW_END : ARCH_FLOW_NEXT;
	}
	return ARCH_FLOW_NEXT;
}

static enum arch_flow flow_of(const struct epilogue_instruction *i)
{
	if (i->map == 0)
		return flow_of_one(i);
	if (i->map != 1)
		return ARCH_FLOW_NEXT;
	if (i->opcode >= 0x80 && i->opcode <= 0x8f)
		return ARCH_FLOW_BRANCH;
	if (i->opcode == 0x0b || i->opcode == 0xb9 || i->opcode == 0xff) /* ud */
		return ARCH_FLOW_END;
	return i->opcode == 0x1f ? ARCH_FLOW_PADDING : ARCH_FLOW_NEXT;
}

/* A branch that goes somewhere: also loops, whose targets matter although they are not moved. */
static bool has_target(const struct epilogue_instruction *i, enum arch_flow flow)
{
	return flow == ARCH_FLOW_BRANCH || flow == ARCH_FLOW_JUMP || flow == ARCH_FLOW_CALL ||
	       (flow == ARCH_FLOW_BAD && i->opcode != 0xff);
}

/* mov or push of a number. */
static bool has_constant(const struct epilogue_instruction *i)
{
	return i->map == 0 &&
	       ((i->opcode >= 0xb8 && i->opcode <= 0xbf) || i->opcode == 0xc7 || i->opcode == 0x68);
}

void arch_decode(const uint8_t *bytes, uint64_t address, struct arch_instruction *instruction)
{
	struct epilogue_instruction i;
	uint64_t next;

	epilogue_decode(bytes, &i);
	next = address + i.length;
	*instruction =
		(struct arch_instruction){ .length = (uint8_t)i.length, .flow = flow_of(&i) };
	instruction->has_target = has_target(&i, instruction->flow);
	if (instruction->has_target)
		instruction->target = next + (uint64_t)(int64_t)i.immediate;
	instruction->is_relative = is_relative(&i);
	if (instruction->is_relative)
		instruction->operand = next + (uint64_t)(int64_t)i.displacement;
	instruction->makes_address = instruction->is_relative && i.map == 0 && i.opcode == 0x8d;
	instruction->has_constant = has_constant(&i);
	instruction->is_system_call = i.map == 1 && i.opcode == 0x05;
	instruction->constant = (uint32_t)i.immediate;
	if (i.is_short_address && instruction->is_relative)
		instruction->flow = ARCH_FLOW_BAD;
}

unsigned arch_entry_skip(const uint8_t *bytes)
{
	return bytes[0] == 0xf3 && bytes[1] == 0x0f && bytes[2] == 0x1e && bytes[3] == 0xfa ? 4 : 0;
}

bool arch_entry_signs(const uint8_t *bytes)
{
	(void)bytes;
	return false;
}

/* Returns whether an indirect call can be made by a jump: its operand must not depend on the stack
 * pointer, which the push changes. */
static bool can_jump_instead(const uint8_t *bytes)
{
	struct epilogue_instruction i;

	epilogue_decode(bytes, &i);
	if (i.modrm >> 6 == 3)
		return (i.modrm & 7) != 4 || i.rex & 1;
	return (i.modrm & 7) != 4 || ((i.sib & 7) != 4 || i.rex & 1);
}

bool arch_entry_can_move(const struct arch_instruction *one, const uint8_t *bytes)
{
	return one->flow != ARCH_FLOW_BAD && bytes[0] != 0xcc && bytes[0] != 0 &&
	       (one->flow != ARCH_FLOW_CALL_TO || can_jump_instead(bytes));
}

static void put_bytes(struct arch_code *copy, const uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		copy->bytes[copy->used++] = bytes[i];
}

/* Puts the distance from the end of it to an address. */
static void put_distance(struct arch_code *copy, uint64_t to, unsigned behind)
{
	int64_t distance = (int64_t)(to - (copy->address + copy->used + 4 + behind));
	uint32_t word = (uint32_t)distance;
	const uint8_t bytes[] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				  (uint8_t)(word >> 24) };

	if (distance != (int32_t)distance)
		copy->is_far = true;
	put_bytes(copy, bytes, sizeof(bytes));
}

void arch_entry_put_jump(struct arch_code *copy, uint64_t to)
{
	put_bytes(copy, (const uint8_t[]){ NEAR_JUMP }, 1);
	put_distance(copy, to, 0);
}

/* Puts an instruction without a target of its own. */
static void put_plain(struct arch_code *copy, const uint8_t *bytes,
		      const struct arch_instruction *one)
{
	struct epilogue_instruction i;

	epilogue_decode(bytes, &i);
	if (!one->is_relative) {
		put_bytes(copy, bytes, one->length);
		return;
	}
	put_bytes(copy, bytes, i.displacement_at);
	put_distance(copy, one->operand, i.length - i.displacement_at - 4u);
	put_bytes(copy, bytes + i.displacement_at + 4, i.length - i.displacement_at - 4u);
}

/* Puts `push back(%rip)`, whose word follows the copy's last instruction, and the jump. */
static void put_call(struct arch_code *copy, const uint8_t *bytes,
		     const struct arch_instruction *one, uint64_t back)
{
	uint8_t indirect[EPILOGUE_INSTRUCTION];
	struct epilogue_instruction i;
	unsigned word_at;

	/* push (6), then jmp (5), or jmp * (as long as call *). */
	word_at = copy->used + 6 + (one->flow == ARCH_FLOW_CALL ? 5 : one->length);
	put_bytes(copy, (const uint8_t[]){ 0xff, 0x35 }, 2);
	put_distance(copy, copy->address + word_at, 0);
	if (one->flow == ARCH_FLOW_CALL) {
		arch_entry_put_jump(copy, one->target);
	} else {
		epilogue_decode(bytes, &i);
		for (unsigned k = 0; k < one->length; k++)
			indirect[k] = bytes[k];
		indirect[i.opcode_at + 1] = (uint8_t)((i.modrm & ~0x38) | 4 << 3); /* call -> jmp */
		put_plain(copy, indirect, one);
	}
	for (unsigned k = 0; k < 8; k++)
		copy->bytes[copy->used++] = (uint8_t)(back >> 8 * k);
}

void arch_entry_put(struct arch_code *copy, struct arch_entry *entry, const uint8_t *bytes,
		    uint64_t address)
{
	struct arch_instruction one;
	struct epilogue_instruction i;

	arch_decode(bytes, address, &one);
	switch (one.flow) {
	case ARCH_FLOW_JUMP:
		arch_entry_put_jump(copy, one.target);
		break;
	case ARCH_FLOW_BRANCH:
		epilogue_decode(bytes, &i);
		put_bytes(copy, (const uint8_t[]){ 0x0f, (uint8_t)(0x80 | (i.opcode & 15)) }, 2);
		put_distance(copy, one.target, 0);
		break;
	case ARCH_FLOW_CALL:
	case ARCH_FLOW_CALL_TO:
		entry->pushed_at = (uint8_t)(copy->used + 6);
		put_call(copy, bytes, &one, address + one.length);
		break;
	default:
		put_plain(copy, bytes, &one);
	}
}

/* jmp *word */
void arch_entry_fixed_jump(uint8_t bytes[ARCH_ENTRY_FIXED], uint64_t word)
{
	struct arch_code copy = { .bytes = bytes };

	put_bytes(&copy, (const uint8_t[]){ 0xff, 0x24, 0x25 }, 3);
	for (unsigned k = 0; k < 4; k++)
		copy.bytes[copy.used++] = (uint8_t)(word >> 8 * k);
}
