/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf_functions.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint64_t number_of(Dwarf_Die *die, unsigned name, Dwarf_CU **unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &number))
		return 0;
	*unit = attribute.cu;
	return number;
}

static struct dwarf_function describe(Dwarf_Die *die, const char *name,
				      const struct dwarf_unit *unit)
{
	struct dwarf_function function = { .name = name, .lines = unit->die };

	function.is_external = dwarf_hasattr_integrate(die, DW_AT_external);
	if (function.is_external)
		return function;
	function.line = number_of(die, DW_AT_decl_line, &function.unit);
	function.file = number_of(die, DW_AT_decl_file, &function.unit);
	/* It may have been declared in another unit. For one in a .dwo file, the table of files is
	 * elsewhere. */
	if (function.unit && function.unit != unit->code.cu)
		dwarf_cu_die(function.unit, &function.lines, NULL, NULL, NULL, NULL, NULL, NULL);
	return function;
}

static int index_names(struct dwarf_functions *functions)
{
	const struct symbol_table *symbols = functions->symbols;

	functions->next = calloc(symbols->count + 1, sizeof(*functions->next));
	if (!functions->next)
		return -ENOMEM;
	for (size_t i = symbols->count; i > 0; i--) {
		const char *name = symbols->symbols[i - 1].name;
		uint32_t *place =
			hash_place(&functions->by_name, hash_bytes(0, name, strlen(name)));

		if (!place)
			return -ENOMEM;
		functions->next[i - 1] = *place;
		*place = (uint32_t)i - 1;
	}
	return 0;
}

/* Finds the symbol of a function's code, in any unit; a function local to its unit has its code
 * there. NULL: none. */
static const struct symbol *find_symbol(const struct dwarf_functions *functions,
					struct dwarf_unit *unit,
					const struct dwarf_function *function)
{
	const char *name = function->name;
	const uint32_t *first = hash_find(&functions->by_name, hash_bytes(0, name, strlen(name)));

	for (uint32_t i = first ? *first : HASH_NONE; i != HASH_NONE; i = functions->next[i]) {
		const struct symbol *symbol = &functions->symbols->symbols[i];

		if (strcmp(symbol->name, name) == 0 &&
		    (function->is_external || !symbol->is_local ||
		     span_list_find(&unit->functions, symbol->start)))
			return symbol;
	}
	return NULL;
}

static int add(struct dwarf_functions *functions, struct dwarf_function function,
	       const struct symbol *symbol)
{
	struct dwarf_function *more =
		vec_room(functions->list, functions->count, sizeof(*functions->list));

	if (!more || functions->count >= HASH_NONE)
		return -ENOMEM;
	functions->list = more;
	function.symbol = symbol ? symbol->name : function.name;
	function.start = symbol ? symbol->start : 0;
	functions->list[functions->count++] = function;
	return 0;
}

/* Returns the source file. libdw's own function for that ends the process if a .dwo file is
 * involved. */
static const char *file_of(struct dwarf_function *function)
{
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(&function->lines, &files, &count) || function->file >= count)
		return NULL;
	return dwarf_filesrc(files, function->file, NULL, NULL);
}

static bool has_same_folder(struct dwarf_function *a, struct dwarf_function *b)
{
	const char *one = dwarf_unit_folder(&a->lines), *other = dwarf_unit_folder(&b->lines);

	return one == other || (one && other && strcmp(one, other) == 0);
}

/* Returns true if two functions of the same name are one: if both are external, or if both were
 * declared at the same line of a file that both units include. The file's name is compared last,
 * since it requires reading all lines of both units. */
static bool is_same(struct dwarf_function *a, struct dwarf_function *b)
{
	const char *one, *other;

	if (a->is_external != b->is_external || a->line != b->line || strcmp(a->name, b->name) != 0)
		return false;
	if (a->is_external || a->unit == b->unit)
		return true;
	one = a->unit && b->unit ? file_of(a) : NULL;
	other = one ? file_of(b) : NULL;
	return other && strcmp(one, other) == 0 && (*one == '/' || has_same_folder(a, b));
}

/* Returns the place of a function's number, HASH_NONE if it is new. */
static uint32_t *place_of(struct dwarf_functions *functions, struct dwarf_function *function)
{
	uint64_t key = hash_bytes(0, function->name, strlen(function->name)) + function->line;
	uint32_t *place;

	/* Others with the same key have the next keys. */
	while ((place = hash_place(&functions->by_key, key)) && *place != HASH_NONE &&
	       !is_same(&functions->list[*place], function))
		key++;
	return place;
}

int dwarf_functions_find(struct dwarf_functions *functions, struct dwarf_unit *unit, Dwarf_Die *die,
			 const struct symbol *own, uint32_t *number)
{
	struct dwarf_function function;
	const char *name;
	uint32_t *place;
	int status = dwarf_names_find(&functions->names, die, &name);

	*number = HASH_NONE;
	if (!status && !functions->next)
		status = index_names(functions);
	/* Parts of a function have separate symbols, such as f.cold; those stay separate. */
	if (status || !name || (own && strcmp(own->name, name) != 0))
		return status;
	function = describe(die, name, unit);
	place = place_of(functions, &function);
	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		status = add(functions, function,
			     own ? own : find_symbol(functions, unit, &function));
		if (!status)
			*place = (uint32_t)functions->count - 1;
	}
	*number = *place;
	return status;
}

void dwarf_functions_free(struct dwarf_functions *functions)
{
	free(functions->list);
	free(functions->next);
	hash_free(&functions->by_key);
	hash_free(&functions->by_name);
	dwarf_names_free(&functions->names);
	*functions = (struct dwarf_functions){ 0 };
}
