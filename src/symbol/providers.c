/* SPDX-License-Identifier: MIT */
#include "symbol/providers.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines.h"
#include "symbol/linker.h"

/* Returns NULL if this machine does not run such files. */
static const struct arch_machine *machine_of(const struct elf_file *file)
{
	for (size_t i = 0; i < sizeof(arch_machines) / sizeof(arch_machines[0]); i++)
		if (file->machine == arch_machines[i].machine &&
		    file->elf_class == arch_machines[i].elf_class)
			return &arch_machines[i];
	return NULL;
}

int providers_check_machine(const struct elf_file *file, struct err *err)
{
	if (machine_of(file))
		return 0;
	return err_set(err, ENOEXEC, "'%s' is for another CPU than this dwell", file->path);
}

/* Returns the name as the kernel would pass it to the linker: a program by its real name, from
 * which $ORIGIN follows, a library by the given name. Without a slash, the linker would search its
 * path. */
static char *name_for_linker(const struct elf_file *file)
{
	char *name;

	if (file->is_program)
		return realpath(file->path, NULL);
	if (strchr(file->path, '/'))
		return strdup(file->path);
	return asprintf(&name, "./%s", file->path) < 0 ? NULL : name;
}

/* Asks the linker. A library that names no linker is loaded by that of programs of its kind. */
static int ask(const struct elf_file *file, struct linker_result *result, struct err *err)
{
	char *name = name_for_linker(file);
	int status;

	if (!name)
		return err_set(err, errno, "cannot find '%s': %s", file->path, strerror(errno));
	status = linker_ask(result, file->interp ? file->interp : machine_of(file)->linker, name,
			    err);
	free(name);
	return status;
}

static int open_loaded(struct providers *providers, const struct linker_result *result,
		       struct err *err)
{
	for (size_t i = 0; i < result->loaded_count; i++) {
		int status = elf_file_open(&providers->objects[providers->count], result->loaded[i],
					   err);

		if (status)
			return status;
		providers->count++;
	}
	return 0;
}

/* Opens the libraries; the file itself is objects[0] already. */
static int open_libraries(struct providers *providers, struct linker_result *result,
			  struct err *err)
{
	struct elf_file *more;
	int status = ask(&providers->objects[0], result, err);

	if (status)
		return status;
	more = realloc(providers->objects, (1 + result->loaded_count) * sizeof(*more));
	if (!more)
		return err_no_memory(err);
	providers->objects = more;
	return open_loaded(providers, result, err);
}

int providers_open(struct providers *providers, const char *path, struct err *err)
{
	struct linker_result result = { 0 };
	int status;

	*providers = (struct providers){ .objects = calloc(1, sizeof(*providers->objects)) };
	if (!providers->objects)
		return err_no_memory(err);
	status = elf_file_open(&providers->objects[0], path, err);
	if (!status) {
		providers->count = 1;
		status = providers_check_machine(&providers->objects[0], err);
	}
	if (!status)
		status = open_libraries(providers, &result, err);
	if (!status) {
		providers->missing = result.missing;
		providers->missing_count = result.missing_count;
		result.missing = NULL;
		result.missing_count = 0;
	}
	linker_free(&result);
	if (status)
		providers_close(providers);
	return status;
}

void providers_close(struct providers *providers)
{
	for (size_t i = 0; i < providers->count; i++)
		elf_file_close(&providers->objects[i]);
	for (size_t i = 0; i < providers->missing_count; i++)
		free(providers->missing[i]);
	free(providers->objects);
	free(providers->missing);
	*providers = (struct providers){ 0 };
}

/* Returns true if the version fits: an import with a version gets that one, or a definition made
 * without versions. */
static bool version_fits(const struct elf_file *object, const struct elf_symbol *export,
			 const char *version)
{
	if (!object->is_versioned)
		return true;
	if (export->version)
		return strcmp(export->version, version) == 0;
	return !export->hidden;
}

/* Finds the definition in one object. An import without a version was linked when the library had
 * none yet, and gets the oldest: one without a version, or of the first version (number 2). Failing
 * these, the current one, if it is unique. */
static const struct elf_symbol *find_in(const struct elf_file *object,
					const struct elf_symbol *import)
{
	const struct elf_symbol *current = NULL, *exports;
	size_t count, current_count = 0;

	exports = elf_file_exports_named(object, import->name, &count);
	for (size_t i = 0; i < count; i++) {
		if (import->version) {
			if (version_fits(object, &exports[i], import->version))
				return &exports[i];
		} else if (exports[i].version_index <= 2) {
			return &exports[i];
		} else if (!exports[i].hidden) {
			current = &exports[i];
			current_count++;
		}
	}
	return current_count == 1 ? current : NULL;
}

const struct elf_symbol *providers_find(const struct providers *providers,
					const struct elf_symbol *import, size_t *object)
{
	for (size_t i = 0; i < providers->count; i++) {
		const struct elf_symbol *found = find_in(&providers->objects[i], import);

		if (found) {
			*object = i;
			return found;
		}
	}
	return NULL;
}

bool providers_is_function(const struct elf_symbol *import, const struct elf_symbol *definition)
{
	if (!definition)
		return elf_symbol_is_function(import) || import->type == STT_NOTYPE;
	return elf_symbol_is_function(definition) ||
	       (definition->type == STT_NOTYPE && elf_symbol_is_function(import));
}
