/* SPDX-License-Identifier: MIT
 *
 * own_strings.c - the functions of <string.h> that the runtimes call, hidden in each of them.
 *
 * The runtimes start before any constructor of the program. A function of libc may be replaced by
 * the program or by a library that interposes libc, such as a sanitizer: these must not be called
 * before their constructors have run. The functions here are simple rather than fast: hot paths do
 * not use them.
 *
 * Any context. Built without builtins, or a loop that copies would become a call of memcpy().
 */
#include <stddef.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	char *at = to;
	const char *source = from;

	while (size--)
		*at++ = *source++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *at = to;
	const char *source = from;

	if ((size_t)(at - source) >= size)
		return memcpy(to, from, size);
	while (size--)
		at[size] = source[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	char *at = to;

	while (size--)
		*at++ = (char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *one = a, *other = b;

	for (; size; size--, one++, other++)
		if (*one != *other)
			return *one - *other;
	return 0;
}

void *memchr(const void *memory, int byte, size_t size)
{
	const unsigned char *at = memory;

	for (; size; size--, at++)
		if (*at == (unsigned char)byte)
			return (void *)at;
	return NULL;
}

size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size && *a && *a == *b; size--, a++, b++)
		;
	return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, (size_t)-1);
}

char *strchr(const char *text, int wanted)
{
	while (*text != (char)wanted)
		if (!*text++)
			return NULL;
	return (char *)text;
}

char *strrchr(const char *text, int wanted)
{
	const char *found = NULL;

	do
		if (*text == (char)wanted)
			found = text;
	while (*text++);
	return (char *)found;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	return memcpy(to, from, strlen(from) + 1);
}

size_t strspn(const char *text, const char *accepted)
{
	size_t length = 0;

	while (text[length] && strchr(accepted, text[length]))
		length++;
	return length;
}

size_t strcspn(const char *text, const char *refused)
{
	size_t length = 0;

	while (text[length] && !strchr(refused, text[length]))
		length++;
	return length;
}

char *strstr(const char *text, const char *wanted)
{
	size_t length = strlen(wanted);

	for (; strncmp(text, wanted, length) != 0; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}
