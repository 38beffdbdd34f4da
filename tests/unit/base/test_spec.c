/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/spec.h"
#include "tap.h"

static const struct spec_subject plain_c = { .soname = "libz.so.1",
					     .path = "/usr/lib/libz.so.1.2.13",
					     .symbol = "inflate" };
static const struct spec_subject cplusplus = {
	.soname = "libshapes.so.2",
	.path = "/opt/shapes/libshapes.so.2",
	.symbol = "_ZN6shapes4areaEii",
	.demangled = "shapes::area(int, int)",
	.plain = "shapes::area",
};
static const struct spec_subject brackets = { .symbol = "_ZN1aixEi",
					      .demangled = "a::operator[](int)",
					      .plain = "a::operator[]" };
static const struct spec_subject nowhere = { .symbol = "inflate" };

static bool matches(const char *text, const struct spec_subject *subject)
{
	struct spec_list list = { 0 };
	struct err err;
	bool answer = spec_list_add(&list, text, &err) == 0 && spec_list_match(&list, subject);

	spec_list_free(&list);
	return answer;
}

static void functions(void)
{
	ok(matches("inflate", &plain_c) && !matches("inflat", &plain_c), "a name is a whole name");
	ok(matches("inf*", &plain_c) && matches("i?[a-n]late", &plain_c), "a name is a glob");
	ok(matches("*", &plain_c) && matches("*", &cplusplus), "a star is any function");
	ok(matches("_ZN6shapes*", &cplusplus), "a mangled name matches");
	ok(matches("shapes::area(int, int)", &cplusplus), "a demangled one with parameters does");
	ok(matches("shapes::area", &cplusplus) && matches("shapes::*", &cplusplus),
	   "a demangled one without parameters does");
	ok(matches("a::operator[](int)", &brackets) && matches("a::operator[]", &brackets),
	   "a name that is written out matches itself, though it looks like a glob");
}

static void objects(void)
{
	ok(matches("libz.so.1:inflate", &plain_c), "an object by its soname");
	ok(matches("libz.so.1.2.13:inflate", &plain_c), "by its file name");
	ok(matches("/usr/lib/libz.so.1.2.13:inflate", &plain_c), "by its path");
	ok(matches("libz*:*", &plain_c) && matches("*/libz*:inf*", &plain_c), "by a glob");
	ok(!matches("libq*:inflate", &plain_c) && !matches("libz*:deflate", &plain_c),
	   "object and function both have to match");
	ok(!matches("*:inflate", &nowhere) && matches("inflate", &nowhere),
	   "a function without an object is matched by its name alone");
	ok(matches("libshapes*:shapes::area", &cplusplus), "two colons part nothing");
	ok(matches("libshapes*:shapes::area(int, int)", &cplusplus),
	   "nor does a comma among parameters");
}

static size_t count_of(const char *text)
{
	struct spec_list list = { 0 };
	struct err err;
	size_t count = spec_list_add(&list, text, &err) == 0 ? list.count : 0;

	spec_list_free(&list);
	return count;
}

static void several(void)
{
	ok(count_of("a,b,c:d") == 3, "commas part specs");
	ok(count_of("std::map<int, char>::find,f(int, int)") == 2, "but not inside < > and ( )");
	ok(count_of("[a,b]c") == 1 && count_of("a\\,b") == 1, "nor in a set, nor with a backslash");
	ok(count_of("a]),b>,c") == 3, "brackets that close nothing do not count");
}

static void refused(void)
{
	static const char *const texts[] = { "", ",", "a,", ",a", "a:", ":a", ":", "a,,b" };
	struct err err;
	bool all = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct spec_list list = { 0 };

		err.text[0] = '\0';
		if (spec_list_add(&list, texts[i], &err) != -EINVAL || !err.text[0])
			all = ok(false, "'%s' is refused", texts[i]);
		spec_list_free(&list);
	}
	ok(all, "empty parts are refused, in words");
}

static void marks(void)
{
	struct spec_list list = { 0 };
	struct err err;

	spec_list_add(&list, "inflate,inf*,deflate", &err);
	ok(spec_list_match(&list, &plain_c) && list.specs[0].matched && list.specs[1].matched &&
		   !list.specs[2].matched,
	   "each spec that matches is marked, and no other");
	ok(strcmp(list.specs[2].text, "deflate") == 0, "a spec can be shown as it was written");
	spec_list_free(&list);
	ok(!spec_list_match(&list, &plain_c), "an empty list matches nothing");
}

static void from_objects(void)
{
	struct spec_list list = { 0 };
	struct spec_subject object = { .soname = "libz.so.1", .path = "/usr/lib/libz.so.1" };
	struct err err;

	ok(spec_list_add_objects(&list, "libq*,libz*", &err) == 0 && list.count == 2 &&
		   spec_list_match(&list, &object),
	   "objects alone can be listed");
	ok(!spec_list_match(&list, &cplusplus), "and keep others out");
	ok(spec_list_add_objects(&list, "", &err) == -EINVAL, "an empty one is refused");
	spec_list_free(&list);
}

/* Adds the contents of a file with this text. */
static int add_text(struct spec_list *list, const char *text, struct err *err)
{
	char name[64];
	int fd = memfd_create("specs", 0), status;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bail_out("cannot make a file in memory");
	snprintf(name, sizeof(name), "@/proc/self/fd/%d", fd);
	status = spec_list_add(list, name, err);
	close(fd);
	return status;
}

static void files(void)
{
	struct spec_list list = { 0 };
	struct err err;

	ok(add_text(&list, "# zlib\n\n  libz*:inflate  \r\nf(int, int)\n#x\nlast", &err) == 0 &&
		   list.count == 3,
	   "a file has a spec a line, comments and empty lines");
	ok(strcmp(list.specs[0].text, "libz*:inflate") == 0, "blanks around it do not count");
	ok(strcmp(list.specs[1].text, "f(int, int)") == 0, "commas do not part a line");
	ok(strcmp(list.specs[2].text, "last") == 0, "the last line may do without its end");
	ok(add_text(&list, "a\nb:\n", &err) == -EINVAL && strstr(err.text, "b:"),
	   "a bad line is named");
	ok(spec_list_add(&list, "@/no/such/file", &err) == -ENOENT && strstr(err.text, "/no/such"),
	   "and so is a file that is not there");
	ok(spec_list_add(&list, "@/", &err) < 0, "a directory is not a list");
	spec_list_free(&list);
}

int main(void)
{
	functions();
	objects();
	several();
	refused();
	marks();
	from_objects();
	files();
	return tap_done();
}
