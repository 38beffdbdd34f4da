/* SPDX-License-Identifier: MIT
 *
 * sanitized.c [FAULT] - a program for sanitizers: does some work in threads, and then what FAULT
 * names, of which a sanitizer tells. Built once for each of them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define WORDS   2000

#ifdef OWN_OPTIONS
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "exitcode=42";
}
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void *work(void *argument)
{
	char **words = calloc(WORDS, sizeof(*words));
	int number = *(int *)argument;

	for (int i = 0; i < WORDS; i++) {
		words[i] = malloc(16);
		snprintf(words[i], 16, "%d", i * 7919 % (1000 + number));
	}
	qsort(words, WORDS, sizeof(*words), compare);
	for (int i = 0; i < WORDS; i++) {
		pthread_mutex_lock(&lock);
		total += atoi(words[i]);
		pthread_mutex_unlock(&lock);
		free(words[i]);
	}
	free(words);
	return NULL;
}

static void in_threads(void *(*function)(void *))
{
	static int numbers[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, function, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int read_freed(const void *a, const void *b)
{
	static int calls;
	char *block = malloc(10);

	block[3] = (char)calls++;
	free(block);
	return block[3] + *(const char *)a - *(const char *)b;
}

/* Below a function of libc, in a thread. */
static void *after_free(void *argument)
{
	char text[] = "sanitizer";

	qsort(text, sizeof(text) - 1, 1, read_freed);
	return argument;
}

static void free_and_read(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, after_free, NULL);
	pthread_join(thread, NULL);
}

__attribute__((noinline)) static char *allocate(size_t size)
{
	return memset(malloc(size), 1, size);
}

static void leak(void)
{
	static char *volatile block;

	for (int i = 0; i < 10; i++)
		block = allocate(1234);
	block = NULL;
}

static int counter;

static void *count(void *argument)
{
	for (int i = 0; i < 1000; i++)
		counter++;
	return argument;
}

static void race(void)
{
	in_threads(count);
}

static void overflow(void)
{
	volatile int number = 0x7fffffff;

	number++;
}

static void uninitialized(void)
{
	int *block = malloc(sizeof(*block));

	if (*block == 42)
		puts("42");
	free(block);
}

/* Prints which auditors it runs with: no fault. */
static void auditors(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, "libdwell-audit.so") != NULL;
	if (maps)
		fclose(maps);
	puts(count ? "an auditor" : "no auditor");
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "free_and_read", free_and_read },
	{ "leak", leak },
	{ "race", race },
	{ "overflow", overflow },
	{ "uninitialized", uninitialized },
	{ "auditors", auditors },
};

int main(int argc, char **argv)
{
	in_threads(work);
	printf("total %ld\n", total);
	fflush(stdout);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (argc > 1 && strcmp(argv[1], faults[i].name) == 0)
			faults[i].commit();
	return 0;
}
