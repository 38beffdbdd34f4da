/* SPDX-License-Identifier: MIT
 *
 * seeds_unwind.c - makes the seeds of fuzz_unwind.c: call frame information written by hand, with
 * each instruction, each operation of expressions and each encoding of an address.
 */
#include "../tests/unit/unwind/fake.h"
#include "foreign.h"
#include "seeds.h"

static void write_foreign_as(const char *name, int number, unsigned flags)
{
	FILE *file = seeds_create("unwind", name, number);

	putc((int)flags, file);
	putc(0x20, file);
	putc(0, file);
	fwrite(fake.data, 1, fake.size, file);
	seeds_finish(file);
	fake.size = 0;
}

static void write_foreign(const char *name, unsigned flags)
{
	write_foreign_as(name, (int)flags, flags);
}

/* A function that saves a register, and one whose CFA is by an expression. */
static void write_frames(void)
{
	static const uint8_t pushes[] = { DW_CFA_advance_loc | 1,
					  DW_CFA_def_cfa_offset,
					  16,
					  DW_CFA_offset | 6,
					  2,
					  DW_CFA_remember_state,
					  DW_CFA_advance_loc | 4,
					  DW_CFA_restore_state };
	static const uint8_t computes[] = { DW_CFA_def_cfa_expression,
					    2,
					    0x77,
					    8,
					    DW_CFA_val_offset,
					    3,
					    1,
					    DW_CFA_expression,
					    12,
					    2,
					    0x77,
					    0x10 };
	size_t cie = fake_cie("", NULL, 0);

	fake_fde(cie, FAKE_CODE, 0x100, pushes, sizeof(pushes));
	fake_fde(cie, FAKE_CODE + 0x100, 0x100, computes, sizeof(computes));
}

/* A sorted table of one entry, and what it leads to: a frame that the kernel has made. */
static void write_header(void)
{
	static const uint8_t head[] = { 1, 0x1b, 0x03, 0x3b }, no_more[] = { 0 };
	size_t entry, cie;
	uint32_t fde;

	fake_bytes(head, sizeof(head));
	fake_u32(16);
	fake_u32(1);
	fake_u32((uint32_t)(FAKE_CODE - FAKE_DATA));
	entry = fake.size;
	fake_u32(0);
	cie = fake_cie("zS", no_more, 0);
	fde = (uint32_t)fake_fde(cie, FAKE_CODE, 0x100, no_more, sizeof(no_more));
	memcpy(fake.data + entry, &fde, sizeof(fde));
}

#define BYTES(...)                                                                                 \
	{                                                                                          \
		(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })         \
	}

struct bytes {
	const uint8_t *bytes;
	size_t size;
};

/* Operations of one kind each; what they leave behind, the CFA is added to. */
static const struct bytes expressions[] = {
	BYTES(DW_OP_addr, 0, 0, 0, 0, 0, 0, 0, 0, DW_OP_const1u, 1, DW_OP_const1s, 1, DW_OP_const2u,
	      1, 0, DW_OP_const2s, 1, 0, DW_OP_const4u, 1, 0, 0, 0, DW_OP_const4s, 1, 0, 0, 0,
	      DW_OP_const8u, 1, 0, 0, 0, 0, 0, 0, 0, DW_OP_constu, 1, DW_OP_consts, 1, DW_OP_lit0),
	BYTES(DW_OP_lit0, DW_OP_dup, DW_OP_over, DW_OP_pick, 1, DW_OP_swap, DW_OP_rot, DW_OP_drop,
	      DW_OP_nop),
	BYTES(DW_OP_reg0, DW_OP_drop, DW_OP_regx, 0, DW_OP_drop, DW_OP_bregx, 0, 1, DW_OP_drop,
	      DW_OP_breg0 + 7, 8, DW_OP_deref, DW_OP_drop, DW_OP_breg0 + 7, 8, DW_OP_deref_size, 1),
	BYTES(DW_OP_lit0 + 3, DW_OP_lit0 + 2, DW_OP_mul, DW_OP_lit0 + 2, DW_OP_div, DW_OP_lit0 + 2,
	      DW_OP_mod, DW_OP_neg, DW_OP_abs, DW_OP_not, DW_OP_lit0 + 1, DW_OP_and, DW_OP_lit0 + 1,
	      DW_OP_or, DW_OP_lit0 + 1, DW_OP_xor, DW_OP_plus_uconst, 1, DW_OP_lit0 + 1,
	      DW_OP_minus),
	BYTES(DW_OP_lit0 + 3, DW_OP_lit0 + 2, DW_OP_shl, DW_OP_lit0 + 1, DW_OP_shr, DW_OP_lit0 + 1,
	      DW_OP_shra),
	BYTES(DW_OP_lit0, DW_OP_lit0, DW_OP_eq, DW_OP_lit0, DW_OP_ne, DW_OP_lit0, DW_OP_ge,
	      DW_OP_lit0, DW_OP_gt, DW_OP_lit0, DW_OP_le, DW_OP_lit0, DW_OP_lt),
	BYTES(DW_OP_skip, 0, 0, DW_OP_lit0, DW_OP_bra, 0, 0, DW_OP_lit0 + 1, DW_OP_bra, 0, 0,
	      DW_OP_lit0),
};

/* Instructions of one kind each. */
static const struct bytes programs[] = {
	BYTES(DW_CFA_advance_loc1, 1, DW_CFA_advance_loc2, 1, 0, DW_CFA_advance_loc4, 1, 0, 0, 0,
	      DW_CFA_MIPS_advance_loc8, 1, 0, 0, 0, 0, 0, 0, 0, DW_CFA_GNU_args_size, 8),
	BYTES(DW_CFA_def_cfa, 7, 8, DW_CFA_def_cfa_register, 6, DW_CFA_def_cfa_offset_sf, 0x7f,
	      DW_CFA_def_cfa_sf, 7, 0x7f),
	BYTES(DW_CFA_offset_extended, 3, 1, DW_CFA_offset_extended_sf, 3, 1, DW_CFA_val_offset_sf,
	      3, 1, DW_CFA_GNU_negative_offset_extended, 3, 1, DW_CFA_restore_extended, 3,
	      DW_CFA_restore | 6),
	BYTES(DW_CFA_undefined, 3, DW_CFA_same_value, 12, DW_CFA_register, 13, 12,
	      DW_CFA_val_expression, 14, 2, DW_OP_breg0 + 7, 0, DW_CFA_expression, 15, 2,
	      DW_OP_breg0 + 7, 8),
	BYTES(DW_CFA_set_loc, 0, 0, 0x40, 0, 0, 0, 0, 0, DW_CFA_undefined, ARCH_FRAME_LINK),
};

static void write_program(const char *name, int number, const uint8_t *program, size_t size)
{
	fake_fde(fake_cie("", NULL, 0), FAKE_CODE, 0x100, program, size);
	write_foreign_as(name, number, 0);
}

static void write_expression(int number, const struct bytes *expression)
{
	static const uint8_t cfa[] = { DW_OP_breg0 + 7, 8, DW_OP_plus };
	uint8_t program[64] = { DW_CFA_def_cfa_expression };
	size_t size = 2;

	memcpy(program + size, expression->bytes, expression->size);
	size += expression->size;
	memcpy(program + size, cfa, sizeof(cfa));
	size += sizeof(cfa);
	program[1] = (uint8_t)(size - 2);
	write_program("expression", number, program, size);
}

/* How the addresses of a function may be written. */
static void write_encoded(uint8_t encoding)
{
	const uint8_t more[] = { encoding, 0, 0, 0, 0, 0, 0, 0, 0, encoding, encoding };
	static const uint8_t no_more[] = { 0 };
	size_t cie = fake_cie("zPLR", more, sizeof(more));

	fake_fde(cie, FAKE_CODE, 0x100, no_more, sizeof(no_more));
	write_foreign_as("encoded", encoding, 0);
}

static void write_kinds(void)
{
	static const uint8_t encodings[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x09, 0x0a,
					     0x0b, 0x0c, 0x1b, 0x3b, 0x40, 0x50, 0x9b };

	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
		write_expression((int)i, &expressions[i]);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		write_program("program", (int)i, programs[i].bytes, programs[i].size);
	for (size_t i = 0; i < sizeof(encodings); i++)
		write_encoded(encodings[i]);
}

void seeds_unwind(void)
{
	write_frames();
	write_foreign("frames", 0);
	write_frames();
	write_foreign("frames", FOREIGN_BY_ASKING);
	write_header();
	write_foreign("header", FOREIGN_HAS_HEADER);
	write_header();
	write_foreign("header", FOREIGN_HAS_HEADER | FOREIGN_UNRELOCATED);
	write_kinds();
}
