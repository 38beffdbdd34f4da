/* SPDX-License-Identifier: MIT
 *
 * python_embedded.c LIBRARY SCRIPT ... - a program with an interpreter of Python that it loads
 * later: it runs SCRIPT, a text, inside of embedding(). Further words are for the script, which
 * finds them in /proc/self/cmdline.
 */
#include <dlfcn.h>
#include <stdio.h>

int embedding(int (*run)(const char *), const char *script);

/* The call is not the last, so that this function is on the stack. */
int embedding(int (*run)(const char *), const char *script)
{
	return run(script) ? 3 : 0;
}

int main(int argc, char **argv)
{
	void *library = argc >= 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*initialize)(void);
	int (*run)(const char *);

	if (!library) {
		fprintf(stderr, "python_embedded: %s\n", argc >= 3 ? dlerror() : "LIBRARY SCRIPT");
		return 2;
	}
	*(void **)&initialize = dlsym(library, "Py_Initialize");
	*(void **)&run = dlsym(library, "PyRun_SimpleString");
	initialize();
	return embedding(run, argv[2]);
}
