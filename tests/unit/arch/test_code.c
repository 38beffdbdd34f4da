/* SPDX-License-Identifier: MIT
 *
 * test_code.c - code.h finds the same lengths of instructions as capstone, for all instructions of
 * large libraries and of a compiler. Both read on where capstone says that the next one begins, so
 * that one disagreement is counted once; bytes that capstone does not know are skipped.
 */
#include "x86/code.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

#include "entry/view.h"
#include "tap.h"

#define LIBRARIES "/usr/lib/x86_64-linux-gnu/"

static const char *const files[] = {
	LIBRARIES "libc.so.6",       LIBRARIES "libstdc++.so.6",
	LIBRARIES "libcrypto.so.3",  LIBRARIES "libpython3.11.so.1.0",
	LIBRARIES "libsqlite3.so.0", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
};

/*
 * Returns whether capstone 4 is known to differ: it reads no operand behind ud0 and ud1, two bytes
 * of a jump with a prefix that Intel's CPUs ignore, and no displacement of a debug register. Only
 * data among code looks like that.
 */
static bool is_known(const cs_insn *theirs)
{
	const uint8_t *bytes = theirs->bytes;

	return (bytes[0] == 0x0f &&
		(bytes[1] == 0xff || bytes[1] == 0xb9 || (bytes[1] >= 0x20 && bytes[1] <= 0x23))) ||
	       (bytes[0] == 0x66 && (bytes[1] == 0xe8 || bytes[1] == 0xe9));
}

/* Returns how many lengths differ in a segment; adds those compared. */
static unsigned compare(csh capstone, cs_insn *theirs, const struct view *view,
			const Elf64_Phdr *segment, unsigned long *count)
{
	const uint8_t *at = view->bytes + segment->p_offset, *end = at + segment->p_filesz;
	size_t left = segment->p_filesz;
	uint64_t address = segment->p_vaddr;
	unsigned differ = 0;

	while (left) {
		uint8_t room[EPILOGUE_ROOM] = { 0 };
		struct epilogue_instruction ours;
		const uint8_t *here = at;

		if (!cs_disasm_iter(capstone, &at, &left, &address, theirs))
			break;
		if (theirs->id == 0)
			continue;
		memcpy(room, here,
		       (size_t)(end - here) < sizeof(room) ? (size_t)(end - here) : sizeof(room));
		epilogue_decode(room, &ours);
		++*count;
		if (ours.length != theirs->size && !is_known(theirs) && differ++ < 5)
			printf("# %#lx: %u bytes instead of %u: %s %s\n",
			       (unsigned long)theirs->address, ours.length, theirs->size,
			       theirs->mnemonic, theirs->op_str);
	}
	return differ;
}

static void compare_file(csh capstone, cs_insn *theirs, const char *path)
{
	unsigned long count = 0;
	unsigned differ = 0;
	struct view view;

	if (view_open(&view, path)) {
		skip(path, "not installed, or of another version");
		return;
	}
	for (size_t i = 0; i < view.segment_count && view_is_whole(&view); i++)
		if (view.segments[i].p_type == PT_LOAD && view.segments[i].p_flags & PF_X)
			differ += compare(capstone, theirs, &view, &view.segments[i], &count);
	ok(count > 10000 && !differ, "%s: %lu lengths are the same", path, count);
	view_close(&view);
}

int main(void)
{
	cs_insn *theirs;
	csh capstone;

	if (!ok(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) == CS_ERR_OK, "capstone is there"))
		return tap_done();
	cs_option(capstone, CS_OPT_SKIPDATA, CS_OPT_ON);
	theirs = cs_malloc(capstone);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		compare_file(capstone, theirs, files[i]);
	cs_free(theirs, 1);
	cs_close(&capstone);
	return tap_done();
}
