/* SPDX-License-Identifier: MIT
 *
 * page_target.c SECONDS - has phases and threads for a page to show: first early(), then late(),
 * which both call shared_part(), and helper() in a thread of its own. Sorts arrays in between,
 * short and long ones. The function odd_name() is there to be renamed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "record_load.h"

DEFINE_BURNER(shared_part)
DEFINE_BURNER(helper_part)
DEFINE_BURNER(odd_name)

/* Something behind each call, lest it become a jump, which leaves no caller on the stack. */
static volatile int calls;

__attribute__((noinline)) static void early(double seconds)
{
	shared_part(seconds);
	calls++;
}

__attribute__((noinline)) static void late(double seconds)
{
	shared_part(seconds / 2);
	odd_name(seconds / 2);
	calls++;
}

static int by_value(const void *left, const void *right)
{
	const int *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void sort(void)
{
	static int numbers[1 << 15];

	for (size_t count = 16; count <= sizeof(numbers) / sizeof(numbers[0]); count *= 2) {
		for (size_t i = 0; i < count; i++)
			numbers[i] = (int)(i * 7919 % 10007);
		qsort(numbers, count, sizeof(numbers[0]), by_value);
	}
}

static void *helper(void *argument)
{
	prctl(PR_SET_NAME, "<i>helper</i>");
	helper_part(*(double *)argument);
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	pthread_t thread;

	early(seconds);
	sort();
	pthread_create(&thread, NULL, helper, &seconds);
	late(seconds);
	pthread_join(thread, NULL);
	return calls != 2;
}
