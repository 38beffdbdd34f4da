/* SPDX-License-Identifier: MIT
 *
 * fake.h - a target that exists only in the test: hand-written unwind data, and memory of a few
 * words.
 */
#ifndef DWELL_TESTS_UNWIND_FAKE_H
#define DWELL_TESTS_UNWIND_FAKE_H

#include <string.h>

#include "tap.h"
#include "unwind/dwarf.h"
#include "unwind/fde.h"
#include "unwind/objects.h"
#include "unwind/unwind.h"

#define FAKE_CODE       ((uintptr_t)0x400000)
#define FAKE_CODE_BYTES 0x1000
#define FAKE_WORD       sizeof(uintptr_t)
#define FAKE_DATA       ((uintptr_t)0x600000) /* unwind data */
#define FAKE_STACK      ((uintptr_t)0x7ff000)

static struct {
	struct objects objects;
	struct memory memory;
	uint8_t code[FAKE_CODE_BYTES];
	uint8_t data[4096];
	size_t size; /* of data, so far */
	uintptr_t stack[64];
} fake;

static void fake_u8(unsigned value)
{
	fake.data[fake.size++] = (uint8_t)value;
}

static inline void fake_bytes(const void *bytes, size_t size)
{
	memcpy(fake.data + fake.size, bytes, size);
	fake.size += size;
}

static inline void fake_u32(uint32_t value)
{
	fake_bytes(&value, sizeof(value));
}

static inline void fake_address(uintptr_t value)
{
	fake_bytes(&value, sizeof(value));
}

static inline uintptr_t fake_here(void)
{
	return FAKE_DATA + fake.size;
}

/* Begins a record, whose length is filled in at its end. Returns its offset. */
static inline size_t fake_begin(void)
{
	fake_u32(0);
	return fake.size - 4;
}

static inline void fake_end(size_t record)
{
	uint32_t length = (uint32_t)(fake.size - record - 4);

	memcpy(fake.data + record, &length, sizeof(length));
}

/* Adds an ordinary CIE: CFA = sp + a word, return address in the word below the CFA. */
static inline size_t fake_cie(const char *augmentation, const uint8_t *more, size_t more_size)
{
	static const uint8_t usual[] = { DW_CFA_def_cfa, ARCH_FRAME_SP, FAKE_WORD,
					 DW_CFA_offset | ARCH_FRAME_LINK, 1 };
	size_t record = fake_begin();

	fake_u32(0);
	fake_u8(1);
	fake_bytes(augmentation, strlen(augmentation) + 1);
	fake_u8(1);                /* code factor */
	fake_u8(0x80 - FAKE_WORD); /* data factor: a word down */
	fake_u8(ARCH_FRAME_LINK);
	if (augmentation[0] == 'z') {
		fake_u8((unsigned)more_size);
		fake_bytes(more, more_size);
	}
	fake_bytes(usual, sizeof(usual));
	fake_end(record);
	return record;
}

/* Adds an FDE with absolute addresses. */
static inline size_t fake_fde(size_t cie, uintptr_t start, uintptr_t size, const uint8_t *program,
			      size_t program_size)
{
	size_t record = fake_begin();

	fake_u32((uint32_t)(fake.size - cie));
	fake_address(start);
	fake_address(size);
	fake_bytes(program, program_size);
	fake_end(record);
	return record;
}

static bool fake_read(void *context, uintptr_t address, void *to, size_t size)
{
	(void)context;
	(void)address;
	(void)to;
	(void)size;
	return false;
}

/* Publishes the data written so far, as .eh_frame without a header. */
static inline void fake_publish(void)
{
	static char tables[4096] __attribute__((aligned(64)));
	static bool ready;
	struct eh_table *table;
	struct mapping code = { .start = FAKE_CODE,
				.end = FAKE_CODE + FAKE_CODE_BYTES,
				.direct_end = FAKE_CODE + FAKE_CODE_BYTES,
				.shift = (uintptr_t)fake.code - FAKE_CODE,
				.frames = FAKE_DATA,
				.frames_bytes = (uint32_t)fake.size,
				.flags = MAPPING_CODE };
	struct mapping data = { .start = FAKE_DATA,
				.end = FAKE_DATA + fake.size,
				.direct_end = FAKE_DATA + fake.size,
				.shift = (uintptr_t)fake.data - FAKE_DATA };

	if (!ready && objects_init(&fake.objects, tables, sizeof(tables)))
		bail_out("no room to test in");
	ready = true;
	table = objects_begin(&fake.objects);
	table_put(table, &data);
	table_put(table, &code);
	objects_publish(&fake.objects);
	fake.memory = (struct memory){
		.read = fake_read,
		.stack = { FAKE_STACK, FAKE_STACK + sizeof(fake.stack),
			   (uintptr_t)fake.stack - FAKE_STACK },
		.table = fake.objects.tables[atomic_load(&fake.objects.current)],
	};
}

static inline struct unwind_data fake_data(void)
{
	return (struct unwind_data){ .memory = &fake.memory, .end = FAKE_DATA + fake.size };
}

#endif
