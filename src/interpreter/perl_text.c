/* SPDX-License-Identifier: MIT
 *
 * perl_text.c - names of Perl's functions: that of the package and of the function, as its own
 * messages have them. All others are named in parentheses.
 */
#include "perl.h"

#include "fields.h"

#define WORD      ((uintptr_t)8)
#define STEPS     8   /* operations before the first statement */
#define FILE_PART 256 /* bytes of a file's name that are copied at once */

static bool read_word(struct peek *peek, uintptr_t start, int32_t offset, uintptr_t *word)
{
	return start && start % WORD == 0 && field_copy(peek, start, offset, word, sizeof(*word));
}

static bool read_half(struct peek *peek, uintptr_t start, int32_t offset, uint32_t *half)
{
	return field_copy(peek, start, offset, half, sizeof(*half));
}

/* ---- lines ---- */

uint32_t perl_first_line(struct peek *peek, const struct perl_layout *layout, uintptr_t op)
{
	uintptr_t bytes = (uintptr_t)layout->line_number + sizeof(uint32_t);

	for (int i = 0; i < STEPS && op && op % WORD == 0 && peek_can(peek, op, bytes); i++) {
		uintptr_t types = peek_word(peek, op + (uintptr_t)layout->op_type);
		int32_t type = (int32_t)types & layout->op_type_mask;

		if (type == layout->op_type_line || type == layout->op_type_line_debugged)
			return (uint32_t)(peek_word(peek, op + (uintptr_t)layout->line_number -
								  (uintptr_t)layout->line_number %
									  WORD) >>
					  (uintptr_t)layout->line_number % WORD * 8);
		op = peek_word(peek, op + (uintptr_t)layout->op_next);
	}
	return 0;
}

/* ---- texts ---- */

/* Copies a key of a table, as names are. Returns the new end; NULL: it cannot be read. */
static char *copy_key(struct peek *peek, const struct perl_layout *layout, uintptr_t key, char *to,
		      const char *end)
{
	uint32_t length;

	if (!key || !read_half(peek, key, layout->key_length, &length) || length > INT32_MAX)
		return NULL;
	return text_copy(to, end, peek, key + (uintptr_t)layout->key_text, length);
}

/* Copies the name of a package. */
static char *copy_package(struct peek *peek, const struct perl_layout *layout, uintptr_t stash,
			  char *to, const char *end)
{
	uintptr_t body, name;
	uint32_t flags, count;

	if (!read_word(peek, stash, layout->value_body, &body) ||
	    !read_half(peek, stash, layout->value_flags, &flags) ||
	    !(flags & (uint32_t)layout->hash_flag) ||
	    !read_word(peek, body, layout->hash_name, &name) ||
	    !read_half(peek, body, layout->hash_name_count, &count))
		return NULL;
	/* One that has several names has a list of them. */
	if (count && !read_word(peek, name, 0, &name))
		return NULL;
	return copy_key(peek, layout, name, to, end);
}

/* Copies a text that ends with a 0, or its end. */
static bool copy_file(struct peek *peek, uintptr_t text, struct script_facts *facts)
{
	char part[FILE_PART];
	uintptr_t length = 0, in_page;
	size_t i;

	if (!text)
		return false;
	while (length < 4 * sizeof(facts->file)) {
		in_page = PEEK_PAGE - (text + length) % PEEK_PAGE;
		if (in_page > sizeof(part))
			in_page = sizeof(part);
		if (!peek_bytes(peek, text + length, part, in_page))
			return false;
		for (i = 0; i < in_page && part[i];)
			i++;
		length += i;
		if (i < in_page) {
			text_copy(facts->file, facts->file + sizeof(facts->file), peek, text,
				  length);
			return true;
		}
	}
	return false;
}

/* ---- functions ---- */

/* Appends where a function without a name is: "[app.pl:12]". */
static char *put_place(char *to, const char *end, const struct script_facts *facts)
{
	const char *base = facts->file;
	char digits[12], *digit = digits + sizeof(digits);
	uint32_t line = facts->line;

	for (const char *at = facts->file; *at; at++)
		if (*at == '/')
			base = at + 1;
	*--digit = '\0';
	do {
		*--digit = (char)('0' + line % 10);
		line /= 10;
	} while (line);
	to = text_put(text_put(to, end, "["), end, base);
	return text_put(text_put(text_put(to, end, ":"), end, digit), end, "]");
}

static bool is_nameless(const char *name)
{
	static const char nameless[] = "__ANON__";

	for (size_t i = 0; i < sizeof(nameless); i++)
		if (name[i] != nameless[i])
			return false;
	return true;
}

static bool describe_sub(struct peek *peek, const struct perl_layout *layout, uintptr_t code,
			 struct script_facts *facts)
{
	char *at = facts->name, *end = facts->name + sizeof(facts->name), *name;
	uintptr_t body, key, stash, file, start, glob;
	uint32_t flags;

	if (!read_word(peek, code, layout->value_body, &body) ||
	    !read_half(peek, body, layout->code_flags, &flags) ||
	    !read_word(peek, body, layout->code_name, &key) ||
	    !read_word(peek, body, layout->code_stash, &stash) ||
	    !read_word(peek, body, layout->code_file, &file) ||
	    !read_word(peek, body, layout->code_start, &start))
		return false;
	/* A name, or a variable that has one: what it is bound to may be of another package. */
	if (!(flags & (uint32_t)layout->code_flag_named) &&
	    (!read_word(peek, key, layout->value_body, &glob) ||
	     !read_word(peek, glob, layout->glob_name, &key) ||
	     !read_word(peek, glob, layout->glob_stash, &stash)))
		return false;
	facts->line = perl_first_line(peek, layout, start);
	if (!facts->line)
		facts->line = 1;
	name = copy_package(peek, layout, stash, at, end);
	at = text_put(name ? name : at, end, name ? "::" : "");
	name = copy_key(peek, layout, key, at, end);
	if (!name || !copy_file(peek, file, facts))
		return false;
	if (is_nameless(at))
		put_place(name, end, facts);
	return true;
}

bool perl_describe(struct peek *peek, const struct interpreter_found *found, uintptr_t object,
		   struct script_facts *facts)
{
	static const char names[PERL_KINDS][sizeof("(require)")] = { "", "(main)", "(require)",
								     "(require)", "(eval)" };
	const struct perl_layout *layout = found->layout;
	uintptr_t kind = object % WORD, start = object - kind, file;

	if (kind == PERL_SUB)
		return describe_sub(peek, layout, object, facts);
	if (kind >= PERL_KINDS)
		return false;
	text_put(facts->name, facts->name + sizeof(facts->name), names[kind]);
	facts->line = 1;
	if (kind == PERL_EVAL && !read_half(peek, start, layout->line_number, &facts->line))
		return false;
	return read_word(peek, start,
			 kind == PERL_MAIN       ? layout->state_main_file
			 : kind == PERL_COMPILED ? layout->value_text
						 : layout->line_file,
			 &file) &&
	       copy_file(peek, file, facts);
}
