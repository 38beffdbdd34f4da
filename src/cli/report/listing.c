/* SPDX-License-Identifier: MIT */
#include "listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/demangle.h"

/* A function to list. Names are owned by the files, demangled by the entry. */
struct entry {
	size_t group; /* index of the provider, or of a heading: see group_*() */
	const struct elf_symbol *symbol;
	const struct elf_file *from; /* the object that imports it; NULL: it is an export */
	char *demangled;             /* NULL: the name is not mangled, or is shown as it is */
};

struct entries {
	struct entry *entries;
	size_t count;
};

/* Returns the index of the first of two groups, after the providers, for imports without a
 * provider. */
static size_t group_of_weak(const struct providers *providers)
{
	return providers->count;
}

static size_t group_of_missing(const struct providers *providers)
{
	return providers->count + 1;
}

static void entries_free(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(entries->entries[i].demangled);
	free(entries->entries);
}

static const char *shown_name(const struct entry *entry)
{
	return entry->demangled ? entry->demangled : entry->symbol->name;
}

static bool is_chosen(struct listing_options *options, const struct spec_subject *subject)
{
	bool chosen = spec_list_match(&options->chosen, subject);
	bool excluded = spec_list_match(&options->excluded, subject);

	return (chosen || options->chosen.count == 0) && !excluded;
}

/* Takes ownership of the demangled name. */
static int append(struct entries *entries, struct entry entry, struct err *err)
{
	struct entry *more = vec_room(entries->entries, entries->count, sizeof(*more));

	if (!more) {
		free(entry.demangled);
		return err_no_memory(err);
	}
	entries->entries = more;
	entries->entries[entries->count++] = entry;
	return 0;
}

/* Demangles the entry's name, and adds the entry if it is chosen. */
static int consider(struct entries *entries, struct entry entry, const struct elf_file *provider,
		    struct listing_options *options, struct err *err)
{
	const char *symbol = entry.symbol->name;
	char *demangled = demangle(symbol), *plain = demangle_plain(symbol);
	struct spec_subject subject = {
		.soname = provider ? provider->soname : NULL,
		.path = provider ? provider->path : NULL,
		.symbol = symbol,
		.demangled = demangled,
		.plain = plain,
	};
	bool chosen = is_chosen(options, &subject);

	free(plain);
	if (chosen && !options->keep_mangled)
		entry.demangled = demangled;
	else
		free(demangled);
	return chosen ? append(entries, entry, err) : 0;
}

static int consider_imports(struct entries *entries, const struct elf_file *from,
			    const struct providers *providers, struct listing_options *options,
			    struct err *err)
{
	for (size_t i = 0; i < from->import_count; i++) {
		const struct elf_symbol *import = &from->imports[i], *definition;
		struct entry entry = { .symbol = import, .from = from };
		const struct elf_file *provider = NULL;
		int status = 0;

		definition = providers_find(providers, import, &entry.group);
		if (definition)
			provider = &providers->objects[entry.group];
		else
			entry.group = import->weak ? group_of_weak(providers)
						   : group_of_missing(providers);
		if (providers_is_function(import, definition))
			status = consider(entries, entry, provider, options, err);
		if (status)
			return status;
	}
	return 0;
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = (a->group > b->group) - (a->group < b->group);

	if (!order)
		order = strcmp(shown_name(a), shown_name(b));
	if (!order)
		order = compare_texts(a->symbol->version, b->symbol->version);
	if (!order)
		order = (a->from > b->from) - (a->from < b->from);
	return order;
}

static int add_import(struct table *table, const struct providers *providers,
		      const struct entry *entry)
{
	const char *library = "(not found)", *path = NULL;

	if (entry->group < providers->count) {
		library = elf_file_title(&providers->objects[entry->group]);
		path = providers->objects[entry->group].path;
	} else if (entry->group == group_of_weak(providers)) {
		library = "(none: weak)";
	}
	return table_add(table, (const char *[]){ library, path, entry->symbol->version,
						  elf_file_title(entry->from), shown_name(entry),
						  entry->symbol->name });
}

static int fill_imports(struct table *table, const struct providers *providers,
			const struct entries *entries, bool show_from, struct err *err)
{
	enum { COLUMNS = 6 };
	/* Shows the importing object only where there can be more than one. */
	static const struct table_column columns[2][COLUMNS] = {
		{ { "library", COLUMN_GROUP },
		  { "path", COLUMN_GROUP },
		  { "version", COLUMN_DIM | COLUMN_DROPS_1ST },
		  { "from", COLUMN_DATA },
		  { "name", COLUMN_GIVES },
		  { "symbol", COLUMN_DATA } },
		{ { "library", COLUMN_GROUP },
		  { "path", COLUMN_GROUP },
		  { "version", COLUMN_DIM | COLUMN_DROPS_1ST },
		  { "from", COLUMN_GIVES_TOO | COLUMN_DROPS_2ND },
		  { "name", COLUMN_GIVES },
		  { "symbol", COLUMN_DATA } },
	};

	table_init(table, "imports", columns[show_from], COLUMNS);
	if (table_add_meta(table, "file", providers->objects[0].path))
		return err_no_memory(err);
	for (size_t i = 0; i < entries->count; i++)
		if (add_import(table, providers, &entries->entries[i]))
			return err_no_memory(err);
	return 0;
}

static bool is_from(struct listing_options *options, const struct providers *providers,
		    size_t object)
{
	struct spec_subject subject = { .soname = providers->objects[object].soname,
					.path = providers->objects[object].path };

	return options->from.count ? spec_list_match(&options->from, &subject) : object == 0;
}

int listing_imports(struct table *table, struct listing_options *options,
		    const struct providers *providers, struct err *err)
{
	struct entries entries = { 0 };
	int status = 0;

	for (size_t i = 0; i < providers->count && !status; i++)
		if (is_from(options, providers, i))
			status = consider_imports(&entries, &providers->objects[i], providers,
						  options, err);
	if (!status) {
		if (entries.count)
			qsort(entries.entries, entries.count, sizeof(*entries.entries), compare);
		status = fill_imports(table, providers, &entries, options->from.count > 0, err);
		if (status)
			table_fini(table);
	}
	entries_free(&entries);
	return status;
}

static int fill_exports(struct table *table, const struct elf_file *file,
			const struct entries *entries, struct err *err)
{
	static const struct table_column columns[] = { { "version", COLUMN_DIM | COLUMN_DROPS_1ST },
						       { "default", COLUMN_DROPS_2ND },
						       { "name", COLUMN_GIVES },
						       { "symbol", COLUMN_DATA } };

	table_init(table, "exports", columns, sizeof(columns) / sizeof(columns[0]));
	if (table_add_meta(table, "file", file->path))
		return err_no_memory(err);
	for (size_t i = 0; i < entries->count; i++) {
		const struct elf_symbol *symbol = entries->entries[i].symbol;
		const char *is_default = symbol->hidden ? "no" : "yes";

		if (table_add(table, (const char *[]){
					     symbol->version, symbol->version ? is_default : NULL,
					     shown_name(&entries->entries[i]), symbol->name }))
			return err_no_memory(err);
	}
	return 0;
}

int listing_exports(struct table *table, struct listing_options *options,
		    const struct elf_file *file, struct err *err)
{
	struct entries entries = { 0 };
	int status = 0;

	for (size_t i = 0; i < file->export_count && !status; i++)
		if (elf_symbol_is_function(&file->exports[i]))
			status = consider(&entries, (struct entry){ .symbol = &file->exports[i] },
					  file, options, err);
	if (!status) {
		if (entries.count)
			qsort(entries.entries, entries.count, sizeof(*entries.entries), compare);
		status = fill_exports(table, file, &entries, err);
		if (status)
			table_fini(table);
	}
	entries_free(&entries);
	return status;
}
