/* SPDX-License-Identifier: MIT
 *
 * test_cpus.c - the tools' facts about each CPU, on whichever they run: the target of a stub of a
 * procedure linkage table, and of an instruction.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "cpu.h"
#include "symbol/disassembler.h"
#include "tap.h"

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define WORD(w)    (w) & 255, (w) >> 8 & 255, (w) >> 16 & 255, (w) >> 24 & 255
#define NO_SLOT    UINT64_MAX

static const struct arch_cpu *cpu;

static void slot(const char *what, uint64_t expected, uint64_t got, const uint8_t *code,
		 size_t size)
{
	const struct arch_stub stub = { code, size, 0x401000, got };
	uint64_t found = NO_SLOT;

	if (!cpu->stub_slot(&stub, &found))
		found = NO_SLOT;
	ok(found == expected, "%s: %#lx", what, (unsigned long)found);
}

static void x86_64_stubs(void)
{
	cpu = arch_cpu_of(EM_X86_64, ELFCLASS64);
	slot("x86-64: jmp", 0x401016, 0, BYTES(0xff, 0x25, 0x10, 0, 0, 0));
	slot("bnd jmp, backwards", 0x400ff7, 0, BYTES(0xf2, 0xff, 0x25, 0xf0, 0xff, 0xff, 0xff));
	slot("endbr64; bnd jmp", 0x40101b, 0,
	     BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x10, 0, 0, 0));
	slot("one that is cut", NO_SLOT, 0, BYTES(0xff, 0x25, 0x10, 0, 0));
	slot("the first, which pushes", NO_SLOT, 0, BYTES(0xff, 0x35, 0x10, 0, 0, 0));
}

static void i386_stubs(void)
{
	cpu = arch_cpu_of(EM_386, ELFCLASS32);
	slot("i386: jmp", 0x804c010, 0, BYTES(0xff, 0x25, 0x10, 0xc0, 0x04, 0x08));
	slot("jmp by the GOT", 0x804c00c, 0x804c000, BYTES(0xff, 0xa3, 0x0c, 0, 0, 0));
	slot("below it", 0x804bff8, 0x804c000, BYTES(0xff, 0xa3, 0xf8, 0xff, 0xff, 0xff));
	slot("but where is it?", NO_SLOT, 0, BYTES(0xff, 0xa3, 0x0c, 0, 0, 0));
	slot("endbr32; jmp", 0x804c010, 0,
	     BYTES(0xf3, 0x0f, 0x1e, 0xfb, 0xff, 0x25, 0x10, 0xc0, 0x04, 0x08));
	slot("one that is cut", NO_SLOT, 0x804c000, BYTES(0xff, 0xa3, 0x0c, 0, 0));
}

static void aarch64_stubs(void)
{
	cpu = arch_cpu_of(EM_AARCH64, ELFCLASS64);
	slot("aarch64: adrp; ldr; add; br", 0x401740, 0,
	     BYTES(WORD(0x90000010), WORD(0xf943a211), WORD(0x911d0210), WORD(0xd61f0220)));
	slot("bti c before it, and a page further", 0x402740, 0,
	     BYTES(WORD(0xd503245f), WORD(0xb0000010), WORD(0xf943a211), WORD(0x911d0210),
		   WORD(0xd61f0220)));
	slot("a page before", 0x400740, 0,
	     BYTES(WORD(0xf0fffff0), WORD(0xf943a211), WORD(0x911d0210), WORD(0xd61f0220)));
	slot("by another register", NO_SLOT, 0,
	     BYTES(WORD(0x90000011), WORD(0xf943a211), WORD(0x911d0210), WORD(0xd61f0220)));
	slot("one that is cut", NO_SLOT, 0,
	     BYTES(WORD(0x90000010), WORD(0xf943a211), WORD(0x911d0210)));
}

static void riscv64_stubs(void)
{
	cpu = arch_cpu_of(EM_RISCV, ELFCLASS64);
	slot("riscv64: auipc; ld; jalr", 0x403010, 0,
	     BYTES(WORD(0x00002e17), WORD(0x010e3e03), WORD(0x000e0367), WORD(0x00000013)));
	slot("a page before, and less", 0x3fffe8, 0,
	     BYTES(WORD(0xfffffe17), WORD(0xfe8e3e03), WORD(0x000e0367), WORD(0x00000013)));
	slot("by another register", NO_SLOT, 0,
	     BYTES(WORD(0x00002e97), WORD(0x010e3e03), WORD(0x000e0367), WORD(0x00000013)));
	slot("one that is cut", NO_SLOT, 0, BYTES(WORD(0x00002e17), WORD(0x010e3e03)));
}

/* 0: known only at run time. */
static void target(const char *what, uint64_t expected, uint64_t address, const uint8_t *bytes,
		   size_t size)
{
	struct disassembler_code code = { bytes, size, address };
	struct disassembler_instruction next;
	struct disassembler *disassembler;
	int status = disassembler_new(&disassembler, DISASSEMBLER_ATT);

	if (status == -ENOENT) {
		skip(what, "there is no capstone here");
		return;
	}
	if (status || disassembler_choose(disassembler, cpu)) {
		skip(what, "capstone does not know this CPU");
	} else {
		ok(disassembler_next(disassembler, &code, &next) &&
			   (next.is_call || next.is_jump) && next.has_target == (expected != 0) &&
			   (!expected || next.target == expected),
		   "%s: %s %s", what, next.mnemonic, next.operands);
	}
	disassembler_free(disassembler);
}

static void targets(void)
{
	cpu = arch_cpu_of(EM_X86_64, ELFCLASS64);
	target("x86-64: a call", 0x40100f, 0x401000, BYTES(0xe8, 0x0a, 0, 0, 0));
	target("of where a register says", 0, 0x401000, BYTES(0xff, 0xd0));
	cpu = arch_cpu_of(EM_386, ELFCLASS32);
	target("i386: a call, round the end of memory", 0x5, 0xfffffff0,
	       BYTES(0xe8, 0x10, 0, 0, 0));
	target("of where a register says", 0, 0x401000, BYTES(0xff, 0xd0));
	cpu = arch_cpu_of(EM_AARCH64, ELFCLASS64);
	target("aarch64: a call", 0x401008, 0x401000, BYTES(WORD(0x94000002)));
	target("a jump if something is 0", 0x401010, 0x401000, BYTES(WORD(0xb4000080)));
	target("one to where a register says", 0, 0x401000, BYTES(WORD(0xd61f0220)));
	cpu = arch_cpu_of(EM_RISCV, ELFCLASS64);
	target("riscv64: a call", 0x401008, 0x401000, BYTES(WORD(0x008000ef)));
	target("a jump of two bytes", 0x400ff0, 0x401000, BYTES(0xc5, 0xbf));
	target("one if something is 0", 0x401010, 0x401000, BYTES(WORD(0x00050863)));
	target("one to where a register says", 0, 0x401000, BYTES(WORD(0x000e0067)));
}

int main(void)
{
	ok(!arch_cpu_of(EM_NONE, ELFCLASS64) && !arch_cpu_of(EM_X86_64, ELFCLASS32),
	   "CPUs that there is nothing of");
	x86_64_stubs();
	i386_stubs();
	aarch64_stubs();
	riscv64_stubs();
	targets();
	return tap_done();
}
