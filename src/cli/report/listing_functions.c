/* SPDX-License-Identifier: MIT
 *
 * listing_functions.c - the functions of a file, and whether `dwell calls --via entry` can patch
 * them.
 */
#include "listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry/survey.h"
#include "symbol/demangle.h"

/* One of the function's names, readable. */
struct readable {
	const char *symbol;
	char *demangled, *plain; /* NULL: it is not mangled */
};

static void read_name(struct readable *name, const char *symbol)
{
	name->symbol = symbol;
	name->demangled = demangle(symbol);
	name->plain = demangle_plain(symbol);
}

static void free_name(struct readable *name)
{
	free(name->demangled);
	free(name->plain);
}

/* Returns whether the function is listed by that name. */
static bool is_chosen(struct listing_options *options, const struct elf_file *file,
		      const struct readable *name)
{
	const struct spec_subject subject = { .soname = file->soname,
					      .path = file->path,
					      .symbol = name->symbol,
					      .demangled = name->demangled,
					      .plain = name->plain };
	bool chosen = spec_list_match(&options->chosen, &subject);
	bool excluded = spec_list_match(&options->excluded, &subject);

	return (chosen || options->chosen.count == 0) && !excluded;
}

static int add_row(struct table *table, const struct survey_function *function,
		   const struct readable *name, bool keep_mangled)
{
	char address[32], size[32];
	bool is_fine = function->refusal == ENTRY_FINE;

	snprintf(address, sizeof(address), "0x%jx", (uintmax_t)function->address);
	snprintf(size, sizeof(size), "%ju", (uintmax_t)function->size);
	return table_add(
		table,
		(const char *[]){ address, size, is_fine ? "yes" : "no",
				  is_fine ? NULL : entry_refusal_text(function->refusal),
				  name->demangled && !keep_mangled ? name->demangled : name->symbol,
				  name->symbol });
}

static void count(struct listing_share *share, const struct survey_function *function)
{
	if (function->size < LISTING_LEAST || function->refusal == ENTRY_PART)
		return;
	share->functions++;
	share->patchable += function->refusal == ENTRY_FINE;
}

/* Lists the function once, by the first of its names that is chosen. */
static int consider(struct table *table, struct listing_options *options,
		    const struct elf_file *file, const struct survey_function *function)
{
	char room[SURVEY_NAME];
	bool is_listed = false;
	int status = 0;

	for (size_t i = 0; i < function->name_count && !is_listed && !status; i++) {
		struct readable name;

		if (i && !function->names[i].text)
			continue;
		read_name(&name, survey_name(function, i, room));
		is_listed = is_chosen(options, file, &name);
		if (is_listed)
			status = add_row(table, function, &name, options->keep_mangled);
		free_name(&name);
	}
	if (is_listed)
		count(&options->share, function);
	return status;
}

static int add_share(struct table *table, const struct listing_share *share)
{
	int status = table_add_meta_number(table, "functions_of_16_bytes", share->functions);

	return status ? status
		      : table_add_meta_number(table, "patchable_of_16_bytes", share->patchable);
}

int listing_functions(struct table *table, struct listing_options *options,
		      const struct elf_file *file, struct err *err)
{
	static const struct table_column columns[] = { { "address", COLUMN_DATA },
						       { "size", COLUMN_NUMBER | COLUMN_DROPS_1ST },
						       { "patchable" },
						       { "reason",
							 COLUMN_GIVES_TOO | COLUMN_DROPS_2ND },
						       { "name", COLUMN_GIVES },
						       { "symbol", COLUMN_DATA } };
	struct survey survey;
	int status = survey_open(&survey, file->path);

	if (status == -ENOEXEC)
		return err_set(err, ENOEXEC,
			       "'%s' is not for the kind of programs that can be patched",
			       file->path);
	if (status)
		return err_set(err, -status, "cannot read the functions of '%s': %s", file->path,
			       strerror(-status));
	table_init(table, "functions", columns, sizeof(columns) / sizeof(columns[0]));
	if (table_add_meta(table, "file", file->path))
		status = err_no_memory(err);
	for (size_t i = 0; i < survey.count && !status; i++)
		if (consider(table, options, file, &survey.functions[i]))
			status = err_no_memory(err);
	if (!status && add_share(table, &options->share))
		status = err_no_memory(err);
	survey_close(&survey);
	if (status)
		table_fini(table);
	return status;
}
