/* SPDX-License-Identifier: MIT
 *
 * calls_mallocs.c - counts its own calls of malloc() and its kin, whichever library provides them.
 * Only the calls of this program are meant, so the profiler is run with --from.
 */
#include <pthread.h>

#include "calls_target.h"

#define BLOCKS  1000
#define ROUNDS  20
#define THREADS 4

/* Checks that written values are still there later: no two blocks share memory. */
static void *churn(void *seed)
{
	unsigned int state = (unsigned int)(size_t)seed;
	unsigned char **blocks = calloc(BLOCKS, sizeof(*blocks));
	long wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < BLOCKS; i++) {
			size_t size = (state = state * 1103515245 + 12345) >> 22;

			blocks[i] = malloc(size + 1);
			memset(blocks[i], i, size + 1);
		}
		for (int i = 0; i < BLOCKS; i++) {
			blocks[i] = realloc(blocks[i], 2000);
			wrong += blocks[i][0] != (unsigned char)i;
			free(blocks[i]);
		}
	}
	free(blocks);
	return (void *)wrong;
}

static void in_threads(void)
{
	pthread_t threads[THREADS];
	long wrong = 0;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, churn, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		wrong += (long)result;
	}
	printf("%ld wrong\n", wrong);
	expect("calloc calls=%d", THREADS);
	expect("malloc calls=%d", THREADS * ROUNDS * BLOCKS);
	expect("realloc calls=%d", THREADS * ROUNDS * BLOCKS);
	expect("free calls=%d", THREADS * (ROUNDS * BLOCKS + 1));
}

static const struct scenario scenarios[] = {
	{ "in_threads", in_threads },
};

MAIN_OF(scenarios)
