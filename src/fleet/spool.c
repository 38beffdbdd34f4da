/* SPDX-License-Identifier: MIT */
#include "spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "spool_file.h"

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

static int keep_id(struct spool *spool, const char *id, struct err *err)
{
	char(*more)[RECEIVER_ID_TEXT] = vec_room(spool->sent, spool->sent_count, sizeof(*more));
	uint64_t key = hash_bytes(0, id, RECEIVER_ID_TEXT - 1);
	uint32_t *place;

	if (!more)
		return err_no_memory(err);
	spool->sent = more;
	memcpy(spool->sent[spool->sent_count], id, RECEIVER_ID_TEXT - 1);
	spool->sent[spool->sent_count][RECEIVER_ID_TEXT - 1] = '\0';
	do
		place = hash_place(&spool->by_id, key++);
	while (place && *place != HASH_NONE);
	if (!place)
		return err_no_memory(err);
	*place = (uint32_t)spool->sent_count++;
	return 0;
}

static bool is_id(const char *text, size_t size)
{
	return size >= RECEIVER_ID_TEXT - 1 &&
	       strspn(text, "0123456789abcdef") == RECEIVER_ID_TEXT - 1;
}

/* Reads the ledger. A line that is cut, as by a full disk, is ignored. */
static int read_ledger(struct spool *spool, struct err *err)
{
	char *path = path_of(spool, "ledger", NULL), *line = NULL;
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t room = 0;
	ssize_t length;
	int status = 0;

	if (!path)
		return err_no_memory(err);
	if (!file && errno != ENOENT)
		status = cannot("read", path, errno, err);
	while (file && !status && (length = getline(&line, &room, file)) > 0)
		if (line[length - 1] == '\n' && is_id(line, (size_t)length))
			status = keep_id(spool, line, err);
	if (file)
		fclose(file);
	free(line);
	free(path);
	return status;
}

/* Notes the address, for people who look into the folder. */
static void write_url(const struct spool *spool, const struct receiver *receiver)
{
	char *path = path_of(spool, "url", NULL);
	FILE *file = path ? fopen(path, "we") : NULL;

	if (file) {
		fprintf(file, "%s\n", receiver->url);
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

int spool_open(struct spool *spool, const char *state, const struct receiver *receiver,
	       struct err *err)
{
	uint64_t key = hash_bytes(0, receiver->url, strlen(receiver->url));
	char found[PATH_MAX];
	int status = 0;

	*spool = (struct spool){ .lock = -1 };
	if (!state) {
		status = default_state(found, sizeof(found), err);
		state = found;
	}
	if (!status && asprintf(&spool->folder, "%s/push/%s-%016llx", state,
				receiver->protocol->name, (unsigned long long)key) < 0) {
		spool->folder = NULL;
		status = err_no_memory(err);
	}
	if (!status)
		status = make_rooms(spool, err);
	if (!status)
		status = take_lock(spool, err);
	if (!status)
		status = read_ledger(spool, err);
	if (!status)
		write_url(spool, receiver);
	else
		spool_close(spool);
	return status;
}

void spool_close(struct spool *spool)
{
	if (spool->lock >= 0)
		close(spool->lock);
	free(spool->folder);
	free(spool->sent);
	hash_free(&spool->by_id);
	*spool = (struct spool){ .lock = -1 };
}

bool spool_was_sent(const struct spool *spool, const char *id)
{
	uint64_t key = hash_bytes(0, id, RECEIVER_ID_TEXT - 1);
	uint32_t *place;

	while ((place = hash_find(&spool->by_id, key++)))
		if (strcmp(spool->sent[*place], id) == 0)
			return true;
	return false;
}

/* Appends a line by one call, and waits until it is on the disk. A cut line before it is ended. */
static int append(int fd, const char *id, const char *outcome)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char line[128], last = '\n';
	int length;

	if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
		return -EIO;
	length = snprintf(line, sizeof(line), "%s%s %lld %s\n", last == '\n' ? "" : "\n", id,
			  (long long)time(NULL), outcome);
	if (write(fd, line, (size_t)length) != length)
		return errno ? -errno : -EIO;
	return fsync(fd) ? -errno : 0;
}

int spool_note_sent(struct spool *spool, const char *id, const char *outcome, struct err *err)
{
	char *path = path_of(spool, "ledger", NULL);
	int fd, status;

	if (!path)
		return err_no_memory(err);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	errno = fd < 0 ? errno : 0;
	status = fd < 0 ? -errno : append(fd, id, outcome);
	if (fd >= 0)
		close(fd);
	if (status)
		status = cannot("write", path, -status, err);
	free(path);
	return status ? status : keep_id(spool, id, err);
}

int spool_put(const struct spool *spool, enum spool_room room,
	      const struct receiver_message *message, struct err *err)
{
	char *folder = path_of(spool, rooms[room], NULL);
	int status =
		folder ? spool_file_write(folder, message->id, message, err) : err_no_memory(err);

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
	char id[RECEIVER_ID_TEXT];
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
		if (strlen(entry->d_name) != RECEIVER_ID_TEXT - 1 ||
		    !is_id(entry->d_name, RECEIVER_ID_TEXT - 1) ||
		    fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
			continue;
		more = vec_room(list, *count, sizeof(*list));
		if (!more)
			break;
		list = more;
		list[*count].time = info.st_mtim;
		memcpy(list[(*count)++].id, entry->d_name, RECEIVER_ID_TEXT);
	}
	return list;
}

int spool_list(const struct spool *spool, enum spool_room room, char (**ids)[RECEIVER_ID_TEXT],
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
		memcpy((*ids)[i], list[i].id, RECEIVER_ID_TEXT);
	free(list);
	return *ids ? 0 : err_no_memory(err);
}

int spool_get(const struct spool *spool, enum spool_room room, const char *id,
	      const struct receiver *receiver, struct receiver_message *message, struct err *err)
{
	char *path = path_of(spool, rooms[room], id);
	int status = path ? spool_file_read(message, path, err) : err_no_memory(err);

	/* A token must not reach another server than the one it is for. */
	if (!status && (strcmp(message->id, id) != 0 ||
			strncmp(message->url, receiver->url, strlen(receiver->url)) != 0 ||
			!strchr("?&", message->url[strlen(receiver->url)]))) {
		receiver_message_free(message);
		status = err_set(err, EINVAL, "'%s' is a message for another receiver", path);
	}
	free(path);
	return status;
}

int spool_remove(const struct spool *spool, enum spool_room room, const char *id, struct err *err)
{
	char *path = path_of(spool, rooms[room], id);
	int status = 0;

	if (!path)
		return err_no_memory(err);
	if (unlink(path) && errno != ENOENT)
		status = cannot("remove", path, errno, err);
	free(path);
	return status;
}
