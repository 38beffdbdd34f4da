/* SPDX-License-Identifier: MIT */
#include "hotspot.h"

#define ENTRIES_MAX  16384 /* of a table: more is damage */
#define FLAGS_MAX    8192
#define ATTEMPTS_MAX 64 /* a table is relocated within some milliseconds */

static const struct {
	const char *type, *field; /* NULL: the size of the type */
} wanted[HOTSPOT_FIELDS] = {
	[HOTSPOT_VERSION] = { "Abstract_VM_Version", "_vm_major_version" },
	[HOTSPOT_HEAPS] = { "CodeCache", "_heaps" },
	[HOTSPOT_CODE_START] = { "CodeCache", "_low_bound" },
	[HOTSPOT_CODE_END] = { "CodeCache", "_high_bound" },
	[HOTSPOT_INTERPRETER] = { "AbstractInterpreter", "_code" },
	[HOTSPOT_CALL_STUB_RETURN] = { "StubRoutines", "_call_stub_return_address" },
	[HOTSPOT_FLAGS] = { "JVMFlag", "flags" },
	[HOTSPOT_FLAG_COUNT] = { "JVMFlag", "numFlags" },
	[HOTSPOT_ARRAY_LENGTH] = { "GrowableArrayBase", "_len" },
	[HOTSPOT_ARRAY_DATA] = { "GrowableArray<int>", "_data" },
	[HOTSPOT_HEAP_MEMORY] = { "CodeHeap", "_memory" },
	[HOTSPOT_HEAP_MAP] = { "CodeHeap", "_segmap" },
	[HOTSPOT_HEAP_SHIFT] = { "CodeHeap", "_log2_segment_size" },
	[HOTSPOT_SPACE_LOW] = { "VirtualSpace", "_low" },
	[HOTSPOT_SPACE_HIGH] = { "VirtualSpace", "_high" },
	[HOTSPOT_BLOCK_USED] = { "HeapBlock::Header", "_used" },
	[HOTSPOT_QUEUE_START] = { "StubQueue", "_stub_buffer" },
	[HOTSPOT_QUEUE_END] = { "StubQueue", "_queue_end" },
	[HOTSPOT_CODELET_SIZE] = { "InterpreterCodelet", "_size" },
	[HOTSPOT_CODELET_TEXT] = { "InterpreterCodelet", "_description" },
	[HOTSPOT_BLOB_NAME] = { "CodeBlob", "_name" },
	[HOTSPOT_BLOB_COMPLETE] = { "CodeBlob", "_frame_complete_offset" },
	[HOTSPOT_BLOB_FRAME] = { "CodeBlob", "_frame_size" },
	[HOTSPOT_BLOB_START] = { "CodeBlob", "_code_begin" },
	[HOTSPOT_BLOB_END] = { "CodeBlob", "_code_end" },
	[HOTSPOT_NMETHOD_METHOD] = { "CompiledMethod", "_method" },
	[HOTSPOT_NMETHOD_SCOPES] = { "CompiledMethod", "_scopes_data_begin" },
	[HOTSPOT_NMETHOD_DEOPT] = { "CompiledMethod", "_deopt_handler_begin" },
	[HOTSPOT_NMETHOD_DEOPT_HANDLE] = { "CompiledMethod", "_deopt_mh_handler_begin" },
	[HOTSPOT_NMETHOD_ENTRY] = { "nmethod", "_verified_entry_point" },
	[HOTSPOT_NMETHOD_STUBS] = { "nmethod", "_stub_offset" },
	[HOTSPOT_NMETHOD_ORIGINAL] = { "nmethod", "_orig_pc_offset" },
	[HOTSPOT_NMETHOD_METADATA] = { "nmethod", "_metadata_offset" },
	[HOTSPOT_NMETHOD_PCS] = { "nmethod", "_scopes_pcs_offset" },
	[HOTSPOT_NMETHOD_PCS_END] = { "nmethod", "_dependencies_offset" },
	[HOTSPOT_PC_OFFSET] = { "PcDesc", "_pc_offset" },
	[HOTSPOT_PC_SCOPE] = { "PcDesc", "_scope_decode_offset" },
	[HOTSPOT_METHOD_CONST] = { "Method", "_constMethod" },
	[HOTSPOT_CONST_POOL] = { "ConstMethod", "_constants" },
	[HOTSPOT_CONST_WORDS] = { "ConstMethod", "_constMethod_size" },
	[HOTSPOT_CONST_FLAGS] = { "ConstMethod", "_flags" },
	[HOTSPOT_CONST_CODE_BYTES] = { "ConstMethod", "_code_size" },
	[HOTSPOT_CONST_NAME] = { "ConstMethod", "_name_index" },
	[HOTSPOT_POOL_HOLDER] = { "ConstantPool", "_pool_holder" },
	[HOTSPOT_POOL_FILE] = { "ConstantPool", "_source_file_name_index" },
	[HOTSPOT_CLASS_NAME] = { "Klass", "_name" },
	[HOTSPOT_TEXT_LENGTH] = { "Symbol", "_length" },
	[HOTSPOT_TEXT] = { "Symbol", "_body" },
	[HOTSPOT_FLAG_NAME] = { "JVMFlag", "_name" },
	[HOTSPOT_FLAG_VALUE] = { "JVMFlag", "_addr" },
	[HOTSPOT_BLOCK_BYTES] = { "HeapBlock", NULL },
	[HOTSPOT_CODELET_BYTES] = { "InterpreterCodelet", NULL },
	[HOTSPOT_PC_BYTES] = { "PcDesc", NULL },
	[HOTSPOT_METHOD_BYTES] = { "Method", NULL },
	[HOTSPOT_CONST_BYTES] = { "ConstMethod", NULL },
	[HOTSPOT_POOL_BYTES] = { "ConstantPool", NULL },
	[HOTSPOT_FLAG_BYTES] = { "JVMFlag", NULL },
};

/* Versions whose code is as hotspot_step.c and hotspot_frames.c expect. */
static const uint32_t supported[] = { 17 };

/* ---- finding ---- */

bool hotspot_find(struct hotspot *vm, const struct dynsym *symbols)
{
	vm->fields = (struct hotspot_table){
		.start = dynsym_find(symbols, "gHotSpotVMStructs"),
		.stride = dynsym_find(symbols, "gHotSpotVMStructEntryArrayStride"),
		.name = dynsym_find(symbols, "gHotSpotVMStructEntryTypeNameOffset"),
		.field = dynsym_find(symbols, "gHotSpotVMStructEntryFieldNameOffset"),
		.offset = dynsym_find(symbols, "gHotSpotVMStructEntryOffsetOffset"),
		.address = dynsym_find(symbols, "gHotSpotVMStructEntryAddressOffset"),
	};
	vm->types = (struct hotspot_table){
		.start = dynsym_find(symbols, "gHotSpotVMTypes"),
		.stride = dynsym_find(symbols, "gHotSpotVMTypeEntryArrayStride"),
		.name = dynsym_find(symbols, "gHotSpotVMTypeEntryTypeNameOffset"),
		.offset = dynsym_find(symbols, "gHotSpotVMTypeEntrySizeOffset"),
	};
	return vm->fields.start != 0;
}

/* ---- reading ---- */

/* Reads the variables of a table. */
static bool open_table(const struct hotspot_table *at, struct peek *peek,
		       struct hotspot_table *table)
{
	*table = (struct hotspot_table){
		.start = hotspot_word(peek, at->start),
		.stride = hotspot_word(peek, at->stride),
		.name = hotspot_word(peek, at->name),
		.field = at->field ? hotspot_word(peek, at->field) : 0,
		.offset = hotspot_word(peek, at->offset),
		.address = at->address ? hotspot_word(peek, at->address) : 0,
	};
	return table->start && table->stride;
}

/* Takes an entry of the fields, or of the types. */
static void take(struct hotspot *vm, struct peek *peek, const struct hotspot_table *table,
		 uintptr_t entry)
{
	uintptr_t type = hotspot_word(peek, entry + table->name);
	uintptr_t field = table->field ? hotspot_word(peek, entry + table->field) : 0;

	for (unsigned i = 0; i < HOTSPOT_FIELDS; i++) {
		if (!wanted[i].field != !table->field ||
		    !hotspot_is_text(peek, type, wanted[i].type) ||
		    (field && !hotspot_is_text(peek, field, wanted[i].field)))
			continue;
		vm->at[i] = hotspot_word(
			peek, entry + (i <= HOTSPOT_FLAG_COUNT ? table->address : table->offset));
		/* An offset of 0 is one as well. */
		vm->found[i] = true;
	}
}

static bool read_table(struct hotspot *vm, struct peek *peek, const struct hotspot_table *at)
{
	struct hotspot_table table;

	if (!open_table(at, peek, &table))
		return false;
	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		uintptr_t entry = table.start + i * table.stride;

		if (!hotspot_word(peek, entry + table.name))
			return true;
		take(vm, peek, &table, entry);
	}
	return false;
}

/* Finds a flag of the virtual machine. Returns the address of its value; 0: there is none. */
static uintptr_t flag_of(const struct hotspot *vm, struct peek *peek, const char *name)
{
	uintptr_t flag = hotspot_word(peek, vm->at[HOTSPOT_FLAGS]);
	uintptr_t count = hotspot_word(peek, vm->at[HOTSPOT_FLAG_COUNT]);

	for (uintptr_t i = 0; i < count && i < FLAGS_MAX; i++, flag += vm->at[HOTSPOT_FLAG_BYTES])
		if (hotspot_is_text(peek, hotspot_field(vm, peek, flag, HOTSPOT_FLAG_NAME), name))
			return hotspot_field(vm, peek, flag, HOTSPOT_FLAG_VALUE);
	return 0;
}

static bool read_all(struct hotspot *vm, struct peek *peek)
{
	if (!read_table(vm, peek, &vm->fields) || !read_table(vm, peek, &vm->types))
		return false;
	if (vm->found[HOTSPOT_VERSION])
		vm->version = hotspot_half(peek, vm->at[HOTSPOT_VERSION]);
	for (unsigned i = 0; i < HOTSPOT_FIELDS; i++)
		if (!vm->found[i])
			return false;
	vm->dense = flag_of(vm, peek, "DebugNonSafepoints");
	return true;
}

static enum hotspot_state judge(const struct hotspot *vm)
{
	for (size_t i = 0; i < sizeof(supported) / sizeof(supported[0]); i++)
		if (vm->version == supported[i])
			return HOTSPOT_READY;
	return HOTSPOT_UNKNOWN;
}

enum hotspot_state hotspot_read(struct hotspot *vm, struct peek *peek)
{
	int state = HOTSPOT_UNREAD;

	if (!atomic_compare_exchange_strong(&vm->state, &state, HOTSPOT_BUSY))
		return (enum hotspot_state)state;
	if (read_all(vm, peek))
		state = judge(vm);
	else
		/* The dynamic linker may be relocating the tables. */
		state = atomic_fetch_add(&vm->attempts, 1) < ATTEMPTS_MAX ? HOTSPOT_UNREAD
									  : HOTSPOT_UNKNOWN;
	atomic_store_explicit(&vm->state, state, memory_order_release);
	return (enum hotspot_state)state;
}
