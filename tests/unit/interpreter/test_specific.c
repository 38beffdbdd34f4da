/* SPDX-License-Identifier: MIT
 *
 * test_specific.c - values of pthread_setspecific(), as libc has stored them: of keys of the first
 * block and of others, in several threads.
 */
#include "interpreter/specific.h"

#include <link.h>
#include <pthread.h>
#include <string.h>

#include "tap.h"

#define KEYS 100

static struct specific specific;
static pthread_key_t keys[KEYS];

static int visit(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct object object = { .bias = info->dlpi_addr,
				 .headers = info->dlpi_phdr,
				 .header_count = info->dlpi_phnum };
	struct peek peek = { 0 };
	struct dynsym symbols;

	(void)size, (void)argument;
	if (dynsym_open(&symbols, &peek, &object))
		specific_read(&specific, &symbols);
	return 0;
}

/* Returns how many keys have another value than the thread has set. */
static void *wrong_values(void *argument)
{
	uintptr_t wrong = 0;

	for (uintptr_t i = 0; i < KEYS; i++)
		if (i % 3)
			pthread_setspecific(keys[i], (char *)argument + i);
	for (uintptr_t i = 0; i < KEYS; i++)
		wrong +=
			specific_value(&specific, keys[i]) != (i % 3 ? (uintptr_t)argument + i : 0);
	return (void *)wrong;
}

int main(void)
{
	pthread_t thread;
	void *wrong = NULL;

	for (int i = 0; i < KEYS; i++)
		pthread_key_create(&keys[i], NULL);
	ok(!wrong_values((void *)0x1000), "without a description, libc is asked");
	dl_iterate_phdr(visit, NULL);
#ifdef __GLIBC__
	ok(specific.block_keys && specific.count * specific.block_keys >= KEYS,
	   "glibc describes where values are");
	ok(specific_self(&specific) == (uintptr_t)pthread_self(), "and pthread_self()");
#endif
	ok(!wrong_values((void *)0x2000), "values of the first thread");
	pthread_create(&thread, NULL, wrong_values, (void *)0x3000);
	pthread_join(thread, &wrong);
	ok(!wrong, "values of another thread");
	ok(!specific_value(&specific, 1 << 20), "a key that cannot be has none");
	return tap_done();
}
