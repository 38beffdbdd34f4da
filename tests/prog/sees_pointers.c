/* SPDX-License-Identifier: MIT
 *
 * sees_pointers.c - the address of one function, from everywhere it can be had. All must be the
 * same pointer, and a call by any of them must be seen. Built position independent and not: where
 * it is not, the address is that of the program's own PLT entry, for everybody.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "sees.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int sees_absent(int a) __attribute__((weak));

/* In data that may be written to, and in data that RELRO seals. */
static volatile sees_function in_data = sees_twice;
static const struct row {
	const char *name;
	sees_function function;
} in_table[] = { { "twice", sees_twice }, { "thrice", sees_thrice } };

/* The compiler shall not know what is behind them, lest it make plain calls. */
static sees_function hidden(sees_function function)
{
	__asm__("" : "+r"(function));
	return function;
}

static const struct row *hidden_table(void)
{
	const struct row *table = in_table;

	__asm__("" : "+r"(table));
	return table;
}

static void compare_and_call(void)
{
	void *self = dlopen(NULL, RTLD_NOW);
	void *library = dlopen("libsees_basic.so", RTLD_NOW | RTLD_NOLOAD);
	const struct {
		const char *from;
		sees_function function;
	} all[] = {
		{ "code", hidden(sees_twice) },
		{ "data", in_data },
		{ "table", hidden_table()[0].function },
		{ "library's code", hidden(sees_upper_code()) },
		{ "library's data", hidden(sees_upper_data()) },
		{ "dlsym default", (sees_function)dlsym(RTLD_DEFAULT, "sees_twice") },
		{ "dlsym program", (sees_function)dlsym(self, "sees_twice") },
		{ "dlsym library", (sees_function)dlsym(library, "sees_twice") },
	};

	for (size_t i = 0; i < COUNT(all); i++)
		for (size_t j = i + 1; j < COUNT(all); j++)
			printf("%s and %s: %s\n", all[i].from, all[j].from,
			       all[i].function == all[j].function ? "equal" : "different");
	for (size_t i = 0; i < COUNT(all); i++)
		printf("by %s: %d\n", all[i].from, all[i].function((int)i));
	printf("directly: %d\n", sees_twice(100));
	expect("sees_twice", "libsees_basic.so", COUNT(all) + 1);
	expect("sees_upper_code", "libsees_upper.so", 1);
	expect("sees_upper_data", "libsees_upper.so", 1);
	dlclose(library);
	dlclose(self);
}

static void call_back(void)
{
	int numbers[] = { 5, 3, 8, 1, 9, 2, 7 };

	qsort(numbers, COUNT(numbers), sizeof(numbers[0]), sees_compare);
	for (size_t i = 0; i < COUNT(numbers); i++)
		printf("%d%s", numbers[i], i + 1 < COUNT(numbers) ? " " : "\n");
	expect("sees_compare", "libsees_basic.so", sees_compared());
	expect("sees_compared", "libsees_basic.so", 1);
}

/* Two names of one function: a profiler may show it by either. In a program that is not position
 * independent, each has a PLT entry and so an address of its own. */
static void two_names(void)
{
	sees_function first = hidden(sees_first_name), other = hidden(sees_other_name);

	printf("its names: %s\n", first == other ? "equal" : "different");
	printf("by them: %d %d\n", first(1), other(2));
	expect("sees_first_name|sees_other_name", "libsees_basic.so", 2);
}

int main(void)
{
	compare_and_call();
	call_back();
	two_names();
	printf("thrice: %d\n", hidden_table()[1].function(5));
	expect("sees_thrice", "libsees_basic.so", 1);
	printf("a weak function without a definition: %s\n", sees_absent ? "there" : "absent");
	return 0;
}
