/* SPDX-License-Identifier: MIT
 *
 * A buffer that is unmapped, made read-only or cut off while profiling runs: the program survives,
 * and profiling is off.
 */
#include <pcsample.h>
#include <sys/mman.h>

#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define SIZE 8192

static void *buffer;

static void start_linux(void)
{
	profil_linux(buffer, SIZE, (size_t)burn, 65536);
}

static void start_bsd(void)
{
	profil_bsd(buffer, SIZE, (unsigned long)burn, 65536);
}

static void start_solaris(void)
{
	profil_solaris(buffer, SIZE, (unsigned long)burn, 65536);
}

static void start_sprofil(void)
{
	struct prof regions[] = { { buffer, SIZE / 2, (size_t)burn, 65536 },
				  { (char *)buffer + SIZE / 2, 4, 0, 2 } };

	sprofil(regions, 2, NULL, PROF_UINT);
}

static void start_pcsample(void)
{
	pcsample(buffer, SIZE / sizeof(uintptr_t));
}

static void unmap(void)
{
	munmap(buffer, SIZE);
}

static void protect(void)
{
	mprotect(buffer, SIZE, PROT_READ);
}

static void hide(void)
{
	mprotect(buffer, SIZE, PROT_NONE);
}

/* Moves the memory, which remains mapped elsewhere. */
static void move(void)
{
	void *elsewhere = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mremap(buffer, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) != elsewhere)
		bail_out("memory cannot be moved");
}

static const struct {
	const char *name;
	void (*start)(void);
} calls[] = { { "profil_linux", start_linux },
	      { "profil_bsd", start_bsd },
	      { "profil_solaris", start_solaris },
	      { "sprofil", start_sprofil },
	      { "pcsample", start_pcsample } };

static const struct {
	const char *name;
	void (*spoil)(void);
} spoils[] = { { "unmapped", unmap },
	       { "made read-only", protect },
	       { "made inaccessible", hide },
	       { "moved", move } };

int main(void)
{
	setenv("PROFIL_HZ", "1000", 1);
	for (size_t c = 0; c < sizeof(calls) / sizeof(calls[0]); c++)
		for (size_t s = 0; s < sizeof(spoils) / sizeof(spoils[0]); s++) {
			bool ran;

			buffer = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			calls[c].start();
			burn(0.015);
			ran = clock_now().running;
			spoils[s].spoil();
			/* The first tick that follows turns it off: 10 ms at most. */
			burn(0.03);
			ok(ran && !clock_now().running, "%s: buffer %s, profiling is off",
			   calls[c].name, spoils[s].name);
			count_nothing();
			munmap(buffer, SIZE);
		}
	unsetenv("PROFIL_HZ");
	ok(count_everything() == 0, "and can be started again");
	burn(0.1);
	count_nothing();
	ok(everything[0] >= 8, "and counts");
	return tap_done();
}
