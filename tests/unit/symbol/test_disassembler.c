/* SPDX-License-Identifier: MIT */
#include "symbol/disassembler.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "cpu.h"
#include "tap.h"

/* push %es, which 64 bits do not have; call to 0x1010; ret; half an instruction. */
static const unsigned char bytes[] = { 0x06, 0xe8, 0x0a, 0, 0, 0, 0xc3, 0x48 };

static void reads(struct disassembler *disassembler)
{
	struct disassembler_code code = { bytes, sizeof(bytes), 0x1000 };
	struct disassembler_instruction next;

	ok(disassembler_next(disassembler, &code, &next) && next.size == 1 &&
		   next.address == 0x1000 && strcmp(next.mnemonic, ".byte") == 0 &&
		   strcmp(next.operands, "0x06") == 0,
	   "an invalid instruction is shown as a byte");
	ok(disassembler_next(disassembler, &code, &next) && next.size == 5 &&
		   next.address == 0x1001 && next.is_call && next.has_target &&
		   next.target == 0x1010,
	   "the next one is behind it");
	ok(disassembler_next(disassembler, &code, &next) && next.size == 1 && !next.is_call &&
		   !next.has_target && strncmp(next.mnemonic, "ret", 3) == 0,
	   "one that leads to nowhere in particular");
	ok(disassembler_next(disassembler, &code, &next) && strcmp(next.mnemonic, ".byte") == 0 &&
		   strcmp(next.operands, "0x48") == 0,
	   "one that is cut");
	ok(!disassembler_next(disassembler, &code, &next), "and no more");
}

static int is_capstone(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	return strstr(info->dlpi_name, "capstone") != NULL;
}

int main(void)
{
	struct disassembler *disassembler;
	int status = disassembler_new(&disassembler, DISASSEMBLER_ATT);

	if (status == -ENOENT) {
		skip("instructions", "there is no capstone here");
		return tap_done();
	}
	if (status || disassembler_choose(disassembler, arch_cpu_of(EM_X86_64, ELFCLASS64)))
		bail_out("capstone does not know x86-64");
	reads(disassembler);
	disassembler_free(disassembler);
	/* Each of many functions may have a disassembler. */
	ok(dl_iterate_phdr(is_capstone, NULL), "capstone is not loaded anew for the next one");
	return tap_done();
}
