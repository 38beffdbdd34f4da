/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf_names.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

/* From an inlined copy to its function, and from there to a declaration in a class. */
#define ORIGINS_MAX 3

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* Goes to the entry that stands in the function's namespace or class. */
static Dwarf_Die declaration_of(Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if (!dwarf_attr(&at, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr(&at, DW_AT_specification, &attribute))
			break;
		if (!dwarf_formref_die(&attribute, &next))
			break;
		at = next;
	}
	return at;
}

static bool is_cplusplus(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* Returns the name of a scope as a part of other names; NULL: it is none. */
static const char *scope_name(Dwarf_Die *scope)
{
	const char *name = dwarf_diename(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		return name ? name : "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return name;
	default:
		return NULL;
	}
}

/* Returns "outer::inner::name", to be freed; NULL: no memory. */
static char *compose(Dwarf_Die *declaration, const char *name)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes_die(declaration, &scopes);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = count - 1; i > 0 && out; i--) {
		const char *scope = scope_name(&scopes[i]);

		if (scope)
			fprintf(out, "%s::", scope);
	}
	free(scopes);
	if (!out)
		return NULL;
	fputs(name, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Finds the composed name of a declaration. libdw searches the whole unit for its scopes, so that
 * happens once. */
static int find_composed(struct dwarf_names *names, Dwarf_Die *declaration, const char **name)
{
	uint32_t *place = hash_place(&names->by_entry, dwarf_dieoffset(declaration));
	char **more;

	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		more = vec_room(names->list, names->count, sizeof(*more));
		if (!more)
			return -ENOMEM;
		names->list = more;
		more[names->count] = compose(declaration, *name);
		if (!more[names->count])
			return -ENOMEM;
		*place = (uint32_t)names->count++;
	}
	*name = names->list[*place];
	return 0;
}

int dwarf_names_find(struct dwarf_names *names, Dwarf_Die *die, const char **name)
{
	Dwarf_Die declaration;

	*name = text_of(die, DW_AT_linkage_name);
	if (!*name)
		*name = text_of(die, DW_AT_MIPS_linkage_name);
	if (*name)
		return 0;
	*name = text_of(die, DW_AT_name);
	declaration = declaration_of(die);
	return *name && is_cplusplus(&declaration) ? find_composed(names, &declaration, name) : 0;
}

void dwarf_names_free(struct dwarf_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	hash_free(&names->by_entry);
	*names = (struct dwarf_names){ 0 };
}
