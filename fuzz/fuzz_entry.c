/* SPDX-License-Identifier: MIT
 *
 * fuzz_entry.c - foreign bytes as code, as a file whose functions are surveyed, and as packed ones:
 * each instruction has a length, what can be moved is moved within its room, and nothing else is
 * read.
 */
#include "entry.h"
#include "entry/island.h"
#include "entry/survey.h"
#include "entry/xz.h"
#include "fuzz.h"

#define ADDRESS UINT64_C(0x400000)
#define COPY    UINT64_C(0x500000)

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return 0;
}

static void need(bool holds)
{
	if (!holds)
		abort();
}

/* Moves the beginning of a function by a jump of that length. */
static void move(const uint8_t *code, unsigned jump)
{
	uint8_t *copy = malloc(ARCH_ENTRY_COPY);
	struct arch_entry entry;
	unsigned size;

	fuzz_need(copy, "out of memory");
	if (arch_entry_plan(&entry, code, ADDRESS, ARCH_ENTRY_ROOM, jump) == ENTRY_FINE) {
		need(entry.count && entry.count <= ARCH_ENTRY_PIECES);
		need(entry.end >= entry.skip + jump && entry.end <= ARCH_ENTRY_ROOM);
		size = arch_entry_copy(&entry, code, ADDRESS, copy, COPY);
		need(size <= ARCH_ENTRY_COPY);
		for (unsigned i = 0; size && i < entry.count; i++)
			need(entry.copy_at[i] < entry.copy_at[i + 1] &&
			     entry.copy_at[i + 1] <= size);
	}
	free(copy);
}

/* Decodes all of it, with no more room behind it than decoding is promised. */
static void decode(const uint8_t *bytes, size_t size)
{
	uint8_t *code = malloc(size + ARCH_ENTRY_ROOM);
	struct arch_instruction one;

	fuzz_need(code, "out of memory");
	memcpy(code, bytes, size);
	memset(code + size, 0, ARCH_ENTRY_ROOM);
	for (size_t at = 0; at < size; at += one.length) {
		arch_decode(code + at, ADDRESS + at, &one);
		need(one.length > 0 && one.length <= ARCH_ENTRY_ROOM);
	}
	move(code, ARCH_ENTRY_JUMP);
	move(code, ARCH_ENTRY_FIXED);
	free(code);
}

/* Writes the copies of what can be patched, as the auditor does, but for the mapping. */
static void survey_file(const uint8_t *bytes, size_t size)
{
	uint8_t *file = malloc(size), room[ARCH_ENTRY_ROOM], copy[ARCH_ENTRY_COPY];
	struct survey survey;
	struct row row;

	fuzz_need(file, "out of memory");
	memcpy(file, bytes, size);
	if (survey_read(&survey, file, size) == 0) {
		for (size_t i = 0; i < survey.count; i++) {
			struct survey_function *function = &survey.functions[i];

			if (function->refusal)
				continue;
			arch_entry_copy(&function->entry, survey_code(&survey, function, room),
					function->address, copy, COPY);
			if (function->is_framed)
				need(survey_row(&survey, function, 0, &row));
		}
		survey_close(&survey);
	}
	free(file);
}

/* Unpacks the bytes as those of .gnu_debugdata, behind a head that is right: a stream, and a block
 * with one filter. */
static void unpack(const uint8_t *bytes, size_t size)
{
	static const uint8_t head[] = { 0xfd, '7', 'z',  'X', 'Z', 0, 0, 1, 0, 0, 0, 0,
					2,    0,   0x21, 1,   0,   0, 0, 0, 0, 0, 0, 0 };
	uint8_t *file = malloc(sizeof(head) + size);
	struct scratch scratch = { 0 };
	size_t unpacked;

	fuzz_need(file, "out of memory");
	memcpy(file, head, sizeof(head));
	memcpy(file + sizeof(head), bytes, size);
	xz_unpack(file, sizeof(head) + size, &scratch, &unpacked);
	scratch_free(&scratch);
	xz_unpack(file + sizeof(head), size, &scratch, &unpacked);
	scratch_free(&scratch);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (!size)
		return 0;
	decode(bytes, size < 512 ? size : 512);
	survey_file(bytes, size);
	unpack(bytes, size);
	return 0;
}
