/* SPDX-License-Identifier: MIT
 *
 * test_pmu_event.c - names of events, and PMUs as a folder describes them that has the shape of
 * sysfs.
 */
#include "pmu/pmu_event.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static char sysfs[] = "/tmp/dwell-test-pmu-XXXXXX";

static void put(const char *file, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", sysfs, file);
	if (!text) {
		if (mkdir(path, 0700))
			bail_out("no folder can be made");
		return;
	}
	out = fopen(path, "we");
	if (!out || fputs(text, out) < 0 || fclose(out))
		bail_out("no file can be written");
}

static void make_sysfs(void)
{
	if (!mkdtemp(sysfs))
		bail_out("no folder can be made");
	put("cpu", NULL);
	put("cpu/type", "4\n");
	put("cpu/format", NULL);
	put("cpu/format/event", "config:0-7,32-35\n");
	put("cpu/format/umask", "config:8-15\n");
	put("cpu/format/edge", "config:18\n");
	put("cpu/format/ldlat", "config1:0-15\n");
	put("cpu/format/odd", "config9:0-15\n");
	put("cpu/format/reversed", "config:7-0\n");
	put("cpu/events", NULL);
	put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put("cpu/events/unknown-field", "frobnicate=1\n");
	put("power", NULL);
	put("power/type", "13\n");
	put("power/format", NULL);
	put("power/format/event", "config:0-7\n");
	put("power/events", NULL);
	put("power/events/energy-pkg", "event=0x02\n");
	put("power/events/energy-pkg.scale", "2.5e-10\n");
	put("power/events/energy-pkg.unit", "Joules\n");
}

static struct pmu_events list;
static struct err err;

/* Parses a single event; one that fails is all zeroes. */
static struct pmu_event parsed(const char *text)
{
	struct pmu_event event = { 0 };

	pmu_events_free(&list);
	if (!pmu_event_parse(&list, text, sysfs, &err) && list.count == 1)
		event = list.events[0];
	return event;
}

static bool is(const char *text, uint32_t type, uint64_t config)
{
	struct pmu_event event = parsed(text);

	return event.type == type && event.config[0] == config && event.scale == 1 &&
	       strcmp(event.name, text) == 0;
}

static void generic(void)
{
	ok(is("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) &&
		   is("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
	   "both names of an event");
	ok(is("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS), "a software event");
	ok(is("LLC-load-misses", PERF_TYPE_HW_CACHE, 2 | 0 << 8 | 1 << 16) &&
		   is("L1-dcache-stores", PERF_TYPE_HW_CACHE, 0 | 1 << 8 | 0 << 16),
	   "events of caches");
	ok(strcmp(parsed("task-clock").unit, "ns") == 0 && !*parsed("faults").unit,
	   "clocks count nanoseconds");
	ok(is("r1a3", PERF_TYPE_RAW, 0x1a3), "a raw number");
}

static void modifiers(void)
{
	struct pmu_event user = parsed("cycles:u"), kernel = parsed("cycles:k"),
			 both = parsed("cycles:uk");

	ok(user.no_kernel && !user.no_user && user.type == PERF_TYPE_HARDWARE, "user code alone");
	ok(kernel.no_user && !kernel.no_kernel, "the kernel alone");
	ok(!both.no_user && !both.no_kernel && *both.name, "both");
	ok(parsed("cpu/event=1/u").no_kernel && parsed("cpu/event=1/:u").no_kernel,
	   "of a PMU's event");
}

static void pmus(void)
{
	struct pmu_event energy;

	ok(is("cpu/event=0x3c/", 4, 0x3c), "a field of a PMU");
	ok(is("cpu/event=0x1c2,umask=0x1,edge/", 4, UINT64_C(1) << 32 | 0xc2 | 0x1 << 8 | 1 << 18),
	   "bits of a field that are apart, and a field of one bit");
	ok(is("cpu/config=0xff00ff/", 4, 0xff00ff), "the whole word");
	ok(is("cpu/mem-loads/", 4, 0xcd | 1 << 8) && list.events[0].config[1] == 3,
	   "an event that the PMU names");
	ok(is("cpu/mem-loads,ldlat=50/", 4, 0xcd | 1 << 8) && list.events[0].config[1] == 50,
	   "with another value");
	ok(is("mem-loads", 4, 0xcd | 1 << 8), "without its PMU");
	energy = parsed("power/energy-pkg/");
	ok(energy.type == 13 && energy.config[0] == 2 && energy.scale == 2.5e-10 &&
		   strcmp(energy.unit, "Joules") == 0,
	   "with a unit and its scale");
}

static void refused(const char *text, const char *why)
{
	size_t before = list.count;

	ok(pmu_event_parse(&list, text, sysfs, &err) < 0 && strstr(err.text, why) &&
		   list.count == before,
	   "refused: %s: %s", text, err.text);
}

static void lists(void)
{
	pmu_events_free(&list);
	ok(!pmu_event_parse(&list, "cycles,cpu/event=1,umask=2/u,faults", sysfs, &err) &&
		   list.count == 3 && list.events[1].config[0] == 0x201 &&
		   strcmp(list.events[2].name, "faults") == 0,
	   "commas between slashes belong to an event");
	refused("cycles,", "no name");
	refused("", "no name");
	refused("cycles,nonsense", "unknown event 'nonsense'");
	refused("rxyz", "unknown event 'rxyz'");
	refused("r12345678901234567", "unknown event");
	refused("cycles:z", "unknown modifier");
	refused("gpu/event=1/", "no PMU 'gpu'");
	refused("../cpu/event=1/", "no PMU '..'");
	refused("cpu/event=1", "second slash");
	refused("cpu/event=hot/", "needs a number");
	refused("cpu/event=0x1000/", "no room for 0x1000");
	refused("cpu/nonsense=1/", "'nonsense' is not a field");
	refused("cpu/odd=1/", "'odd' is not a field");
	refused("cpu/reversed=1/", "'reversed' is not a field");
	refused("cpu/unknown-field/", "'frobnicate' is not a field");
	refused("cpu/..=1/", "is not a field");
}

int main(void)
{
	char remove[64];

	make_sysfs();
	generic();
	modifiers();
	pmus();
	lists();
	pmu_events_free(&list);
	snprintf(remove, sizeof(remove), "rm -r %s", sysfs);
	if (system(remove))
		note("%s is left", sysfs);
	return tap_done();
}
