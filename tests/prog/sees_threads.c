/* SPDX-License-Identifier: MIT
 *
 * sees_threads.c - threads that make 100, 200 and 300 calls, one by one and side by side, and the
 * main one 400. The library's own calls of the same function come on top, in the main thread.
 */
#include <pthread.h>

#include "sees.h"

#define COUNT 3

static void call(int times)
{
	for (int i = 0; i < times; i++)
		sees_add(i, i);
}

static void *work(void *times)
{
	call(*(int *)times);
	return NULL;
}

int main(void)
{
	static int times[COUNT] = { 100, 200, 300 };
	pthread_t threads[COUNT];

	for (int i = 0; i < COUNT; i++)
		pthread_create(&threads[i], NULL, work, &times[i]);
	call(400);
	for (int i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	printf("sum %d\n", sees_sum(50));
	expect("sees_add", "libsees_basic.so", 100 + 200 + 300 + 400 + 50);
	expect("sees_sum", "libsees_upper.so", 1);
	return 0;
}
