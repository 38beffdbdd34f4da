/* SPDX-License-Identifier: MIT */
#include "symbol/disassembler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "disassembly.h"

#define TEXT_OF(number)    #number
#define LIBRARY_OF(number) "libcapstone.so." TEXT_OF(number)
#define LIBRARY            LIBRARY_OF(CS_API_MAJOR)

struct disassembler {
	void *library;
	csh handle;
	cs_insn *instruction; /* capstone's room for one */
	/* What is used of the library. */
	typeof(cs_open) *open;
	typeof(cs_close) *close;
	typeof(cs_option) *option;
	typeof(cs_malloc) *malloc;
	typeof(cs_free) *free;
	typeof(cs_disasm_iter) *next;
	typeof(cs_insn_group) *is_of_group;
};

/* False: it is not there. */
static bool load(struct disassembler *disassembler)
{
	const struct {
		const char *name;
		void *place;
	} functions[] = {
		{ "cs_open", &disassembler->open },
		{ "cs_close", &disassembler->close },
		{ "cs_option", &disassembler->option },
		{ "cs_malloc", &disassembler->malloc },
		{ "cs_free", &disassembler->free },
		{ "cs_disasm_iter", &disassembler->next },
		{ "cs_insn_group", &disassembler->is_of_group },
	};

	disassembler->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = disassembler->library
				      ? dlsym(disassembler->library, functions[i].name)
				      : NULL;

		if (!found)
			return false;
		*(void **)functions[i].place = found;
	}
	return true;
}

/* 0 or -errno. */
static int start(struct disassembler *disassembler, enum disassembler_syntax syntax)
{
	csh handle;

	if (!load(disassembler))
		return -ENOENT;
	if (disassembler->open(ARCH_DISASSEMBLY_ARCH, ARCH_DISASSEMBLY_MODE, &handle))
		return -ENOMEM;
	disassembler->handle = handle;
	disassembler->option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	disassembler->option(handle, CS_OPT_SYNTAX,
			     syntax == DISASSEMBLER_INTEL ? CS_OPT_SYNTAX_INTEL
							  : CS_OPT_SYNTAX_ATT);
	disassembler->instruction = disassembler->malloc(handle);
	return disassembler->instruction ? 0 : -ENOMEM;
}

int disassembler_new(struct disassembler **made, enum disassembler_syntax syntax)
{
	struct disassembler *disassembler = calloc(1, sizeof(*disassembler));
	int status = disassembler ? start(disassembler, syntax) : -ENOMEM;

	if (status)
		disassembler_free(disassembler);
	else
		*made = disassembler;
	return status;
}

void disassembler_free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->instruction)
		disassembler->free(disassembler->instruction, 1);
	if (disassembler->handle)
		disassembler->close(&disassembler->handle);
	if (disassembler->library)
		dlclose(disassembler->library);
	free(disassembler);
}

/* Data between instructions, or an instruction that capstone does not know. */
static void take_byte(struct disassembler_code *code, struct disassembler_instruction *instruction)
{
	instruction->size = 1;
	snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), ".byte");
	snprintf(instruction->operands, sizeof(instruction->operands), "0x%02x", *code->bytes);
	code->bytes++;
	code->size--;
	code->address++;
}

bool disassembler_next(struct disassembler *disassembler, struct disassembler_code *code,
		       struct disassembler_instruction *instruction)
{
	const cs_insn *found = disassembler->instruction;

	if (!code->size)
		return false;
	*instruction = (struct disassembler_instruction){ .address = code->address };
	if (!disassembler->next(disassembler->handle, &code->bytes, &code->size, &code->address,
				disassembler->instruction)) {
		take_byte(code, instruction);
		return true;
	}
	instruction->size = found->size;
	snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), "%s", found->mnemonic);
	snprintf(instruction->operands, sizeof(instruction->operands), "%s", found->op_str);
	instruction->is_call = disassembler->is_of_group(disassembler->handle, found, CS_GRP_CALL);
	instruction->is_jump = disassembler->is_of_group(disassembler->handle, found, CS_GRP_JUMP);
	if (instruction->is_call || instruction->is_jump)
		instruction->has_target = arch_disassembly_target(found, &instruction->target);
	return true;
}
