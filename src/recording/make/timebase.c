/* SPDX-License-Identifier: MIT */
#include "timebase.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ticks.h"

/* Reads the start of a file of the kernel's, as text. False: it cannot be read. */
static bool read_start(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length >= 0;
}

/* Returns true if the kernel uses the counter. The CPU may promise a steady counter when the kernel
 * has found that it is not, or that several CPUs differ. The clocks named here are the counter, or
 * a hypervisor's scale for it. */
static bool kernel_trusts_ticks(void)
{
	static const char *const trusted[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page" };
	char text[512], *rest = text;
	const char *word;

	if (!read_start("/sys/devices/system/clocksource/clocksource0/available_clocksource", text,
			sizeof(text)))
		return true;
	while ((word = strsep(&rest, " \n")))
		for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++)
			if (strcmp(word, trusted[i]) == 0)
				return true;
	return false;
}

int timebase_choose(enum record_clock *clock, struct err *err)
{
	const char *wanted = getenv("DWELL_CLOCK");

	if (!wanted || !*wanted)
		*clock = arch_ticks_steady() && kernel_trusts_ticks() ? RECORD_CLOCK_TICKS
								      : RECORD_CLOCK_NS;
	else if (strcmp(wanted, "ticks") == 0)
		*clock = RECORD_CLOCK_TICKS;
	else if (strcmp(wanted, "ns") == 0)
		*clock = RECORD_CLOCK_NS;
	else
		return err_set(err, EINVAL, "unknown DWELL_CLOCK value '%s' (expected ns or ticks)",
			       wanted);
	return 0;
}

static uint64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Reads one clock between two readings of the other; keeps the least interrupted of several
 * tries. */
struct record_instant timebase_beside(enum record_clock clock, clockid_t other)
{
	struct record_instant best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		uint64_t before = read_ns(other);
		uint64_t ticks =
			clock == RECORD_CLOCK_TICKS ? arch_ticks() : read_ns(CLOCK_MONOTONIC);
		uint64_t gap = read_ns(other) - before;

		if (gap >= best_gap)
			continue;
		best_gap = gap;
		best = (struct record_instant){ .ticks = ticks, .ns = before + gap / 2 };
	}
	return best;
}

struct record_instant timebase_now(enum record_clock clock)
{
	return timebase_beside(clock, CLOCK_MONOTONIC_RAW);
}

bool timebase_boot_id(uint8_t id[16])
{
	char text[64];
	size_t digits = 0;

	if (!read_start("/proc/sys/kernel/random/boot_id", text, sizeof(text)))
		return false;
	memset(id, 0, 16);
	for (const char *at = text; *at && digits < 32; at++) {
		char digit[] = { *at, '\0' };

		if (!isxdigit((unsigned char)*at))
			continue;
		id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | strtoul(digit, NULL, 16));
		digits++;
	}
	return digits == 32;
}
