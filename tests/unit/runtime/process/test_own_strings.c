/* SPDX-License-Identifier: MIT
 *
 * test_own_strings.c - the runtimes' own functions of <string.h> return what libc's do, for all
 * short strings of a few characters.
 */
#include <stdint.h>
#include <string.h>

#include "tap.h"

#define memcpy  own_memcpy
#define memmove own_memmove
#define memset  own_memset
#define memcmp  own_memcmp
#define memchr  own_memchr
#define strlen  own_strlen
#define strncmp own_strncmp
#define strcmp  own_strcmp
#define strchr  own_strchr
#define strrchr own_strrchr
#define strcpy  own_strcpy
#define strspn  own_strspn
#define strcspn own_strcspn
#define strstr  own_strstr
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *memory, int byte, size_t size);
size_t strlen(const char *text);
int strncmp(const char *a, const char *b, size_t size);
int strcmp(const char *a, const char *b);
char *strchr(const char *text, int wanted);
char *strrchr(const char *text, int wanted);
char *strcpy(char *restrict to, const char *restrict from);
size_t strspn(const char *text, const char *accepted);
size_t strcspn(const char *text, const char *refused);
char *strstr(const char *text, const char *wanted);
#include "runtime/process/own_strings.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef memchr
#undef strlen
#undef strncmp
#undef strcmp
#undef strchr
#undef strrchr
#undef strcpy
#undef strspn
#undef strcspn
#undef strstr

#define LENGTH 4
#define TEXTS  256 /* of four characters each, of four kinds */

static char texts[TEXTS][LENGTH + 1];

static void make_texts(void)
{
	static const char kinds[] = { '\0', 'a', 'b', '\xe4' };

	for (int i = 0; i < TEXTS; i++)
		for (int at = 0; at < LENGTH; at++)
			texts[i][at] = kinds[i >> 2 * at & 3];
}

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static int pairs_that_differ(void)
{
	int differ = 0;

	for (int i = 0; i < TEXTS; i++)
		for (int j = 0; j < TEXTS; j++) {
			const char *a = texts[i], *b = texts[j];

			differ += sign(own_strcmp(a, b)) != sign(strcmp(a, b));
			differ += own_strstr(a, b) != strstr(a, b);
			differ += own_strspn(a, b) != strspn(a, b);
			differ += own_strcspn(a, b) != strcspn(a, b);
			for (size_t size = 0; size <= LENGTH; size++) {
				differ +=
					sign(own_strncmp(a, b, size)) != sign(strncmp(a, b, size));
				differ += sign(own_memcmp(a, b, size)) != sign(memcmp(a, b, size));
			}
		}
	return differ;
}

static int texts_that_differ(void)
{
	static const int wanted[] = { 0, 'a', 'b', 0xe4, -1 };
	int differ = 0;

	for (int i = 0; i < TEXTS; i++) {
		const char *a = texts[i];
		char copy[LENGTH + 1] = "xxxx";

		differ += own_strlen(a) != strlen(a);
		differ += own_strcpy(copy, a) != copy || strcmp(copy, a) != 0;
		for (int j = 0; j < 5; j++) {
			differ += own_strchr(a, wanted[j]) != strchr(a, wanted[j]);
			differ += own_strrchr(a, wanted[j]) != strrchr(a, wanted[j]);
			for (size_t size = 0; size <= LENGTH; size++)
				differ += own_memchr(a, wanted[j], size) !=
					  memchr(a, wanted[j], size);
		}
	}
	return differ;
}

/* Moves from each place to each, so that they overlap in either direction. */
static int moves_that_differ(void)
{
	int differ = 0;

	for (size_t from = 0; from < 8; from++)
		for (size_t to = 0; to < 8; to++)
			for (size_t size = 0; size <= 8; size++) {
				char own[] = "0123456789abcdef", other[] = "0123456789abcdef";

				differ += own_memmove(own + to, own + from, size) != own + to;
				memmove(other + to, other + from, size);
				differ += memcmp(own, other, sizeof(own)) != 0;
			}
	return differ;
}

int main(void)
{
	char bytes[8] = "1234567", copy[8] = "";

	make_texts();
	ok(pairs_that_differ() == 0, "two strings");
	ok(texts_that_differ() == 0, "one string");
	ok(moves_that_differ() == 0, "moves that overlap");
	ok(own_memcpy(copy, bytes, 5) == copy && memcmp(copy, "12345\0\0", 8) == 0, "a copy");
	ok(own_memset(bytes + 1, 'x', 3) == bytes + 1 && strcmp(bytes, "1xxx567") == 0,
	   "a filling");
	return tap_done();
}
