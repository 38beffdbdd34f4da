/* SPDX-License-Identifier: MIT */
#include "spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/vec.h"

static const char *const rooms[] = { [SPOOL_WAITING] = "waiting", [SPOOL_REJECTED] = "rejected" };

static int cannot(const char *what, const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot %s '%s': %s", what, path, strerror(code));
}

/* Returns the path of a thing in the folder; free it. NULL: no memory. */
static char *path_of(const struct spool *spool, const char *name, const char *inner)
{
	char *path;

	if (asprintf(&path, "%s/%s%s%s", spool->folder, name, inner ? "/" : "",
		     inner ? inner : "") < 0)
		return NULL;
	return path;
}

/* Creates a folder and those above it, which only their owner can read. */
static int make_folders(const char *path, struct err *err)
{
	char copy[PATH_MAX];

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return cannot("create", path, ENAMETOOLONG, err);
	for (char *at = copy + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(copy, 0700) && errno != EEXIST)
			return cannot("create", copy, errno, err);
		*at = '/';
	}
	if (mkdir(copy, 0700) && errno != EEXIST)
		return cannot("create", copy, errno, err);
	return 0;
}

/* Finds where the user's programs keep their state, as the XDG and systemd have it. */
static int default_state(char *path, size_t size, struct err *err)
{
	const char *systemd = getenv("STATE_DIRECTORY"), *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	int length;

	if (systemd && *systemd == '/')
		length = snprintf(path, size, "%.*s", (int)strcspn(systemd, ":"), systemd);
	else if (xdg && *xdg == '/')
		length = snprintf(path, size, "%s/dwell", xdg);
	else if (home && *home == '/')
		length = snprintf(path, size, "%s/.local/state/dwell", home);
	else
		return err_set(err, ENOENT, "cannot find a folder for state: give --state DIR");
	return length < (int)size ? 0 : cannot("create", path, ENAMETOOLONG, err);
}

/* Opens the lock, and waits until it is ours. */
static int take_lock(struct spool *spool, struct err *err)
{
	char *path = path_of(spool, "lock", NULL);
	int status = 0;

	if (!path)
		return err_no_memory(err);
	spool->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (spool->lock < 0 || flock(spool->lock, LOCK_EX))
		status = cannot("lock", path, errno, err);
	free(path);
	return status;
}

/* Notes the address, for people who look into the folder. */
static void write_url(const struct spool *spool)
{
	char *path = path_of(spool, "url", NULL);
	FILE *file = path ? fopen(path, "we") : NULL;

	if (file) {
		fprintf(file, "%s\n", spool->url);
		fclose(file);
	}
	free(path);
}

static int make_rooms(const struct spool *spool, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]) && !status; i++) {
		char *path = path_of(spool, rooms[i], NULL);

		status = path ? make_folders(path, err) : err_no_memory(err);
		free(path);
	}
	return status;
}

/* Returns the size of a kept message; 0 if it is not there. */
static uint64_t size_of(const struct spool *spool, enum spool_room room, const char *id)
{
	char *path = path_of(spool, rooms[room], id);
	struct stat info;
	uint64_t bytes = path && lstat(path, &info) == 0 ? (uint64_t)info.st_size : 0;

	free(path);
	return bytes;
}

/* Adds up what is kept. */
static int measure(struct spool *spool, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]) && !status; i++) {
		enum spool_room room = (enum spool_room)i;
		char(*ids)[SPOOL_ID_TEXT];
		size_t count;

		status = spool_list(spool, room, &ids, &count, err);
		for (size_t k = 0; k < count && !status; k++)
			spool->bytes += size_of(spool, room, ids[k]);
		free(ids);
	}
	return status;
}

/* Prepares the folder, whose name is set. The ledger may take a quarter of the limit. */
static int open_folder(struct spool *spool, uint64_t bytes_max, struct err *err)
{
	int status = make_rooms(spool, err);

	if (!status)
		status = take_lock(spool, err);
	if (!status)
		status = ledger_open(&spool->ledger, spool->folder, bytes_max / 4, err);
	if (!status)
		status = measure(spool, err);
	spool->bytes_max = bytes_max - bytes_max / 4;
	return status;
}

int spool_open(struct spool *spool, const struct spool_place *place, struct err *err)
{
	uint64_t key = hash_bytes(0, place->url, strlen(place->url));
	const char *state = place->state;
	char found[PATH_MAX];
	int status = 0;

	*spool = (struct spool){ .lock = -1, .url = strdup(place->url) };
	if (!state) {
		status = default_state(found, sizeof(found), err);
		state = found;
	}
	if (!status &&
	    (!spool->url || asprintf(&spool->folder, "%s/%s/%s-%016llx", state, place->verb,
				     place->name, (unsigned long long)key) < 0)) {
		spool->folder = NULL;
		status = err_no_memory(err);
	}
	if (!status)
		status = open_folder(spool, place->bytes_max, err);
	if (!status)
		write_url(spool);
	else
		spool_close(spool);
	return status;
}

void spool_close(struct spool *spool)
{
	if (spool->lock >= 0)
		close(spool->lock);
	free(spool->folder);
	free(spool->url);
	ledger_close(&spool->ledger);
	*spool = (struct spool){ .lock = -1 };
}

int spool_put(struct spool *spool, enum spool_room room, const struct spool_message *message,
	      struct err *err)
{
	uint64_t old = size_of(spool, room, message->id);
	char *folder;
	int status;

	if (spool->bytes - old + message->size > spool->bytes_max)
		return err_set(err, EDQUOT,
			       "no room for '%s' in '%s', which contains %llu of at most %llu "
			       "KB: " SPOOL_MAX_OPTION " sets another limit",
			       message->title, spool->folder,
			       (unsigned long long)(spool->bytes >> 10),
			       (unsigned long long)(spool->bytes_max >> 10));
	folder = path_of(spool, rooms[room], NULL);
	status = folder ? spool_file_write(folder, message->id, message, err) : err_no_memory(err);
	if (!status)
		spool->bytes += size_of(spool, room, message->id) - old;
	free(folder);
	return status;
}

bool spool_has(const struct spool *spool, enum spool_room room, const char *id)
{
	char *path = path_of(spool, rooms[room], id);
	bool has = path && access(path, F_OK) == 0;

	free(path);
	return has;
}

/* A kept message, to sort them. */
struct kept {
	char id[SPOOL_ID_TEXT];
	struct timespec time;
};

static int by_time(const void *left, const void *right)
{
	const struct kept *a = left, *b = right;

	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec < b->time.tv_nsec ? -1 : 1;
	return strcmp(a->id, b->id);
}

static struct kept *collect(DIR *directory, size_t *count)
{
	struct kept *list = NULL, *more;
	struct dirent *entry;
	struct stat info;

	while ((entry = readdir(directory))) {
		if (strlen(entry->d_name) != SPOOL_ID_TEXT - 1 || !spool_is_id(entry->d_name) ||
		    fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
			continue;
		more = vec_room(list, *count, sizeof(*list));
		if (!more)
			break;
		list = more;
		list[*count].time = info.st_mtim;
		memcpy(list[(*count)++].id, entry->d_name, SPOOL_ID_TEXT);
	}
	return list;
}

int spool_list(const struct spool *spool, enum spool_room room, char (**ids)[SPOOL_ID_TEXT],
	       size_t *count, struct err *err)
{
	char *path = path_of(spool, rooms[room], NULL);
	DIR *directory = path ? opendir(path) : NULL;
	struct kept *list;
	int status = 0;

	*count = 0;
	*ids = NULL;
	if (!directory) {
		status = path ? cannot("read", path, errno, err) : err_no_memory(err);
		free(path);
		return status;
	}
	list = collect(directory, count);
	closedir(directory);
	free(path);
	*ids = calloc(*count + 1, sizeof(**ids));
	if (list)
		qsort(list, *count, sizeof(*list), by_time);
	for (size_t i = 0; *ids && i < *count; i++)
		memcpy((*ids)[i], list[i].id, SPOOL_ID_TEXT);
	free(list);
	return *ids ? 0 : err_no_memory(err);
}

int spool_get(const struct spool *spool, enum spool_room room, const char *id,
	      struct spool_message *message, struct err *err)
{
	char *path = path_of(spool, rooms[room], id);
	int status = path ? spool_file_read(message, path, err) : err_no_memory(err);

	/* A token must not reach another server than the one it is for. */
	if (!status && (strcmp(message->id, id) != 0 ||
			strncmp(message->url, spool->url, strlen(spool->url)) != 0 ||
			!strchr("?&", message->url[strlen(spool->url)]))) {
		spool_message_free(message);
		status = err_set(err, EINVAL, "'%s' is a message for another server", path);
	}
	free(path);
	return status;
}

int spool_remove(struct spool *spool, enum spool_room room, const char *id, struct err *err)
{
	uint64_t bytes = size_of(spool, room, id);
	char *path = path_of(spool, rooms[room], id);
	int status = 0;

	if (!path)
		return err_no_memory(err);
	if (unlink(path) && errno != ENOENT)
		status = cannot("remove", path, errno, err);
	else
		spool->bytes -= bytes;
	free(path);
	return status;
}

int spool_parse_max(const char *text, uint64_t *bytes, struct err *err)
{
	static const char units[] = "KMG";
	const char *end = "", *unit = NULL;

	if (decimal_prefix(text, UINT32_MAX, bytes, &end) && *bytes && *end && !end[1])
		unit = strchr(units, *end);
	if (!unit)
		return err_set(err, EINVAL,
			       "invalid " SPOOL_MAX_OPTION " value '%s': must be a size such as "
			       "500M or 2G",
			       text);
	*bytes <<= 10 * (unit - units + 1);
	return 0;
}
