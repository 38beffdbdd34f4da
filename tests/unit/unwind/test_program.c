/* SPDX-License-Identifier: MIT
 *
 * test_program.c - hand-written call frame information: the contents of CIE and FDE, and the row
 * that each instruction makes.
 */
#include "fake.h"

#include <errno.h>

#include "unwind/program.h"

/* Registers by name, one more preserved one, and a word. */
#define SP    ARCH_FRAME_SP
#define FP    ARCH_FRAME_FP
#define BACK  ARCH_FRAME_LINK
#define SOME  3
#define OTHER 2
#define W     ((int)sizeof(uintptr_t))

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ })

static struct fde fde;
static struct row row;

static int row_at(uint64_t offset, const uint8_t *program, size_t size)
{
	struct unwind_data data;
	size_t record;
	uintptr_t next;
	int err;

	fake.size = 0;
	record = fake_fde(fake_cie("", NULL, 0), FAKE_CODE, 0x100, program, size);
	fake_publish();
	data = fake_data();
	memset(&fde, 0, sizeof(fde));
	err = fde_read(&data, FAKE_DATA + record, &fde, &next);
	return err ? err : program_run(&data, &fde, FAKE_CODE + offset, &row);
}

#define ROW(offset, ...) row_at(offset, BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))

static bool cfa_is(unsigned number, int32_t offset)
{
	return row.cfa == ROW_CFA_REGISTER && row.cfa_register == number && row.cfa_value == offset;
}

static bool is(unsigned number, enum row_how how, int32_t value)
{
	return row.how[number] == how && row.value[number] == value;
}

static void locations(void)
{
	const uint8_t push[] = { DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16 };
	const uintptr_t there = FAKE_CODE + 0x20;
	uint8_t set[] = { DW_CFA_set_loc, [1 + sizeof(there)] = DW_CFA_def_cfa_offset, 16 };

	ok(!row_at(0, push, sizeof(push)) && cfa_is(SP, W), "at the beginning the CIE holds");
	ok(!row_at(3, push, sizeof(push)) && cfa_is(SP, W), "and before an advance");
	ok(!row_at(4, push, sizeof(push)) && cfa_is(SP, 16), "from it on, what follows it");
	ok(!ROW(10, DW_CFA_advance_loc1, 10, DW_CFA_def_cfa_offset, 16) && cfa_is(SP, 16),
	   "advance_loc1");
	ok(!ROW(0xff, DW_CFA_advance_loc2, 0xff, 0, DW_CFA_def_cfa_offset, 16) && cfa_is(SP, 16),
	   "advance_loc2");
	ok(!ROW(0xff, DW_CFA_advance_loc4, 0xff, 0, 0, 0, DW_CFA_def_cfa_offset, 16) &&
		   cfa_is(SP, 16),
	   "advance_loc4");
	memcpy(set + 1, &there, sizeof(there));
	ok(!row_at(0x20, set, sizeof(set)) && cfa_is(SP, 16), "set_loc");
	ok(!row_at(0x1f, set, sizeof(set)) && cfa_is(SP, W), "and before it");
}

static void cfas(void)
{
	ok(!ROW(0, DW_CFA_def_cfa, FP, 16) && cfa_is(FP, 16), "def_cfa");
	ok(!ROW(0, DW_CFA_def_cfa_sf, FP, 0x7e) && cfa_is(FP, 2 * W), "def_cfa_sf is factored");
	ok(!ROW(0, DW_CFA_def_cfa_register, FP) && cfa_is(FP, W), "def_cfa_register");
	ok(!ROW(0, DW_CFA_def_cfa_offset_sf, 0x7d) && cfa_is(SP, 3 * W), "def_cfa_offset_sf");
	ok(!ROW(0, DW_CFA_def_cfa_expression, 2, DW_OP_breg0 + SP, 8, DW_CFA_offset | SOME, 2) &&
		   row.cfa == ROW_CFA_EXPRESSION && is(SOME, ROW_AT_OFFSET, -2 * W),
	   "def_cfa_expression, and what is behind it");
	ok(ROW(0, DW_CFA_def_cfa_expression, 2, DW_OP_breg0 + SP, 8, DW_CFA_def_cfa_offset, 8) ==
		   -EINVAL,
	   "an expression has no offset to change");
	ok(!ROW(0, DW_CFA_GNU_args_size, 0x10, DW_CFA_nop) && cfa_is(SP, W), "GNU_args_size");
}

static void rules(void)
{
	ok(!ROW(0, DW_CFA_offset | SOME, 2) && is(SOME, ROW_AT_OFFSET, -2 * W), "offset");
	ok(!ROW(0, DW_CFA_offset_extended, SOME, 3) && is(SOME, ROW_AT_OFFSET, -3 * W),
	   "offset_extended");
	ok(!ROW(0, DW_CFA_offset_extended_sf, SOME, 0x7f) && is(SOME, ROW_AT_OFFSET, W),
	   "offset_extended_sf");
	ok(!ROW(0, DW_CFA_GNU_negative_offset_extended, SOME, 3) && is(SOME, ROW_AT_OFFSET, 3 * W),
	   "GNU_negative_offset_extended");
	ok(!ROW(0, DW_CFA_val_offset, SOME, 1) && is(SOME, ROW_IS_OFFSET, -W), "val_offset");
	ok(!ROW(0, DW_CFA_val_offset_sf, SOME, 0x7f) && is(SOME, ROW_IS_OFFSET, W),
	   "val_offset_sf");
	ok(!ROW(0, DW_CFA_register, SOME, OTHER) && is(SOME, ROW_REGISTER, OTHER), "register");
	ok(!ROW(0, DW_CFA_undefined, BACK) && is(BACK, ROW_UNDEFINED, 0), "undefined");
	ok(!ROW(0, DW_CFA_same_value, SOME) && is(SOME, ROW_SAME, 0), "same_value");
	ok(!ROW(0, DW_CFA_expression, SOME, 1, DW_OP_lit0) && row.how[SOME] == ROW_AT_EXPRESSION,
	   "expression");
	ok(!ROW(0, DW_CFA_val_expression, SOME, 1, DW_OP_lit0) &&
		   row.how[SOME] == ROW_IS_EXPRESSION,
	   "val_expression");
	ok(!ROW(0, DW_CFA_offset | SOME, 2, DW_CFA_restore | SOME) && is(SOME, ROW_UNSAID, 0),
	   "restore");
	ok(!ROW(0, DW_CFA_undefined, BACK, DW_CFA_restore_extended, BACK) &&
		   is(BACK, ROW_AT_OFFSET, -W),
	   "restore_extended, to what the CIE says");
	ok(!ROW(0, DW_CFA_offset_extended, 0x7f, 2) && cfa_is(SP, W),
	   "registers of others are skipped");
}

static void remembering(void)
{
	const uint8_t epilogue[] = { DW_CFA_def_cfa_offset, 48,
				     DW_CFA_offset | SOME,  2,
				     DW_CFA_remember_state, DW_CFA_advance_loc | 8,
				     DW_CFA_def_cfa_offset, W,
				     DW_CFA_restore | SOME, DW_CFA_advance_loc | 1,
				     DW_CFA_restore_state };
	uint8_t nested[64];

	ok(!row_at(7, epilogue, sizeof(epilogue)) && cfa_is(SP, 48), "before an epilogue");
	ok(!row_at(8, epilogue, sizeof(epilogue)) && cfa_is(SP, W) && is(SOME, ROW_UNSAID, 0),
	   "in it");
	ok(!row_at(9, epilogue, sizeof(epilogue)) && cfa_is(SP, 48) &&
		   is(SOME, ROW_AT_OFFSET, -2 * W),
	   "behind it all is as before, CFA included");
	ok(ROW(0, DW_CFA_restore_state) == -EINVAL, "there is nothing to restore");
	memset(nested, DW_CFA_remember_state, sizeof(nested));
	ok(!row_at(0, nested, PROGRAM_REMEMBERED), "a few states can be remembered");
	ok(row_at(0, nested, sizeof(nested)) == -EINVAL, "not any number");
}

static void nonsense(void)
{
	ok(ROW(0, 0x3f) == -EINVAL, "an instruction that is none");
	ok(ROW(0, DW_CFA_def_cfa, FP) == -EINVAL, "one that is cut off");
	ok(ROW(0, DW_CFA_def_cfa, 0x7f, 8) == -EINVAL, "a CFA by a register that is not followed");
	ok(ROW(0, DW_CFA_expression, SOME, 20, DW_OP_lit0) == -EINVAL, "an expression too long");
	ok(ROW(0, DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f) == -EINVAL,
	   "an offset of terabytes");
	ok(!ROW(0, DW_CFA_advance_loc | 1, 0x3f), "instructions behind the address are not read");
}

static int read_again(size_t record)
{
	struct unwind_data data;
	uintptr_t next;

	fake_publish();
	data = fake_data();
	memset(&fde, 0, sizeof(fde));
	return fde_read(&data, FAKE_DATA + record, &fde, &next);
}

/* Makes an FDE with addresses in another encoding. */
static int encoded(uint8_t encoding, const void *start, size_t size)
{
	size_t cie, record;

	fake.size = 0;
	cie = fake_cie("zR", &encoding, 1);
	record = fake_begin();
	fake_u32((uint32_t)(fake.size - cie));
	fake_bytes(start, size);
	fake_bytes("\x40\0\0\0\0\0\0", size); /* 64 in each of them */
	fake_u8(0);
	fake_end(record);
	return read_again(record);
}

static void encodings(void)
{
	uintptr_t whole = FAKE_CODE + 0x10;
	uint64_t wide = whole;
	uint32_t half = (uint32_t)whole;
	int32_t relative;

	ok(!encoded(DW_EH_PE_absptr, &whole, sizeof(whole)) && fde.start == whole &&
		   fde.end == whole + 0x40,
	   "absptr");
	ok(!encoded(DW_EH_PE_udata4, &half, 4) && fde.start == whole, "udata4");
	ok(!encoded(DW_EH_PE_sdata8, &wide, 8) && fde.start == whole, "sdata8");
	relative = (int32_t)(whole - (FAKE_DATA + fake.size));
	encoded(DW_EH_PE_pcrel | DW_EH_PE_sdata4, &relative, 4);
	ok(fde.end == fde.start + 0x40 && fde.start != whole, "a size is relative to nothing");
	/* The pointer is behind the length and the offset of the CIE. */
	relative = (int32_t)(whole - (fde.address + 8));
	ok(!encoded(DW_EH_PE_pcrel | DW_EH_PE_sdata4, &relative, 4) && fde.start == whole, "pcrel");
	ok(encoded(DW_EH_PE_textrel | DW_EH_PE_sdata4, &relative, 4) == -EINVAL,
	   "textrel is not known here");
	ok(encoded(0x0d, &relative, 4) == -EINVAL, "nor a format that is none");
}

static void augmentations(void)
{
	static const uint8_t personality[] = { DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4,
					       1,
					       2,
					       3,
					       4,
					       DW_EH_PE_absptr,
					       DW_EH_PE_pcrel };
	size_t cie, record;

	fake.size = 0;
	cie = fake_cie("zPRSL", personality, sizeof(personality));
	ok(!read_again(fake_fde(cie, FAKE_CODE, 16, BYTES(0, DW_CFA_nop), 2)) && fde.cie.signal &&
		   fde.cie.sized && fde.program + 1 == fde.program_end,
	   "personality, pointers, signal frame, language data");
	fake.size = 0;
	cie = fake_cie("zX", personality, 1);
	ok(read_again(fake_fde(cie, FAKE_CODE, 16, BYTES(0, DW_CFA_nop), 2)) == -EINVAL,
	   "an unknown letter");
	fake.size = 0;
	cie = fake_cie("eh", NULL, 0);
	ok(read_again(fake_fde(cie, FAKE_CODE, 16, BYTES(0, DW_CFA_nop), 2)) == -EINVAL,
	   "gcc 2's \"eh\"");
	fake.size = 0;
	cie = fake_cie("", NULL, 0);
	ok(read_again(cie) == -ENOENT, "a CIE is not an FDE");
	ok(read_again(fake_fde(cie, FAKE_CODE, 0, BYTES(0, DW_CFA_nop), 2)) == -EINVAL &&
		   read_again(fake_fde(cie, FAKE_CODE, (uintptr_t)-16, BYTES(0, DW_CFA_nop), 2)) ==
			   -EINVAL,
	   "an FDE of no size, or of less, is of no function");
	fake_u32(0);
	ok(read_again(fake.size - 4) == -ERANGE, "nor is the terminator");
	record = fake_begin();
	fake_u32((uint32_t)fake_here());
	fake_address(FAKE_CODE);
	fake_address(16);
	fake_end(record);
	ok(read_again(record) == -EINVAL, "an FDE whose CIE would be at address 0");
	fake_u32(1000);
	ok(read_again(fake.size - 4) == -EFAULT, "nor one that is longer than all there is");
}

int main(void)
{
	locations();
	cfas();
	rules();
	remembering();
	nonsense();
	encodings();
	augmentations();
	return tap_done();
}
