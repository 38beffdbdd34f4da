/* SPDX-License-Identifier: MIT */
#include "attach/family.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/proc.h"
#include "base/decimal.h"
#include "base/vec.h"

struct relation {
	pid_t pid, parent;
};

struct list {
	struct relation *at;
	size_t count;
};

static int add(struct list *list, pid_t pid, pid_t parent)
{
	struct relation *more = vec_room(list->at, list->count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	list->at = more;
	more[list->count++] = (struct relation){ pid, parent };
	return 0;
}

/* Lists all living processes, with their parents. */
static int list_all(struct list *list)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	struct proc_stat stat;
	uint64_t pid;
	int status = 0;

	while (dir && !status && (entry = readdir(dir)))
		if (decimal_parse(entry->d_name, INT32_MAX, &pid) && (pid_t)pid != getpid() &&
		    proc_stat((pid_t)pid, &stat) == 0 && stat.state != 'Z' && stat.state != 'X')
			status = add(list, (pid_t)pid, stat.parent);
	if (dir)
		closedir(dir);
	return status;
}

static bool has(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/* Adds the children; there is room for all. */
static void add_children(pid_t *family, size_t *count, const struct list *all, pid_t parent)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].parent == parent && !has(family, *count, all->at[i].pid))
			family[(*count)++] = all->at[i].pid;
}

int family_of(const pid_t *pids, size_t count, pid_t **family, size_t *family_count)
{
	struct list all = { 0 };
	int status = list_all(&all);

	*family_count = 0;
	*family = status ? NULL : calloc(count + all.count + 1, sizeof(**family));
	if (*family) {
		for (size_t i = 0; i < count; i++)
			(*family)[(*family_count)++] = pids[i];
		for (size_t i = 0; i < *family_count; i++)
			add_children(*family, family_count, &all, (*family)[i]);
	}
	free(all.at);
	return *family ? 0 : -ENOMEM;
}
