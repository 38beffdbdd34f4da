/* SPDX-License-Identifier: MIT
 *
 * pmu_event.h - an event that the kernel counts, by the names that perf uses:
 *
 *	NAME[:MODIFIERS]		a generic event, or one that a PMU names: cycles,
 *page-faults PMU/TERM[=VALUE],.../[MODIFIERS]	fields of a PMU as sysfs describes them
 *	rHEX[:MODIFIERS]		a raw number of the CPU's PMU
 *
 * MODIFIERS are u (user code) and k (the kernel); without any, both are counted.
 */
#ifndef DWELL_PMU_PMU_EVENT_H
#define DWELL_PMU_PMU_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PMU_EVENT_NAME_BYTES 128

/* The kernel's own description of its PMUs. */
#define PMU_EVENT_SYSFS "/sys/bus/event_source/devices"

struct pmu_event {
	char name[PMU_EVENT_NAME_BYTES];
	uint32_t type; /* as in struct perf_event_attr */
	uint64_t config[3];
	bool no_user, no_kernel;
	char unit[16]; /* "" for a plain count; "ns" for clocks */
	double scale;  /* of a count, to get the unit */
};

struct pmu_events {
	struct pmu_event *events;
	size_t count;
};

/* Adds the events of a text that has commas between them. On an error, the list stays as it was. */
int pmu_event_parse(struct pmu_events *list, const char *text, const char *sysfs, struct err *err);
void pmu_events_free(struct pmu_events *list);

/* Finds an event that every kernel knows by this name. Returns false if there is none. */
bool pmu_event_generic(const char *name, struct pmu_event *event);

/* Sets the fields that are between the slashes of PMU/TERMS/. */
int pmu_event_terms(const char *pmu, const char *terms, const char *sysfs, struct pmu_event *event,
		    struct err *err);

/* Finds an event that a PMU names. -ENOENT: none does. */
int pmu_event_find(const char *name, const char *sysfs, struct pmu_event *event, struct err *err);

#endif
