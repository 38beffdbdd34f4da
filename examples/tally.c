/* SPDX-License-Identifier: MIT
 *
 * tally.c - a program to look into: which words are in these texts, and how often; docs/TUTORIAL.md
 * finds out why it is slow.
 *
 *   cc -O2 -g -o tally tally.c && ./tally FILE...
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS     4096
#define LENGTH_MAX 64

struct word {
	struct word *next;
	unsigned long count;
	char text[LENGTH_MAX];
};

static struct word *chains[CHAINS];

static unsigned int hash(const char *text)
{
	return ((unsigned char)text[0] * 31 + (unsigned char)text[1]) % CHAINS;
}

static int same(const struct word *word, const char *text)
{
	const char *other = word->text;

	while (*other && *other == *text)
		other++, text++;
	return *other == *text;
}

static struct word *find(struct word *chain, const char *text)
{
	while (chain && !same(chain, text))
		chain = chain->next;
	return chain;
}

static void add(const char *text)
{
	struct word **chain = &chains[hash(text)], *word = find(*chain, text);

	if (!word) {
		word = calloc(1, sizeof *word);
		if (!word)
			exit(1);
		strcpy(word->text, text);
		word->next = *chain;
		*chain = word;
	}
	word->count++;
}

static void read_words(FILE *file)
{
	char text[LENGTH_MAX];
	size_t length = 0;
	int c;

	do {
		c = getc(file);
		if (isalpha(c) && length < LENGTH_MAX - 1) {
			text[length++] = (char)tolower(c);
		} else if (length) {
			text[length] = '\0';
			add(text);
			length = 0;
		}
	} while (c != EOF);
}

static void print_result(void)
{
	const struct word *most = NULL;
	unsigned long words = 0, all = 0;

	for (size_t i = 0; i < CHAINS; i++) {
		for (const struct word *word = chains[i]; word; word = word->next) {
			words++;
			all += word->count;
			if (!most || word->count > most->count)
				most = word;
		}
	}
	printf("%lu words, %lu in all; most often: %s\n", words, all, most ? most->text : "none");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");

		if (!file) {
			perror(argv[i]);
			return 1;
		}
		read_words(file);
		fclose(file);
	}
	print_result();
	return 0;
}
