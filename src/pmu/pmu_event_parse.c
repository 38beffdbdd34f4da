/* SPDX-License-Identifier: MIT */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "pmu_event.h"

static int put_modifiers(struct pmu_event *event, const char *modifiers, struct err *err)
{
	bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k');

	if (modifiers[strspn(modifiers, "uk")])
		return err_set(err, EINVAL,
			       "unknown modifier in '%s': u (user code) and k (the kernel) exist",
			       event->name);
	event->no_user = kernel && !user;
	event->no_kernel = user && !kernel;
	return 0;
}

/* Finds an event of the form rHEX. */
static bool is_raw(const char *name, struct pmu_event *event)
{
	char *end;

	if (name[0] != 'r' || !name[1] || strlen(name) > 17 ||
	    name[1 + strspn(name + 1, "0123456789abcdefABCDEF")])
		return false;
	event->type = PERF_TYPE_RAW;
	event->config[0] = strtoull(name + 1, &end, 16);
	return true;
}

static int parse_name(struct pmu_event *event, char *text, const char *sysfs, struct err *err)
{
	char *modifiers = strchr(text, ':');
	int status;

	if (modifiers)
		*modifiers++ = '\0';
	status = pmu_event_generic(text, event) ? 0 : pmu_event_find(text, sysfs, event, err);
	if (status == -ENOENT && is_raw(text, event))
		status = 0;
	if (status == -ENOENT)
		return err_set(err, EINVAL,
			       "unknown event '%s'; such as cycles, page-faults or "
			       "cpu/event=0x3c/ exist",
			       text);
	return status || !modifiers ? status : put_modifiers(event, modifiers, err);
}

static int parse_one(struct pmu_event *event, const char *text, const char *sysfs, struct err *err)
{
	char copy[PMU_EVENT_NAME_BYTES], *slash, *end;
	int status;

	*event = (struct pmu_event){ .scale = 1 };
	if (!*text || snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return err_set(err, EINVAL,
			       *text ? "the event '%s' is too long" : "an event has no name%s",
			       text);
	memcpy(event->name, copy, sizeof(copy));
	slash = strchr(copy, '/');
	if (!slash)
		return parse_name(event, copy, sysfs, err);
	end = strrchr(copy, '/');
	if (end == slash)
		return err_set(err, EINVAL, "'%s' needs a second slash: PMU/FIELD=VALUE/", text);
	*slash = *end = '\0';
	status = pmu_event_terms(copy, slash + 1, sysfs, event, err);
	return status ? status : put_modifiers(event, end + 1 + (end[1] == ':'), err);
}

/* Returns the length of the first event of a list: commas between slashes are its own. */
static size_t first_length(const char *text)
{
	bool is_inside = false;
	size_t i = 0;

	for (; text[i] && (is_inside || text[i] != ','); i++)
		is_inside ^= text[i] == '/';
	return i;
}

int pmu_event_parse(struct pmu_events *list, const char *text, const char *sysfs, struct err *err)
{
	size_t before = list->count;
	int status = 0;

	do {
		size_t length = first_length(text);
		struct pmu_event *more = vec_room(list->events, list->count, sizeof(*more));
		char *one = strndup(text, length);

		if (more)
			list->events = more;
		status = more && one ? parse_one(&more[list->count], one, sysfs, err)
				     : err_no_memory(err);
		free(one);
		if (!status)
			list->count++;
		text += length;
	} while (!status && *text++ == ',');
	if (status)
		list->count = before;
	return status;
}

void pmu_events_free(struct pmu_events *list)
{
	free(list->events);
	*list = (struct pmu_events){ 0 };
}
