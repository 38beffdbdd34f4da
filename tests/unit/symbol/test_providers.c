/* SPDX-License-Identifier: MIT
 *
 * test_providers.c - the definition that an import is bound to, by the rules of the dynamic linker,
 * on artificial objects.
 */
#include <gelf.h>
#include <string.h>

#include "symbol/providers.h"
#include "tap.h"

#define EXPORTS(array) .exports = (array), .export_count = sizeof(array) / sizeof((array)[0])

/* The number of the oldest version is 2. */
static struct elf_symbol versioned_exports[] = {
	{ .name = "both", .version = "V1", .version_index = 2, .hidden = true },
	{ .name = "both", .version = "V2", .version_index = 3 },
	{ .name = "fresh", .version = "V2", .version_index = 3 },
	{ .name = "late", .version = "V2", .version_index = 3, .hidden = true },
	{ .name = "late", .version = "V3", .version_index = 4 },
	{ .name = "retired", .version = "V3", .version_index = 4, .hidden = true },
	{ .name = "unversioned", .version_index = 1 },
};
static struct elf_symbol plain_exports[] = { { .name = "fresh" }, { .name = "plain" } };

static struct elf_file objects[] = {
	{ .path = (char *)"app" },
	{ .path = (char *)"versioned", .is_versioned = true, EXPORTS(versioned_exports) },
	{ .path = (char *)"plain", EXPORTS(plain_exports) },
};
static const struct providers providers = { .objects = objects, .count = 3 };

static void binds(const char *name, const char *version, const char *object, const char *to,
		  const char *what)
{
	struct elf_symbol import = { .name = name, .version = version };
	const struct elf_symbol *found;
	size_t where = 0;
	bool right;

	found = providers_find(&providers, &import, &where);
	if (object)
		right = found && !strcmp(objects[where].path, object) &&
			!strcmp(found->version ? found->version : "", to);
	else
		right = !found;
	ok(right, "%s", what);
}

static bool is_function(unsigned char imported, unsigned char defined)
{
	return providers_is_function(&(struct elf_symbol){ .type = imported },
				     &(struct elf_symbol){ .type = defined });
}

static void functions(void)
{
	struct elf_symbol untyped = { .type = STT_NOTYPE }, data = { .type = STT_OBJECT };

	ok(is_function(STT_NOTYPE, STT_FUNC) && is_function(STT_NOTYPE, STT_GNU_IFUNC),
	   "an import is a function if its definition is");
	ok(!is_function(STT_NOTYPE, STT_OBJECT) && !is_function(STT_FUNC, STT_TLS),
	   "and data if that is");
	ok(is_function(STT_FUNC, STT_NOTYPE) && !is_function(STT_NOTYPE, STT_NOTYPE),
	   "its own type decides if the definition has none");
	ok(providers_is_function(&untyped, NULL) && !providers_is_function(&data, NULL),
	   "an undefined symbol may be a function, unless its type says otherwise");
}

int main(void)
{
	binds("both", "V1", "versioned", "V1", "an old version is found by its name");
	binds("both", "V2", "versioned", "V2", "and so is the current one");
	binds("both", NULL, "versioned", "V1", "without a version, the oldest is meant");
	binds("fresh", NULL, "versioned", "V2", "or the current one, if there is none that old");
	binds("late", NULL, "versioned", "V3", "not one that is hidden");
	binds("retired", NULL, NULL, "", "so that nothing may be left");
	binds("both", "V9", NULL, "", "an undefined version is not replaced by another");
	binds("unversioned", "V1", "versioned", "", "a definition without version serves any");
	binds("fresh", "V9", "plain", "", "and so does an object without versions");
	binds("plain", NULL, "plain", "", "later objects are asked as well");
	binds("nothing", NULL, NULL, "", "an undefined symbol is not found");
	functions();
	return tap_done();
}
