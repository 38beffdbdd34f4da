/* SPDX-License-Identifier: MIT */
#include "merge_survey.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/read/header.h"

/* In place of arguments that differ. */
#define FURTHER "..."

/* ---- commands ---- */

/* Returns how much the two have in common: whole arguments. */
static uint32_t common_bytes(const char *a, uint32_t a_size, const char *b, uint32_t b_size)
{
	uint32_t least = a_size < b_size ? a_size : b_size, common = 0;

	for (uint32_t i = 0; i < least && a[i] == b[i]; i++)
		if (a[i] == '\0')
			common = i + 1;
	return common;
}

static void take_command(struct merge_survey *survey, const struct record_header *header)
{
	uint32_t common = common_bytes(survey->command, survey->command_size, header->command,
				       header->command_size);

	if (header->command_size == survey->command_size &&
	    memcmp(header->command, survey->command, header->command_size) == 0)
		return;
	if (common > sizeof(survey->command) - sizeof(FURTHER))
		common = 0;
	memcpy(survey->command + common, FURTHER, sizeof(FURTHER));
	survey->command_size = common + sizeof(FURTHER);
}

/* ---- files ---- */

static uint64_t key_of(const struct stat *file)
{
	return hash_bytes(hash_bytes(0, &file->st_dev, sizeof(file->st_dev)), &file->st_ino,
			  sizeof(file->st_ino));
}

static bool is_file(const char *path, const struct stat *file)
{
	struct stat there;

	return stat(path, &there) == 0 && there.st_dev == file->st_dev &&
	       there.st_ino == file->st_ino;
}

static int check_twice(struct merge_survey *survey, const struct merge *merge, uint32_t number,
		       const struct stat *file, struct err *err)
{
	/* Others with the same key have the next keys. */
	for (uint64_t key = key_of(file);; key++) {
		uint32_t *place = hash_place(&survey->by_file, key);

		if (!place)
			return err_no_memory(err);
		if (*place == HASH_NONE) {
			*place = number;
			return 0;
		}
		if (is_file(merge->paths[*place], file))
			return err_set(err, EINVAL, "'%s' and '%s' are the same file",
				       merge->paths[*place], merge->paths[number]);
	}
}

static int read_header(int fd, const char *path, struct record_header *header, struct err *err)
{
	char bytes[HEADER_BYTES_MAX];
	ssize_t size = pread(fd, bytes, sizeof(bytes), 0);

	if (size < 0)
		return err_set(err, errno, "cannot read '%s': %s", path, strerror(errno));
	return header_read(header, bytes, (size_t)size, path, err);
}

static int look_at(struct merge_survey *survey, const struct merge *merge, uint32_t number, int fd,
		   struct err *err)
{
	const char *path = merge->paths[number];
	struct record_header header;
	struct stat file;
	int status;

	if (fstat(fd, &file))
		return err_set(err, errno, "cannot read '%s': %s", path, strerror(errno));
	status = check_twice(survey, merge, number, &file, err);
	if (!status)
		status = read_header(fd, path, &header, err);
	if (status)
		return status;
	survey->is_running[number] = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	survey->times[number] = merge_times_of(&header);
	if (number == 0) {
		survey->command_size = header.command_size;
		memcpy(survey->command, header.command, sizeof(survey->command));
	}
	take_command(survey, &header);
	return 0;
}

static int open_and_look(struct merge_survey *survey, const struct merge *merge, uint32_t number,
			 struct err *err)
{
	const char *path = merge->paths[number];
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	status = look_at(survey, merge, number, fd, err);
	close(fd);
	return status;
}

/* Fails before anything is read if the output would fail at the end. */
static int check_output(struct merge_survey *survey, const struct merge *merge, const char *output,
			struct err *err)
{
	struct stat file;
	const uint32_t *number;

	if (stat(output, &file))
		return 0;
	for (uint64_t key = key_of(&file); (number = hash_find(&survey->by_file, key)); key++)
		if (is_file(merge->paths[*number], &file))
			return err_set(err, EINVAL, "'%s' is both an input and the output",
				       merge->paths[*number]);
	if (merge->replace)
		return 0;
	return err_set(err, EEXIST, "'%s' already exists; --force replaces it", output);
}

int merge_survey_take(struct merge_survey *survey, const struct merge *merge, const char *output,
		      struct err *err)
{
	int status = 0;

	survey->times = calloc(merge->count, sizeof(*survey->times));
	survey->is_running = calloc(merge->count, sizeof(*survey->is_running));
	if (!survey->times || !survey->is_running)
		return err_no_memory(err);
	for (size_t i = 0; i < merge->count && !status; i++)
		status = open_and_look(survey, merge, (uint32_t)i, err);
	if (!status)
		status = check_output(survey, merge, output, err);
	if (!status)
		survey->clock = merge_clock_choose(survey->times, merge->count);
	return status;
}

void merge_survey_free(struct merge_survey *survey)
{
	free(survey->times);
	free(survey->is_running);
	hash_free(&survey->by_file);
	*survey = (struct merge_survey){ 0 };
}
