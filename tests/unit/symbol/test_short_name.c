/* SPDX-License-Identifier: MIT
 *
 * test_short_name.c - names of C++ and Rust as demanglers write them, and their short forms.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/short_name.h"
#include "tap.h"

static void becomes(const char *name, const char *expected)
{
	char *text = strdup(name);

	short_name(text);
	if (strcmp(text, expected) != 0)
		note("it becomes %s", text);
	ok(strcmp(text, expected) == 0, "%s", expected);
	free(text);
}

static void stays(const char *name)
{
	becomes(name, name);
}

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static void test_usual_names(void)
{
	becomes("f(" STRING " const&)", "f(std::string const&)");
	becomes(STRING "::append(char const*)", "std::string::append(char const*)");
	becomes("std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> "
		">::size() const",
		"std::wstring::size() const");
	becomes("std::vector<int, std::allocator<int> >::push_back(int const&)",
		"std::vector<int>::push_back(int const&)");
	becomes("std::__1::vector<int, std::__1::allocator<int> >::size() const",
		"std::vector<int>::size() const");
	becomes("g(std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > "
		">&)",
		"g(std::map<int, long>&)");
	becomes("std::unique_ptr<A, std::default_delete<A> >::~unique_ptr()",
		"std::unique_ptr<A>::~unique_ptr()");
	becomes("h(std::basic_ostream<char, std::char_traits<char> >&)", "h(std::ostream&)");
	stays("other::basic_string<char>::f()");
	stays("std::allocator<int>::allocate(unsigned long)");
	stays("std::vector<std::allocator<int>>::f()");
	becomes("std::filesystem::__cxx11::path::~path()", "std::filesystem::path::~path()");
}

static void test_operators(void)
{
	stays("A::operator<(A const&) const");
	stays("A::operator>>(int)");
	stays("A::operator->() const");
	stays("A::operator()(int) const");
	stays("A::operator<=>(A const&) const");
	becomes("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char)",
		"std::ostream& std::operator<< <std::char_traits<char>>(...)");
	stays("my_operator<int>()");
	stays("(anonymous namespace)::f(int)");
}

static void test_long_names(void)
{
	becomes("void process<std::pair<Alpha, Beta>, std::pair<Gamma, Delta>, 12345>(int, char "
		"const*)",
		"void process<...>(int, char const*)");
	becomes("Sheet<int, long, short, char, float>::recalculate<Visitor>(Alpha const&, Beta "
		"const&, Gamma const&)",
		"Sheet<...>::recalculate<Visitor>(...)");
	becomes("(anonymous namespace)::a_rather_long_name_of_a_function(first_parameter, second)",
		"(anonymous namespace)::a_rather_long_name_of_a_function(...)");
	becomes("std::_Function_handler<void (int), "
		"main::{lambda(int)#1}>::_M_invoke(std::_Any_data const&, int&&)",
		"std::_Function_handler<...>::_M_invoke(...)");
	stays("a_name_of_a_function_in_c_that_is_just_very_long_indeed_and_has_no_brackets_at_all");
}

static void test_rust(void)
{
	stays("core::ptr::drop_in_place<i32>");
	becomes("<alloc::vec::Vec<regex_syntax::hir::Hir> as "
		"core::ops::drop::Drop>::drop_all_of_them",
		"<alloc::vec::Vec<...> as core::ops::drop::Drop>::drop_all_of_them");
	becomes("core::iter::adapters::map::map_fold::{{closure}}::<alpha::Alpha, beta::Beta, "
		"gamma::Gamma>",
		"core::iter::adapters::map::map_fold::{{closure}}::<...>");
	stays("block (2 levels here) in <class:AVeryLongNameOfAClassInAnotherLanguage::WithParts>");
	stays("<dyn Fn(i32) -> u8 as Trait>::f");
}

static void test_odd_names(void)
{
	char deep[1000];
	const char *const odd[] = {
		"",     "<",   ">",  "f(",       "f<int", "a < b",     "f)",
		"((((", "x>y", "->", "operator", "f<,>",  "operator<", "std::basic_<char>"
	};
	bool are_same = true;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		strcpy(deep, odd[i]);
		short_name(deep);
		are_same = are_same && strlen(deep) <= strlen(odd[i]);
	}
	ok(are_same, "odd names do not grow");
	stays("f(int");
	stays("a > b");
	memset(deep, '<', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	short_name(deep);
	ok(strlen(deep) == sizeof(deep) - 1, "brackets without an end stay");
	for (size_t i = 0; i < 400; i++)
		memcpy(deep + 2 * i, "a<", 2);
	memset(deep + 800, '>', 150);
	deep[950] = '\0';
	short_name(deep);
	ok(strlen(deep) == 950, "and those that are too deep");
}

int main(void)
{
	test_usual_names();
	test_operators();
	test_long_names();
	test_rust();
	test_odd_names();
	return tap_done();
}
