/* SPDX-License-Identifier: MIT */
#include "annotation_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "symbol/demangle.h"
#include "symbol/elf_module.h"

/* Code being read. */
struct reading {
	struct annotation_code *code;
	const struct annotation *annotation;
	const struct function *function;
	const struct symbolizer *symbolizer;
	struct symbolizer_object *object;
	struct disassembler *disassembler;
	struct elf_module_code piece;
	uint32_t piece_number;
	size_t piece_begin; /* index of its first instruction in the list */
	uint64_t *targets;  /* of jumps in the piece */
	size_t target_count;
};

static void add(struct profile_amount *amount, const struct profile_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
}

/* Returns "<name+0x12>"; free with free(). NULL: no name, or no memory. */
static char *name_target(const struct reading *reading, uint64_t target)
{
	const struct symbol *symbol =
		symbolizer_symbol(reading->symbolizer, reading->object, target);
	bool mangled = reading->annotation->profile->functions.mangled;
	char *demangled = symbol && !mangled ? demangle_plain(symbol->name) : NULL, *name = NULL;
	int size = -1;

	if (symbol && symbol->start == target)
		size = asprintf(&name, "<%s>", demangled ? demangled : symbol->name);
	else if (symbol)
		size = asprintf(&name, "<%s+0x%" PRIx64 ">", demangled ? demangled : symbol->name,
				target - symbol->start);
	free(demangled);
	return size < 0 ? NULL : name;
}

static bool is_inside(const struct reading *reading, uint64_t address)
{
	return address - reading->piece.start < reading->piece.size;
}

/* Prints an instruction. A target inside the piece is marked there, and needs no name. */
static char *print(const struct reading *reading, const struct disassembler_instruction *from)
{
	char *text = NULL, *name = NULL;
	int size;

	if (!from->has_target) {
		size = asprintf(&text, *from->operands ? "%-7s %s" : "%s", from->mnemonic,
				from->operands);
		return size < 0 ? NULL : text;
	}
	if (from->is_call || !is_inside(reading, from->target))
		name = name_target(reading, from->target);
	size = asprintf(&text, "%-7s %" PRIx64 "%s%s", from->mnemonic, from->target,
			name ? " " : "", name ? name : "");
	free(name);
	return size < 0 ? NULL : text;
}

static int keep_target(struct reading *reading, const struct disassembler_instruction *from)
{
	uint64_t *more;

	if (!from->has_target || !from->is_jump || !is_inside(reading, from->target))
		return 0;
	more = vec_room(reading->targets, reading->target_count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	reading->targets = more;
	reading->targets[reading->target_count++] = from->target;
	return 0;
}

/* Returns true if one of the functions at a place is the annotated one. */
static bool is_a_part(const struct function *function, const struct place *place)
{
	for (size_t i = 0; i < place->depth; i++)
		if (place->frames[i].symbol == function->symbol &&
		    place->frames[i].start == function->start)
			return true;
	return false;
}

static int add_instruction(struct reading *reading, const struct disassembler_instruction *from)
{
	struct annotation_code *code = reading->code;
	struct annotation_instruction *more = vec_room(code->list, code->count, sizeof(*more));
	struct place place;

	if (!more)
		return -ENOMEM;
	code->list = more;
	if (keep_target(reading, from) ||
	    symbolizer_find(reading->symbolizer, reading->object,
			    from->address - reading->piece.start + reading->piece.offset, &place))
		return -ENOMEM;
	code->list[code->count] = (struct annotation_instruction){
		.address = from->address,
		.size = from->size,
		.text = print(reading, from),
		.source = place.frames[0].source,
		.line = place.frames[0].line,
		.piece = reading->piece_number,
		.is_a_part = is_a_part(reading->function, &place),
	};
	return code->list[code->count++].text ? 0 : -ENOMEM;
}

static uint64_t address_at(const void *list, size_t i)
{
	return ((const struct annotation_instruction *)list)[i].address;
}

/* Returns the instruction of the piece that an address is in; NULL: none. */
static struct annotation_instruction *find(const struct reading *reading, uint64_t address)
{
	struct annotation_instruction *found, *piece = reading->code->list + reading->piece_begin;
	size_t before =
		bisect(address_at, piece, reading->code->count - reading->piece_begin, address);

	if (!before)
		return NULL;
	found = &piece[before - 1];
	return address - found->address < found->size ? found : NULL;
}

static void mark_targets(struct reading *reading)
{
	for (size_t i = 0; i < reading->target_count; i++) {
		struct annotation_instruction *found = find(reading, reading->targets[i]);

		if (found && found->address == reading->targets[i])
			found->is_target = true;
	}
}

static int read_piece(struct reading *reading)
{
	struct disassembler_code code = { .bytes = reading->piece.bytes,
					  .size = reading->piece.size,
					  .address = reading->piece.start };
	struct disassembler_instruction instruction;
	int status = disassembler_choose(reading->disassembler, reading->piece.cpu);

	reading->piece_begin = reading->code->count;
	reading->target_count = 0;
	free(reading->targets);
	reading->targets = NULL;
	while (!status && disassembler_next(reading->disassembler, &code, &instruction))
		status = add_instruction(reading, &instruction);
	if (!status)
		mark_targets(reading);
	reading->piece_number++;
	return status;
}

static int read_all(struct reading *reading)
{
	const struct annotation *annotation = reading->annotation;
	int status = 0;

	for (size_t i = 0; i < annotation->address_count && !status; i++) {
		const struct annotation_address *from = &annotation->addresses[i];
		struct annotation_instruction *to;

		if (!reading->code->count || !is_inside(reading, from->address)) {
			if (!symbolizer_code(reading->symbolizer, reading->object, from->address,
					     &reading->piece))
				continue;
			status = read_piece(reading);
		}
		to = status ? NULL : find(reading, from->address);
		if (to) {
			add(&to->heat.self, &from->heat.self);
			add(&to->heat.total, &from->heat.total);
		}
	}
	return status;
}

/* Explains why there are no instructions. */
static int explain(const struct reading *reading, struct err *err)
{
	const struct function *function = reading->function;

	if (!reading->object)
		return err_set(err, ENOENT, "no instructions of '%s': it is in no file",
			       function->name);
	if (function->is_script)
		return err_set(err, ENOENT, "no instructions of '%s': an interpreter runs it",
			       function->name);
	switch (reading->object->state) {
	case SYMBOLIZER_MISSING:
		return err_set(err, ENOENT,
			       "cannot find '%s', so the instructions of '%s' are unknown",
			       reading->object->path, function->name);
	case SYMBOLIZER_CHANGED:
		return err_set(err, ENOENT,
			       "'%s' has changed since it was recorded, so the instructions of "
			       "'%s' are unknown",
			       reading->object->path, function->name);
	default:
		return err_set(
			err, ENOENT,
			"'%s' does not contain the bounds of '%s', so its instructions are unknown",
			reading->object->path, function->name);
	}
}

int annotation_code_make(struct annotation_code *code, const struct annotation *annotation,
			 enum disassembler_syntax syntax, struct err *err)
{
	const struct functions *functions = &annotation->profile->functions;
	struct reading reading = { .code = code,
				   .annotation = annotation,
				   .function = &functions->list[annotation->function],
				   .symbolizer = &functions->symbolizer };
	int status = disassembler_new(&reading.disassembler, syntax);

	*code = (struct annotation_code){ 0 };
	if (status == -ENOENT)
		return err_set(err, ENOENT,
			       "cannot show instructions: libcapstone is not installed");
	if (!status && reading.function->file)
		reading.object = functions->symbolizer.objects[reading.function->file->number];
	if (!status && reading.object)
		status = read_all(&reading);
	disassembler_free(reading.disassembler);
	free(reading.targets);
	if (!status && code->count)
		return 0;
	annotation_code_free(code);
	if (status == -ENOTSUP)
		return err_set(err, ENOTSUP,
			       "cannot show instructions of '%s': its CPU is not supported",
			       reading.object->path);
	return status ? err_no_memory(err) : explain(&reading, err);
}

void annotation_code_free(struct annotation_code *code)
{
	for (size_t i = 0; i < code->count; i++)
		free(code->list[i].text);
	free(code->list);
	*code = (struct annotation_code){ 0 };
}
