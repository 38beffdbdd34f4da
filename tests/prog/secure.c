/* SPDX-License-Identifier: MIT
 *
 * secure.c [WHAT LIBRARY DATA] - prints whether it has rights that its caller does not have, and
 * whether a library of dwell was loaded into it; then loads one itself, and prints whether that
 * does what the environment asks for:
 *
 *	attach	libdwell-record.so or libdwell-calls.so: is DATA mapped?
 *	audit	libdwell-audit.so: does it want to be the linker's auditor?
 *	profil	libprofil.so: does it start, whatever PROFIL_HZ says?
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static bool is_mapped(const char *text)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[8192];
	bool found = false;

	while (maps && fgets(line, sizeof(line), maps))
		found = found || strstr(line, text);
	if (maps)
		fclose(maps);
	return found;
}

static bool is_auditor(void *library)
{
	unsigned (*version)(unsigned) = (unsigned (*)(unsigned))dlsym(library, "la_version");

	return version && version(1) != 0;
}

static bool is_profiled(void *library)
{
	static unsigned short counters[64];
	int (*profil)(unsigned short *, size_t, size_t, unsigned) =
		(int (*)(unsigned short *, size_t, size_t, unsigned))dlsym(library, "profil");

	return profil && profil(counters, sizeof(counters), (size_t)is_mapped, 65536) == 0;
}

int main(int argc, char **argv)
{
	void *library;

	printf("secure %d loaded %d\n", getauxval(AT_SECURE) != 0, is_mapped("libdwell-"));
	if (argc < 4)
		return 0;
	library = dlopen(argv[2], RTLD_NOW);
	if (!library) {
		printf("%s\n", dlerror());
		return 1;
	}
	if (strcmp(argv[1], "attach") == 0)
		printf("does %d\n", is_mapped(argv[3]));
	else if (strcmp(argv[1], "audit") == 0)
		printf("does %d\n", is_auditor(library));
	else
		printf("does %d\n", is_profiled(library));
	return 0;
}
