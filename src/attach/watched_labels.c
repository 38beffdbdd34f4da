/* SPDX-License-Identifier: MIT */
#include "attach/watched_labels.h"

#include <string.h>

#include "attach/cgroup.h"
#include "attach/proc.h"
#include "base/label_list.h"

#define TEXT_BYTES 16384 /* of /proc/PID/cgroup: a line for each hierarchy */

static void write_label(struct room *names, const char *key, const char *value)
{
	size_t bytes = sizeof(struct record_label) + strlen(key) + strlen(value) + 2;
	struct record_label *label = room_take(names, (bytes + 7) & ~(size_t)7);

	if (!label)
		return;
	strcpy(stpcpy(label->text, key) + 1, value);
	room_publish(&label->item, RECORD_LABEL);
}

void watched_labels_write(struct room *names, pid_t pid, const char *cgroup)
{
	char text[TEXT_BYTES] = "", its[CGROUP_BYTES], container[CGROUP_CONTAINER_DIGITS + 1];

	proc_cgroup(pid, text, sizeof(text));
	/* It has ended, or was moved elsewhere since: it was in that one. */
	if (!cgroup_of(text, cgroup, its)) {
		const char *slash = strrchr(cgroup, '/');

		strncpy(its, slash ? slash : cgroup, sizeof(its) - 1);
		its[sizeof(its) - 1] = '\0';
	}
	write_label(names, LABEL_CGROUP, its);
	if (cgroup_container(its, container))
		write_label(names, LABEL_CONTAINER, container);
}
