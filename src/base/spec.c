/* SPDX-License-Identifier: MIT */
#include "base/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/vec.h"

/* Finds the first such character that is in no brackets, behind no backslash and not half of a ::.
 * Returns the end of the text if there is none. */
static const char *find_outside(const char *text, char wanted)
{
	int depth = 0;

	for (; *text; text++) {
		if ((*text == '\\' && text[1]) || (*text == ':' && text[1] == ':'))
			text++;
		else if (strchr("(<[", *text))
			depth++;
		else if (strchr(")>]", *text) && depth > 0)
			depth--;
		else if (*text == wanted && depth == 0)
			break;
	}
	return text;
}

/* Splits text, which may be NULL for want of memory, and takes ownership of it. */
static int part(struct spec *spec, char *text, struct err *err)
{
	const char *colon;

	*spec = (struct spec){ .text = text, .function = text };
	if (!text)
		return err_no_memory(err);
	colon = find_outside(text, ':');
	if (*colon) {
		spec->object = strndup(text, (size_t)(colon - text));
		spec->function = colon + 1;
		if (!spec->object)
			return err_no_memory(err);
	}
	if (!*spec->function || (spec->object && !*spec->object))
		return err_set(err, EINVAL, "invalid spec '%s': must be [OBJECT:]FUNCTION", text);
	return 0;
}

static void spec_free(struct spec *spec)
{
	free(spec->text);
	free(spec->object);
}

/* Appends the spec and takes ownership of its strings. */
static int append(struct spec_list *list, struct spec *spec, struct err *err)
{
	struct spec *specs = vec_room(list->specs, list->count, sizeof(*specs));

	if (!specs) {
		spec_free(spec);
		return err_no_memory(err);
	}
	list->specs = specs;
	list->specs[list->count++] = *spec;
	return 0;
}

static int add_function(struct spec_list *list, const char *text, size_t length, struct err *err)
{
	struct spec spec;
	int status = part(&spec, strndup(text, length), err);

	if (status) {
		spec_free(&spec);
		return status;
	}
	return append(list, &spec, err);
}

static int add_object(struct spec_list *list, const char *text, size_t length, struct err *err)
{
	struct spec spec = { .text = strndup(text, length), .object = strndup(text, length) };

	if (!spec.text || !spec.object) {
		spec_free(&spec);
		return err_no_memory(err);
	}
	if (length == 0) {
		spec_free(&spec);
		return err_set(err, EINVAL, "empty OBJECT name");
	}
	return append(list, &spec, err);
}

/* Adds each of the parts between commas. */
static int add_each(struct spec_list *list, const char *text, struct err *err,
		    int (*add)(struct spec_list *, const char *, size_t, struct err *))
{
	for (;;) {
		const char *end = find_outside(text, ',');
		int status = add(list, text, (size_t)(end - text), err);

		if (status || !*end)
			return status;
		text = end + 1;
	}
}

int spec_list_add_each(struct spec_list *list, const char *text, struct err *err)
{
	return add_each(list, text, err, add_function);
}

int spec_list_add_one(struct spec_list *list, const char *text, struct err *err)
{
	return add_function(list, text, strlen(text), err);
}

int spec_list_add_objects(struct spec_list *list, const char *text, struct err *err)
{
	return add_each(list, text, err, add_object);
}

static bool name_matches(const char *glob, const char *name)
{
	return name && (strcmp(glob, name) == 0 || glob_match(glob, name));
}

static bool object_matches(const char *glob, const struct spec_subject *subject)
{
	const char *slash = subject->path ? strrchr(subject->path, '/') : NULL;

	return name_matches(glob, subject->soname) || name_matches(glob, subject->path) ||
	       (slash && name_matches(glob, slash + 1));
}

static bool function_matches(const char *glob, const struct spec_subject *subject)
{
	return name_matches(glob, subject->symbol) || name_matches(glob, subject->demangled) ||
	       name_matches(glob, subject->plain);
}

bool spec_list_has_object(const struct spec_list *list, const struct spec_subject *object)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->specs[i].object || object_matches(list->specs[i].object, object))
			return true;
	return false;
}

bool spec_list_match(struct spec_list *list, const struct spec_subject *subject)
{
	bool any = false;

	for (size_t i = 0; i < list->count; i++) {
		struct spec *spec = &list->specs[i];

		if (spec->object && !object_matches(spec->object, subject))
			continue;
		if (spec->function && !function_matches(spec->function, subject))
			continue;
		spec->matched = true;
		any = true;
	}
	return any;
}

void spec_list_free(struct spec_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		spec_free(&list->specs[i]);
	free(list->specs);
	*list = (struct spec_list){ 0 };
}
