/* SPDX-License-Identifier: MIT */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "pmu_event.h"

struct generic {
	const char *name, *other; /* perf has two names for some */
	uint64_t config;
};

static const struct generic hardware[] = {
	{ "cycles", "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", "idle-cycles-frontend",
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES },
};

static const struct generic software[] = {
	{ "cpu-clock", NULL, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS },
};

/* CACHE-OPERATION and CACHE-OPERATION-misses; the plural of an operation alone counts accesses. */
static const struct generic caches[] = {
	{ "L1-dcache", NULL, PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", NULL, PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", NULL, PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", NULL, PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", NULL, PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", NULL, PERF_COUNT_HW_CACHE_BPU },
	{ "node", NULL, PERF_COUNT_HW_CACHE_NODE },
};

static const struct generic accesses[] = {
	{ "-loads", NULL,
	  PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16 },
	{ "-load-misses", NULL,
	  PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "-stores", NULL,
	  PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16 },
	{ "-store-misses", NULL,
	  PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "-prefetches", NULL,
	  PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16 },
	{ "-prefetch-misses", NULL,
	  PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct generic *find(const struct generic *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0 ||
		    (list[i].other && strcmp(list[i].other, name) == 0))
			return &list[i];
	return NULL;
}

static bool find_cache(const char *name, uint64_t *config)
{
	for (size_t i = 0; i < LENGTH(caches); i++) {
		size_t length = strlen(caches[i].name);
		const struct generic *access = NULL;

		if (strncmp(name, caches[i].name, length) == 0)
			access = find(accesses, LENGTH(accesses), name + length);
		if (access) {
			*config = caches[i].config | access->config;
			return true;
		}
	}
	return false;
}

bool pmu_event_generic(const char *name, struct pmu_event *event)
{
	const struct generic *found = find(hardware, LENGTH(hardware), name);

	event->type = PERF_TYPE_HARDWARE;
	if (!found) {
		event->type = PERF_TYPE_SOFTWARE;
		found = find(software, LENGTH(software), name);
	}
	if (found) {
		event->config[0] = found->config;
		if (event->type == PERF_TYPE_SOFTWARE && found->config <= PERF_COUNT_SW_TASK_CLOCK)
			snprintf(event->unit, sizeof(event->unit), "ns");
		return true;
	}
	event->type = PERF_TYPE_HW_CACHE;
	return find_cache(name, &event->config[0]);
}
