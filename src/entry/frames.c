/* SPDX-License-Identifier: MIT */
#include "entry/frames.h"

#include "unwind/dwarf.h"

#define HEAD_BYTES  12
#define ENTRY_BYTES 8
#define CIE_BYTES   24
#define FDE_BYTES   208 /* at most: eight rows, each with the CFA and a register */

/* A place to write at; `is_full` if there was no room. */
struct writer {
	uint8_t *start, *at, *end;
	uint64_t address; /* of start, when it is read */
	bool is_full;
};

static void put_u8(struct writer *writer, unsigned value)
{
	if (writer->at == writer->end)
		writer->is_full = true;
	else
		*writer->at++ = (uint8_t)value;
}

static void put_u32(struct writer *writer, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		put_u8(writer, value >> 8 * i & 255);
}

static void put_uleb(struct writer *writer, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		put_u8(writer, (value & 127) | 128);
	put_u8(writer, (unsigned)value);
}

/* Puts the distance to an address from the place itself. */
static void put_distance(struct writer *writer, uint64_t address)
{
	uint64_t here = writer->address + (uint64_t)(writer->at - writer->start);

	put_u32(writer, (uint32_t)(address - here));
}

static void store_u32(uint8_t *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Ends a record that began at `start` with its length. */
static void end_record(struct writer *writer, uint8_t *start)
{
	while (!writer->is_full && (writer->at - start) % 8)
		put_u8(writer, DW_CFA_nop);
	if (!writer->is_full)
		store_u32(start, (uint32_t)(writer->at - start - 4));
}

/* A call leaves the return address in a register, and not on the stack. */
static const bool is_in_link = ARCH_FRAME_LINK != ARCH_FRAME_PC;

/* The row of a function that was just called. */
static void entry_row(struct row *row)
{
	*row = (struct row){ .cfa = ROW_CFA_REGISTER,
			     .cfa_register = ARCH_ENTRY_CFA_REGISTER,
			     .cfa_value = ARCH_ENTRY_CFA_OFFSET };
	if (!is_in_link) {
		row->how[ARCH_FRAME_PC] = ROW_AT_OFFSET;
		row->value[ARCH_FRAME_PC] = -ARCH_ENTRY_WORD;
	}
}

static void put_cie(struct writer *writer)
{
	uint8_t *start = writer->at;

	put_u32(writer, 0);
	put_u32(writer, 0); /* this is a CIE */
	put_u8(writer, 1);  /* version */
	put_u8(writer, 'z');
	put_u8(writer, 'R');
	put_u8(writer, 0);
	put_uleb(writer, 1);                   /* code alignment */
	put_u8(writer, 128 - ARCH_ENTRY_WORD); /* data alignment, -8 as a sleb128 */
	put_u8(writer, ARCH_FRAME_LINK);       /* the return address's column */
	put_uleb(writer, 1);                   /* of augmentation data */
	put_u8(writer, DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	put_u8(writer, DW_CFA_def_cfa);
	put_uleb(writer, ARCH_ENTRY_CFA_REGISTER);
	put_uleb(writer, ARCH_ENTRY_CFA_OFFSET);
	if (!is_in_link) {
		put_u8(writer, DW_CFA_offset | ARCH_FRAME_PC);
		put_uleb(writer, 1);
	}
	end_record(writer, start);
}

/* An FDE being written: the row that its instructions have reached, and for which code. */
struct program_writer {
	struct writer *writer;
	struct row row;
	uint32_t location;
};

static void advance_to(struct program_writer *program, uint32_t location)
{
	uint32_t distance = location - program->location;

	if (distance && distance < 64)
		put_u8(program->writer, DW_CFA_advance_loc | distance);
	else if (distance) {
		put_u8(program->writer, DW_CFA_advance_loc1);
		put_u8(program->writer, distance);
	}
	program->location = location;
}

static void put_register(struct writer *writer, const struct row *row, unsigned number)
{
	if (row->how[number] == ROW_AT_OFFSET) {
		put_u8(writer, DW_CFA_offset | number);
		put_uleb(writer, (uint64_t)(-row->value[number] / ARCH_ENTRY_WORD));
	} else {
		put_u8(writer, DW_CFA_restore | number);
	}
}

static bool is_saved(const struct row *row, unsigned number)
{
	return row->how[number] == ROW_AT_OFFSET;
}

/* Puts the changes to a row, for the code from `location` on. */
static void put_row(struct program_writer *program, uint32_t location, const struct row *row)
{
	struct row *before = &program->row;
	struct writer *writer = program->writer;

	advance_to(program, location);
	if (row->cfa_register != before->cfa_register || row->cfa_value != before->cfa_value) {
		put_u8(writer, DW_CFA_def_cfa);
		put_uleb(writer, row->cfa_register);
		put_uleb(writer, (uint64_t)row->cfa_value);
	}
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (is_saved(row, i) != is_saved(before, i) ||
		    (is_saved(row, i) && row->value[i] != before->value[i]))
			put_register(writer, row, i);
	*before = *row;
}

/* Puts that return addresses are signed from here on, or no longer. */
static void put_signed(struct program_writer *program, uint32_t location)
{
	advance_to(program, location);
	put_u8(program->writer, ARCH_ENTRY_SIGNS_CFA);
}

/* Puts the row of the code at an offset of the function, for its copy. */
static void put_copied(struct program_writer *program, const struct survey *survey,
		       const struct frames_copy *copy, unsigned i, uint64_t offset)
{
	const struct arch_entry *entry = &copy->entry;
	struct row row;

	if (survey_row(survey, copy->function, offset, &row))
		put_row(program, copy->copy + entry->copy_at[i], &row);
	if (entry->signed_at && entry->signed_at == entry->copy_at[i])
		put_signed(program, copy->copy + entry->copy_at[i]);
}

/* Puts the rows of a copy; instructions that were moved have those of their old places. */
static void put_rows(struct program_writer *program, const struct survey *survey,
		     const struct frames_copy *copy)
{
	const struct arch_entry *entry = &copy->entry;
	struct row row;

	if (entry->signs) {
		put_signed(program, 0);
		put_signed(program, ARCH_GATE_UNSIGNED);
	}
	for (unsigned i = 0; i < entry->count; i++)
		put_copied(program, survey, copy, i, entry->at[i]);
	if (entry->pushed_at) {
		row = program->row;
		if (row.cfa_register == ARCH_ENTRY_CFA_REGISTER)
			row.cfa_value += ARCH_ENTRY_WORD;
		put_row(program, copy->copy + entry->pushed_at, &row);
	} else if (entry->returns) {
		put_copied(program, survey, copy, entry->count, entry->end);
	}
}

static void put_fde(struct writer *writer, const uint8_t *cie, const struct survey *survey,
		    const struct frames_copy *copy)
{
	struct program_writer program = { .writer = writer };
	uint8_t *start = writer->at;

	entry_row(&program.row);
	put_u32(writer, 0);
	put_u32(writer, (uint32_t)(writer->at - cie));
	put_distance(writer, copy->address);
	put_u32(writer, copy->size);
	put_uleb(writer, 0); /* of augmentation data */
	put_rows(&program, survey, copy);
	end_record(writer, start);
}

size_t frames_size(size_t count)
{
	return HEAD_BYTES + CIE_BYTES + 4 + 4 + count * (ENTRY_BYTES + FDE_BYTES);
}

size_t frames_write(uint8_t *to, size_t size, uint64_t address, const struct survey *survey,
		    const struct frames_copy *copies, size_t count)
{
	size_t framed = 0, table_bytes;
	struct writer writer = { .start = to, .end = to + size, .address = address };
	uint8_t *table = to + HEAD_BYTES, *cie;

	for (size_t i = 0; i < count; i++)
		framed += copies[i].function->is_framed;
	table_bytes = framed * ENTRY_BYTES;
	if (size < frames_size(framed))
		return 0;
	cie = to + ((HEAD_BYTES + table_bytes + 7) & ~(size_t)7);
	writer.at = to;
	put_u8(&writer, 1); /* version */
	put_u8(&writer, DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	put_u8(&writer, DW_EH_PE_udata4);
	put_u8(&writer, DW_EH_PE_datarel | DW_EH_PE_sdata4);
	put_distance(&writer, address + (uint64_t)(cie - to));
	put_u32(&writer, (uint32_t)framed);
	writer.at = cie;
	put_cie(&writer);
	for (size_t i = 0; i < count; i++) {
		if (!copies[i].function->is_framed)
			continue;
		store_u32(table, (uint32_t)(copies[i].address - address));
		store_u32(table + 4, (uint32_t)(writer.at - to));
		table += ENTRY_BYTES;
		put_fde(&writer, cie, survey, &copies[i]);
	}
	put_u32(&writer, 0); /* the end */
	return writer.is_full ? 0 : (size_t)(writer.at - to);
}
