/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Numbers without a pattern, the same ones in every run. */
static inline uint32_t next_number(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

unsigned int multiply_matrices(void)
{
	enum { SIDE = 96 };
	static float a[SIDE][SIDE], b[SIDE][SIDE], product[SIDE][SIDE];

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			a[i][j] = (float)(i + j);
			b[i][j] = (float)(i - j);
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			float sum = 0;

			for (int k = 0; k < SIDE; k++)
				sum += a[i][k] * b[k][j];
			product[i][j] = sum;
		}
	return (unsigned int)product[SIDE - 1][0];
}

/* Shell sort. */
unsigned int sort_numbers(void)
{
	enum { COUNT = 10000 };
	static uint32_t numbers[COUNT];
	uint32_t seed = 1;

	for (int i = 0; i < COUNT; i++)
		numbers[i] = next_number(&seed);
	for (int gap = COUNT / 2; gap > 0; gap = gap * 5 / 11)
		for (int i = gap; i < COUNT; i++) {
			uint32_t moving = numbers[i];
			int hole = i;

			for (; hole >= gap && numbers[hole - gap] > moving; hole -= gap)
				numbers[hole] = numbers[hole - gap];
			numbers[hole] = moving;
		}
	return numbers[COUNT / 2];
}

unsigned int sieve_primes(void)
{
	enum { LIMIT = 200000 };
	static bool composite[LIMIT];
	unsigned int primes = 0;

	for (int n = 0; n < LIMIT; n++)
		composite[n] = false;
	for (int n = 2; n < LIMIT; n++) {
		if (composite[n])
			continue;
		primes++;
		for (int multiple = 2 * n; multiple < LIMIT; multiple += n)
			composite[multiple] = true;
	}
	return primes;
}

/* FNV-1a. */
unsigned int hash_bytes(void)
{
	uint32_t seed = 2, hash = 2166136261;

	for (int i = 0; i < 500000; i++)
		hash = (hash ^ (next_number(&seed) & 0xff)) * 16777619;
	return hash;
}

/* The hard way, in a text of four letters, where it occurs now and then. */
unsigned int find_words(void)
{
	static const char word[] = "abracab";
	static char text[100000];
	uint32_t seed = 3;
	unsigned int found = 0;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "abrc"[next_number(&seed) >> 22];
	for (size_t i = 0; i + sizeof(word) <= sizeof(text); i++) {
		size_t same = 0;

		while (word[same] && text[i + same] == word[same])
			same++;
		found += !word[same];
	}
	return found;
}

unsigned int format_numbers(void)
{
	unsigned int length = 0;
	char text[64];

	for (int i = 1; i < 3000; i++)
		length += (unsigned int)snprintf(text, sizeof(text), "%.12f", 1.0 / i);
	return length;
}
