/* SPDX-License-Identifier: MIT
 *
 * test_profil.c - the three dialects of profil(), tick by tick.
 */
#include <string.h>

#include "fake_sampler.h"

#include "runtime/profil/profil.c"

#include "../../pages.h"

#define TEXT 0x401000

static unsigned short buffer[8];

static void clear(void)
{
	memset(buffer, 0, sizeof(buffer));
	profil_linux(NULL, 0, 0, 0);
}

static unsigned int sum(void)
{
	unsigned int total = 0;

	for (size_t i = 0; i < sizeof(buffer) / sizeof(buffer[0]); i++)
		total += buffer[i];
	return total;
}

/* ---- linux ---- */

static void linux_counts(void)
{
	clear();
	ok(profil_linux(buffer, sizeof(buffer), TEXT, 65536) == 0 && fake.sink, "linux: it runs");
	ok(fake_tick(TEXT) == SINK_COUNTED && fake_tick(TEXT + 1) == SINK_COUNTED && buffer[0] == 2,
	   "linux: the first two bytes of text are the first bin");
	fake_tick(TEXT + 2);
	fake_ticks(TEXT + 15, 3);
	ok(buffer[1] == 1 && buffer[7] == 3, "linux: and so on, late ticks by their weight");
	ok(fake_tick(TEXT + 16) == SINK_OUTSIDE && fake_tick(TEXT - 1) == SINK_OUTSIDE &&
		   fake_tick(0) == SINK_OUTSIDE && fake_tick(UINTPTR_MAX) == SINK_OUTSIDE,
	   "linux: addresses below or above have no counter");
	ok(sum() == 6, "linux: and is counted nowhere");
	buffer[0] = 65535;
	ok(fake_tick(TEXT) == SINK_COUNTED && buffer[0] == 0, "linux: 65535 + 1 is 0");
	ok(profil_linux(NULL, 0, 0, 0) == 0 && !fake.sink, "linux: NULL turns it off");
	ok(profil_linux(NULL, sizeof(buffer), TEXT, 65536) == 0 && !fake.sink,
	   "linux: whatever comes with it");
}

static void linux_scales(void)
{
	clear();
	ok(profil_linux(buffer, sizeof(buffer), 0, 0) == 0, "linux: scale 0 is accepted");
	ok(fake_tick(0) == SINK_COUNTED && fake_tick(TEXT) == SINK_COUNTED &&
		   fake_tick(UINTPTR_MAX) == SINK_COUNTED && buffer[0] == 3 && sum() == 3,
	   "linux: and counts everything in the first bin");
	clear();
	ok(profil_linux(buffer, sizeof(buffer), TEXT, 131072) == 0, "linux: so is 131072");
	fake_tick(TEXT + 2);
	ok(buffer[2] == 1 && sum() == 1, "linux: which is two bins for two bytes");
	clear();
	ok(profil_linux(buffer, sizeof(buffer), TEXT, UINT32_MAX) == 0 &&
		   fake_tick(TEXT) == SINK_COUNTED && fake_tick(TEXT + 2) == SINK_OUTSIDE,
	   "linux: there is no limit");
}

static void linux_replaces(void)
{
	unsigned short other[2] = { 0 };

	clear();
	profil_linux(buffer, sizeof(buffer), TEXT, 65536);
	fake_tick(TEXT);
	ok(profil_linux(other, sizeof(other), TEXT + 2, 65536) == 0 && fake_tick(TEXT + 2) == 0 &&
		   other[0] == 1 && sum() == 1,
	   "linux: a second call takes the place of the first");
	fake.refusal = EPERM;
	errno = 0;
	ok(profil_linux(buffer, sizeof(buffer), TEXT, 65536) == -1 && errno == EPERM,
	   "linux: where no clock is to be had, errno says why");
	fake.refusal = 0;
}

/* ---- sizes, in all dialects ---- */

static void start_dialect(int dialect, char *memory, size_t size)
{
	switch (dialect) {
	case PROFIL_LINUX:
		profil_linux((unsigned short *)memory, size, 0, 65536);
		break;
	case PROFIL_BSD:
		profil_bsd(memory, size, 0, 65536);
		break;
	case PROFIL_SOLARIS:
		profil_solaris((unsigned short *)memory, size, 0, 65536);
		break;
	}
}

static const char *const dialects[] = { "", "linux", "bsd", "solaris" };

/* A tick for every byte of text that could possibly reach memory[0..23]. */
static void sizes(int dialect)
{
	_Alignas(unsigned short) char memory[24];
	bool within = true, whole = true;

	for (size_t size = 0; size <= 16; size++) {
		clear();
		memset(memory, 0, sizeof(memory));
		start_dialect(dialect, memory, size);
		for (uintptr_t pc = 0; pc < 64; pc++)
			fake_tick(pc);
		for (size_t i = 0; i < sizeof(memory); i += 2) {
			unsigned short count;

			memcpy(&count, memory + i, sizeof(count));
			whole = whole && (i + 2 > size || count == 2);
			within = within && (i + 2 <= size || count == 0);
		}
	}
	ok(whole, "%s: every whole counter of an odd buffer is used", dialects[dialect]);
	ok(within, "%s: and not a byte behind", dialects[dialect]);
}

static void too_small(int dialect)
{
	for (size_t size = 0; size <= 1; size++) {
		char *guard = pages_new(1);

		pages_protect(guard, 1, PROT_NONE);
		clear();
		start_dialect(dialect, guard, size);
		ok(fake.sink && fake_tick(0) == SINK_OUTSIDE && fake.sink,
		   "%s: a buffer of %zu bytes runs and counts nothing", dialects[dialect], size);
		pages_unmap(guard, 1);
	}
}

static void gone_later(int dialect)
{
	char *page = pages_new(1);

	clear();
	start_dialect(dialect, page, page_size());
	ok(fake_tick(0) == SINK_COUNTED, "%s: a good buffer counts", dialects[dialect]);
	pages_unmap(page, 1);
	ok(fake_tick(0) == SINK_DONE, "%s: one that goes bad ends profiling", dialects[dialect]);
}

static void follows_fork(int dialect, bool follows)
{
	char memory[2];

	clear();
	start_dialect(dialect, memory, sizeof(memory));
	ok(fake.sink && fake.sink->follows_fork == follows, "%s: it %s in the child of a fork",
	   dialects[dialect], follows ? "goes on" : "ends");
	clear();
}

/* ---- bsd ---- */

static void bsd(void)
{
	_Alignas(2) char memory[8] = { 0 };
	unsigned short count;

	clear();
	ok(profil_bsd(memory + 1, 4, TEXT, 65536) == 0 && fake_tick(TEXT + 2) == SINK_COUNTED,
	   "bsd: the buffer may be at an odd address");
	memcpy(&count, memory + 3, sizeof(count));
	ok(count == 1, "bsd: and is counted in there");
	errno = 0;
	ok(profil_bsd(memory, 4, TEXT, 65537) == -1 && errno == EINVAL, "bsd: scale 65537: EINVAL");
	errno = 0;
	ok(profil_bsd(NULL, 4, TEXT, UINT32_MAX) == -1 && errno == EINVAL,
	   "bsd: also where the buffer is bad too");
	fake_tick(TEXT + 2);
	memcpy(&count, memory + 3, sizeof(count));
	ok(fake.sink && count == 2, "bsd: and what was running goes on as it was");
	memset(memory + 3, 0xff, 2);
	fake_tick(TEXT + 2);
	ok(memory[3] == 0 && memory[4] == 0, "bsd: 65535 + 1 is 0");
	ok(profil_bsd(memory, 4, TEXT, 0) == 0 && !fake.sink, "bsd: scale 0 turns it off");
	ok(profil_bsd(NULL, 4, TEXT, 0) == 0, "bsd: whatever the buffer");
	ok(profil_bsd(memory, 4, TEXT, 1) == 0 && fake.sink, "bsd: scale 1 does not");
}

static void bsd_bad_buffer(void)
{
	char *pages = pages_new(2);
	size_t page = page_size();

	clear();
	profil_bsd(pages, page, TEXT, 65536);
	errno = 0;
	ok(profil_bsd(NULL, 2, TEXT, 65536) == -1 && errno == EFAULT, "bsd: NULL: EFAULT");
	ok(!fake.sink, "bsd: and what was running has ended");
	pages_protect(pages + page, 1, PROT_READ);
	errno = 0;
	ok(profil_bsd(pages, page + 2, TEXT, 65536) == -1 && errno == EFAULT,
	   "bsd: a buffer that is bad at its end: EFAULT");
	ok(profil_bsd(pages, page + 1, TEXT, 65536) == 0, "bsd: the odd byte does not matter");
	clear();
}

/* ---- solaris ---- */

static void solaris(void)
{
	clear();
	profil_solaris(buffer, sizeof(buffer), TEXT, 65536);
	ok(fake_tick(TEXT + 3) == SINK_COUNTED && buffer[1] == 1, "solaris: it counts");
	profil_solaris(buffer, sizeof(buffer), 0, 2);
	fake_tick(65535);
	fake_tick(65536);
	ok(buffer[0] == 1 && buffer[1] == 2, "solaris: scale 2 is a counter for 65,536 bytes");
	profil_solaris(buffer, sizeof(buffer), TEXT, 65535);
	fake_tick(TEXT + 3);
	ok(buffer[1] == 3, "solaris: 3 * 65535 / 131072 is 1");
	ok(fake_tick(TEXT - 1) == SINK_OUTSIDE, "solaris: addresses below have no counter");
	profil_solaris(buffer, sizeof(buffer), TEXT, 1);
	ok(!fake.sink, "solaris: scale 1 turns it off");
	profil_solaris(buffer, sizeof(buffer), TEXT, 2);
	profil_solaris(buffer, sizeof(buffer), TEXT, 0);
	ok(!fake.sink, "solaris: so does 0");
	errno = 77;
	fake.refusal = EPERM;
	profil_solaris(buffer, sizeof(buffer), TEXT, 65536);
	fake.refusal = 0;
	ok(errno == 77, "solaris: it returns nothing, not even an errno");
}

static void solaris_full(void)
{
	struct sink *sink;

	clear();
	profil_solaris(buffer, sizeof(buffer), TEXT, 65536);
	sink = fake.sink;
	ok(fake_ticks(TEXT, 32766) == SINK_COUNTED && buffer[0] == 32766, "solaris: 32766 is fine");
	ok(fake_tick(TEXT + 2) == SINK_COUNTED, "solaris: others count too");
	ok(fake_tick(TEXT) == SINK_DONE && buffer[0] == 32767, "solaris: 32767 ends profiling");
	/* Handlers that run on other threads at that moment still have the sink. */
	ok(sink->take(sink, &(struct sink_ticks){ .pc = TEXT, .weight = 1 }) == SINK_DONE &&
		   sink->take(sink, &(struct sink_ticks){ .pc = TEXT + 2, .weight = 1 }) ==
			   SINK_DONE &&
		   buffer[0] == 32767 && buffer[1] == 1,
	   "solaris: nothing more is written, in no counter");
	clear();
	profil_solaris(buffer, sizeof(buffer), TEXT, 65536);
	ok(fake_tick(TEXT) == SINK_COUNTED && buffer[0] == 1, "solaris: until the next call");
	ok(fake_ticks(TEXT, 100000) == SINK_DONE && buffer[0] == 32767,
	   "solaris: a late tick does not pass the limit");
	clear();
	buffer[0] = 40000;
	profil_solaris(buffer, sizeof(buffer), TEXT, 65536);
	ok(fake_tick(TEXT) == SINK_DONE && buffer[0] == 40000,
	   "solaris: a counter that began above the limit is not touched");
}

/* ---- the end ---- */

static void what_is_owed(void)
{
	clear();
	profil_linux(buffer, sizeof(buffer), TEXT, 65536);
	fake.owed_pc = TEXT + 2;
	fake.owed = 4;
	profil_linux(NULL, 0, 0, 0);
	ok(buffer[1] == 4, "ticks that are owed when it is turned off are counted");
}

static void clock_info(void)
{
	struct profil_clock_info info;

	errno = 0;
	ok(profil_clock_info(NULL) == -1 && errno == EINVAL, "no place for the info: EINVAL");
	ok(profil_clock_info(&info) == 0 && strcmp(info.clock, "fake") == 0,
	   "the info is the sampler's");
}

int main(void)
{
	linux_counts();
	linux_scales();
	linux_replaces();
	for (int dialect = PROFIL_LINUX; dialect <= PROFIL_SOLARIS; dialect++) {
		sizes(dialect);
		too_small(dialect);
		gone_later(dialect);
		follows_fork(dialect, dialect != PROFIL_LINUX);
	}
	bsd();
	bsd_bad_buffer();
	solaris();
	solaris_full();
	what_is_owed();
	clock_info();
	return tap_done();
}
