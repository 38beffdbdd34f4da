/* SPDX-License-Identifier: MIT */
#include "attach/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

#define PROCS            "cgroup.procs"
#define DEPTH_MAX        64 /* of cgroups in each other */
#define CONTAINER_DIGITS 64 /* of a container's number, which is a hash */

/* ---- which cgroup ---- */

static bool is_cgroup(const char *path)
{
	char procs[4096];

	return snprintf(procs, sizeof(procs), "%s/" PROCS, path) < (int)sizeof(procs) &&
	       access(procs, F_OK) == 0;
}

int cgroup_find(const char *name, char **path, struct err *err)
{
	/* As a directory; below version 2, alone or beside version 1; below version 1. */
	static const char *const places[] = { "", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/",
					      "/sys/fs/cgroup/systemd/" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *there;

		if (asprintf(&there, "%s%s", places[i], name) < 0)
			return err_no_memory(err);
		*path = is_cgroup(there) ? realpath(there, NULL) : NULL;
		free(there);
		if (*path)
			return 0;
	}
	return err_set(err, ENOENT,
		       "no cgroup '%s': expected a directory with " PROCS
		       ", or its path below /sys/fs/cgroup",
		       name);
}

/* ---- its processes ---- */

struct pids {
	pid_t *list;
	size_t count;
};

static int add(struct pids *pids, pid_t pid)
{
	pid_t *more = vec_room(pids->list, pids->count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	pids->list = more;
	more[pids->count++] = pid;
	return 0;
}

/* Adds the processes of one cgroup. In another namespace, a process has the number 0 here. */
static int add_procs(struct pids *pids, const char *path)
{
	char procs[4096];
	FILE *in;
	int pid, status = 0;

	snprintf(procs, sizeof(procs), "%s/" PROCS, path);
	in = fopen(procs, "re");
	if (!in)
		return -errno;
	while (!status && fscanf(in, "%d", &pid) == 1)
		if (pid > 0)
			status = add(pids, pid);
	fclose(in);
	return status;
}

static int add_below(struct pids *pids, const char *path, unsigned depth);

/* Adds those of a cgroup in this one, which may just have been removed. */
static int add_inner(struct pids *pids, const char *path, const char *name, unsigned depth)
{
	char inner[4096];
	int status;

	if (snprintf(inner, sizeof(inner), "%s/%s", path, name) >= (int)sizeof(inner))
		return 0;
	status = add_below(pids, inner, depth + 1);
	return status == -ENOENT || status == -ENODEV ? 0 : status;
}

static int add_below(struct pids *pids, const char *path, unsigned depth)
{
	int status = add_procs(pids, path);
	DIR *dir = status || depth == DEPTH_MAX ? NULL : opendir(path);
	const struct dirent *entry;

	while (dir && !status && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			status = add_inner(pids, path, entry->d_name, depth);
	if (dir)
		closedir(dir);
	return status;
}

int cgroup_list(const char *path, pid_t **pids, size_t *count)
{
	struct pids found = { 0 };
	int status = add_below(&found, path, 0);

	if (status) {
		free(found.list);
		found = (struct pids){ 0 };
	}
	*pids = found.list;
	*count = found.count;
	return status == -ENODEV ? -ENOENT : status;
}

/* ---- labels ---- */

/* Returns how much of the end of a directory's path is the beginning of a cgroup's: that of another
 * hierarchy has nothing in common with it. */
static size_t common_length(const char *directory, const char *cgroup)
{
	for (const char *end = strchr(directory, '/'); end; end = strchr(end + 1, '/')) {
		size_t length = strlen(end);

		if (length > 1 && strncmp(cgroup, end, length) == 0 &&
		    (!cgroup[length] || cgroup[length] == '/'))
			return length;
	}
	return 0;
}

bool cgroup_of(const char *text, const char *path, char cgroup[CGROUP_BYTES])
{
	size_t best = 0;

	/* A line is NUMBER:CONTROLLERS:PATH. */
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = memchr(line, ':', strcspn(line, "\n"));
		char its[CGROUP_BYTES];
		size_t common;

		at = at ? memchr(at + 1, ':', strcspn(at + 1, "\n")) : NULL;
		if (!at || strcspn(at + 1, "\n") >= sizeof(its))
			continue;
		snprintf(its, sizeof(its), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
		common = common_length(path, its);
		if (common > best) {
			best = common;
			memcpy(cgroup, its, sizeof(its));
		}
	}
	return best;
}

bool cgroup_container(const char *cgroup, char number[CGROUP_CONTAINER_DIGITS + 1])
{
	size_t digits = 0;

	for (const char *at = cgroup; *at; at += digits ? digits : 1) {
		digits = strspn(at, "0123456789abcdef");
		if (digits != CONTAINER_DIGITS)
			continue;
		snprintf(number, CGROUP_CONTAINER_DIGITS + 1, "%s", at);
		return true;
	}
	return false;
}
