/* SPDX-License-Identifier: MIT
 *
 * hotspot_frames.c - methods of Java in frames.
 *
 * A frame of the interpreter has a pointer to its method, and to the instruction. A frame of
 * compiled code stands for several methods, since others were inlined. For each place where a
 * thread may stop, the compiler has left a chain of methods, the innermost first. An address
 * between two such places may belong to either; then the methods that both have in common are
 * certain. With -XX:+DebugNonSafepoints there is a place at each change, and the next one holds.
 */
#include "hotspot_frames.h"

#include "java_code.h"
#include "scripts.h"

#define WORD      ((uintptr_t)8)
#define CHAIN_MAX 48      /* methods inlined in each other */
#define PCS_MAX   1048576 /* places of a method */
#define UNKNOWN   UINT32_MAX

/* ---- chains of inlined methods ---- */

struct chain {
	struct {
		uint32_t method; /* its number in the compiled method */
		uint32_t bci;    /* the instruction */
	} at[CHAIN_MAX];
	int count; /* 0: none */
};

/* A compiled method. */
struct compiled {
	const struct hotspot *vm;
	struct peek *peek;
	uintptr_t address, metadata, scopes, pcs;
	uint32_t count; /* of places */
};

static void read_chain(const struct compiled *code, uint32_t offset, struct chain *chain)
{
	chain->count = 0;
	while (offset && chain->count < CHAIN_MAX) {
		uintptr_t at = code->scopes + offset;
		uint32_t sender = hotspot_number(code->peek, &at);

		chain->at[chain->count].method = hotspot_number(code->peek, &at);
		chain->at[chain->count++].bci = hotspot_number(code->peek, &at) - 1;
		/* Callers are written first. */
		if (sender >= offset)
			break;
		offset = sender;
	}
	if (chain->count == CHAIN_MAX)
		chain->count = 0;
}

static int32_t place_pc(const struct compiled *code, uint32_t place)
{
	return (int32_t)hotspot_half(code->peek, code->pcs +
							 place * code->vm->at[HOTSPOT_PC_BYTES] +
							 code->vm->at[HOTSPOT_PC_OFFSET]);
}

static uint32_t place_scope(const struct compiled *code, uint32_t place)
{
	return hotspot_half(code->peek, code->pcs + place * code->vm->at[HOTSPOT_PC_BYTES] +
						code->vm->at[HOTSPOT_PC_SCOPE]);
}

/* Returns the first place at an offset of the code or behind it. */
static uint32_t find_place(const struct compiled *code, int32_t offset)
{
	uint32_t low = 0, high = code->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (place_pc(code, middle) < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Reduces a chain to what it has in common with another one, from the outermost method on. */
static void reduce(struct chain *chain, const struct chain *other)
{
	int common = 0;

	while (common < chain->count && common < other->count) {
		int i = chain->count - 1 - common, j = other->count - 1 - common;

		if (chain->at[i].method != other->at[j].method)
			break;
		common++;
		if (chain->at[i].bci != other->at[j].bci)
			break;
	}
	for (int i = 0; i < common; i++)
		chain->at[i] = chain->at[chain->count - common + i];
	chain->count = common;
}

/* Reads the methods at an offset of the code. The first and the last place are none. */
static void chain_at(const struct compiled *code, int32_t offset, struct chain *chain)
{
	uint32_t place = find_place(code, offset);
	struct chain before;

	chain->count = 0;
	if (place + 1 >= code->count)
		return;
	read_chain(code, place_scope(code, place), chain);
	if (place_pc(code, place) == offset ||
	    (code->vm->dense && hotspot_byte(code->peek, code->vm->dense)))
		return;
	if (place < 2)
		return;
	read_chain(code, place_scope(code, place - 1), &before);
	reduce(chain, &before);
}

/* ---- methods ---- */

/* Returns what differs in the texts that may be at one address, one after the other. */
static uintptr_t text_of(const struct hotspot *vm, struct peek *peek, uintptr_t symbol)
{
	uintptr_t length = hotspot_half(peek, symbol + vm->at[HOTSPOT_TEXT_LENGTH]) & 0xffff;
	uintptr_t end = symbol + vm->at[HOTSPOT_TEXT] + length;

	return length >= WORD ? hotspot_word(peek, end - WORD)
			      : hotspot_word(peek, symbol + vm->at[HOTSPOT_TEXT]) &
					((UINT64_C(1) << 8 * length) - 1);
}

/* Adds a method at an instruction; one behind the last: not known which. */
static void add(struct script_walk *walk, uintptr_t method, uint32_t bci)
{
	const struct hotspot *vm = walk->found->vm;
	struct peek *peek = &walk->peek;
	uintptr_t constant = hotspot_field(vm, peek, method, HOTSPOT_METHOD_CONST);
	uintptr_t pool = hotspot_field(vm, peek, constant, HOTSPOT_CONST_POOL);
	uint32_t number = hotspot_half(peek, constant + vm->at[HOTSPOT_CONST_NAME]) & 0xffff;
	uint32_t bytes = hotspot_half(peek, constant + vm->at[HOTSPOT_CONST_CODE_BYTES]) & 0xffff;
	uintptr_t holder = hotspot_field(vm, peek, pool, HOTSPOT_POOL_HOLDER);
	uintptr_t class = hotspot_field(vm, peek, holder, HOTSPOT_CLASS_NAME);
	uintptr_t name = hotspot_symbol(vm, peek, pool, number);
	struct script_code code = {
		.object = method,
		.address = constant,
		.name = name ^ text_of(vm, peek, name),
		.file = class ^ text_of(vm, peek, class),
		.table = pool,
		.line = number,
		.bytes = bytes + 1,
	};

	walk->is_cut = walk->count == SCRIPT_DEPTH;
	if (!walk->is_cut)
		walk->pcs[walk->count++] = scripts_address(walk, &code, bci < bytes ? bci : bytes);
}

static bool add_method(struct script_walk *walk, uintptr_t method, uint32_t bci)
{
	if (!hotspot_is_method(walk->found->vm, &walk->peek, method))
		return false;
	add(walk, method, bci);
	return true;
}

/* ---- frames ---- */

/* Returns the address at which a frame goes on. That of a frame to be replaced is stored in it. */
static uintptr_t going_on(const struct script_walk *walk, struct compiled *code)
{
	const struct hotspot *vm = code->vm;
	uintptr_t pc = walk->pc;
	uint32_t at;

	if (pc != hotspot_field(vm, code->peek, code->address, HOTSPOT_NMETHOD_DEOPT) &&
	    pc != hotspot_field(vm, code->peek, code->address, HOTSPOT_NMETHOD_DEOPT_HANDLE))
		return pc;
	at = hotspot_half(code->peek, code->address + vm->at[HOTSPOT_NMETHOD_ORIGINAL]);
	return hotspot_word(code->peek, walk->sp + at);
}

static bool compiled_frames(struct script_walk *walk, uintptr_t address)
{
	const struct hotspot *vm = walk->found->vm;
	struct peek *peek = &walk->peek;
	uint32_t pcs = hotspot_half(peek, address + vm->at[HOTSPOT_NMETHOD_PCS]);
	uint32_t pcs_end = hotspot_half(peek, address + vm->at[HOTSPOT_NMETHOD_PCS_END]);
	struct compiled code = {
		.vm = vm,
		.peek = peek,
		.address = address,
		.metadata =
			address + hotspot_half(peek, address + vm->at[HOTSPOT_NMETHOD_METADATA]),
		.scopes = hotspot_field(vm, peek, address, HOTSPOT_NMETHOD_SCOPES),
		.pcs = address + pcs,
	};
	uintptr_t start = hotspot_field(vm, peek, address, HOTSPOT_BLOB_START);
	uintptr_t own = hotspot_field(vm, peek, address, HOTSPOT_NMETHOD_METHOD);
	struct chain chain = { .count = 0 };

	code.count = (uint32_t)((pcs_end - pcs) / vm->at[HOTSPOT_PC_BYTES]);
	if (pcs < pcs_end && code.count < PCS_MAX)
		chain_at(&code, (int32_t)(going_on(walk, &code) - start), &chain);
	for (int i = 0; i + 1 < chain.count; i++)
		if (!chain.at[i].method ||
		    !add_method(walk,
				hotspot_word(peek, code.metadata + (chain.at[i].method - 1) * WORD),
				chain.at[i].bci))
			return false;
	/* The outermost is the compiled method itself. */
	return add_method(walk, own, chain.count ? chain.at[chain.count - 1].bci : UNKNOWN);
}

/* Returns the instruction of a frame of the interpreter: it is in a register while its code runs,
 * and stored when it calls. */
static uint32_t bci_of(struct script_walk *walk, uintptr_t method, uintptr_t frame)
{
	const struct hotspot *vm = walk->found->vm;
	uintptr_t constant = hotspot_field(vm, &walk->peek, method, HOTSPOT_METHOD_CONST);
	uintptr_t start = constant + vm->at[HOTSPOT_CONST_BYTES];
	uint32_t bytes =
		hotspot_half(&walk->peek, constant + vm->at[HOTSPOT_CONST_CODE_BYTES]) & 0xffff;
	uintptr_t bcp = hotspot_word(&walk->peek, frame + (uintptr_t)ARCH_MADE_BCP);

	if (walk->registers && walk->registers->value[ARCH_MADE_BCP_HELD] - start < bytes)
		bcp = walk->registers->value[ARCH_MADE_BCP_HELD];
	return bcp - start < bytes ? (uint32_t)(bcp - start) : UNKNOWN;
}

static void add_stub(struct script_walk *walk, uintptr_t address)
{
	const struct hotspot *vm = walk->found->vm;
	bool is_call = walk->pc == hotspot_word(&walk->peek, vm->at[HOTSPOT_CALL_STUB_RETURN]);
	struct script_code code = {
		.object = address | (is_call ? HOTSPOT_NOTE_CALL : HOTSPOT_NOTE_STUB),
		.address = address,
		.name = hotspot_field(vm, &walk->peek, address, HOTSPOT_BLOB_NAME),
		.line = is_call,
		.bytes = 1,
	};

	walk->pcs[walk->count++] = scripts_address(walk, &code, 0);
}

bool hotspot_frames(struct script_walk *walk)
{
	uintptr_t address = walk->note & ~(uintptr_t)HOTSPOT_NOTES, method;

	walk->count = 0;
	switch (walk->note & HOTSPOT_NOTES) {
	case HOTSPOT_NOTE_COMPILED:
		return compiled_frames(walk, address);
	case HOTSPOT_NOTE_FRAME:
		method = hotspot_word(&walk->peek, address + (uintptr_t)ARCH_MADE_METHOD);
		return hotspot_is_method(walk->found->vm, &walk->peek, method) &&
		       add_method(walk, method, bci_of(walk, method, address));
	case HOTSPOT_NOTE_ENTERED:
		return add_method(walk, address, 0);
	case HOTSPOT_NOTE_STUB:
		add_stub(walk, address);
		return true;
	default:
		return false;
	}
}
