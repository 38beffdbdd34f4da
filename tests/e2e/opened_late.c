/* SPDX-License-Identifier: MIT
 *
 * opened_late LIBRARY - a program that dlopens libprofil.so: the library stands in front of nothing
 * then, and must find new threads by itself.
 */
#include <dlfcn.h>
#include <pthread.h>

#define LOAD_WITHOUT_LIBRARY
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

static unsigned short everything[1];

static void *burn_in_thread(void *unused)
{
	burn(0.5);
	return unused;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*start)(unsigned short *, size_t, size_t, unsigned int);
	pthread_t threads[3];
	double cpu;

	if (!library)
		bail_out("dlopen");
	start = (int (*)(unsigned short *, size_t, size_t, unsigned int))dlsym(library,
									       "profil_linux");
	ok(start(everything, sizeof(everything), 0, 0) == 0,
	   "profil_linux() of a dlopened library");
	cpu = process_cpu();
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, burn_in_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	cpu = process_cpu() - cpu;
	start(NULL, 0, 0, 0);
	/* No callback reports a thread's exit here; the missing time is billed at the end. */
	ok(everything[0] >= cpu * 100 - 4 && everything[0] <= cpu * 100 + 2,
	   "threads born later are found while main sleeps: %u of %.0f", everything[0], cpu * 100);
	ok(dlclose(library) == 0, "dlclose()");
	everything[0] = 0;
	burn(0.1);
	ok(everything[0] == 0, "and the program goes on, uncounted");
	return tap_done();
}
