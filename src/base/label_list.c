/* SPDX-License-Identifier: MIT */
#include "label_list.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decimal.h"
#include "vec.h"

/* Longer than any name of a thing; far below the longest item of a recording. */
#define KEY_MAX   128
#define VALUE_MAX 65536

/* The launcher's own variables precede those of the batch system that started the launcher. */
static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
				     "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "FLUX_TASK_RANK",
				     "SLURM_PROCID",         NULL };
static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID",      "LSB_JOBID",
				    "FLUX_JOB_ID",  "PMIX_NAMESPACE", NULL };

static size_t key_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/");
}

static struct label *find(const struct label_list *list, const char *key, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (strncmp(list->labels[i].key, key, length) == 0 && !list->labels[i].key[length])
			return &list->labels[i];
	return NULL;
}

/* Returns false for a rank that is not a number. */
static bool is_valid(const char *key, const char *value)
{
	uint64_t number;

	return strcmp(key, LABEL_RANK) != 0 || decimal_parse(value, INT32_MAX, &number);
}

/* Adds a pair, or replaces the value. */
static int set(struct label_list *list, const char *key, size_t length, const char *value,
	       struct err *err)
{
	struct label *label = find(list, key, length), *more;
	char *copy = strdup(value);

	if (copy && label) {
		free(label->value);
		label->value = copy;
		return 0;
	}
	more = vec_room(list->labels, list->count, sizeof(*more));
	if (more)
		list->labels = more;
	if (copy && more) {
		more[list->count] = (struct label){ strndup(key, length), copy };
		if (more[list->count].key) {
			list->count++;
			return 0;
		}
	}
	free(copy);
	return err_no_memory(err);
}

int label_list_add(struct label_list *list, const char *text, struct err *err)
{
	size_t length = key_length(text);
	const char *value = text + length + 1;

	if (!length || text[length] != '=')
		return err_set(err, EINVAL,
			       "invalid label '%s': must be KEY=VALUE, with a KEY of letters, "
			       "digits, '_', '.', '-' and '/'",
			       text);
	if (length > KEY_MAX || strlen(value) > VALUE_MAX)
		return err_set(err, EINVAL,
			       "the label '%.*s' is too long: must be at most %d bytes, and its "
			       "value %d",
			       KEY_MAX, text, KEY_MAX, VALUE_MAX);
	if (strncmp(text, LABEL_RANK "=", strlen(LABEL_RANK "=")) == 0 &&
	    !is_valid(LABEL_RANK, value))
		return err_set(err, EINVAL, "invalid rank '%s': must be a number", value);
	return set(list, text, length, value, err);
}

static const char *get(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Returns the value of a variable. Slurm gives a batch script the number of a task as well,
 * although no step runs in it: a program there is not a rank. */
static const char *variable(char *const *environment, const char *name)
{
	bool is_known = strcmp(name, "SLURM_PROCID") != 0 || get(environment, "SLURM_STEP_ID");

	return is_known ? get(environment, name) : NULL;
}

/* Adds the first of these variables that has a valid value. Names end with NULL. */
static int set_by(struct label_list *list, const char *key, const char *const *names,
		  char *const *environment, struct err *err)
{
	for (; *names; names++) {
		const char *value = variable(environment, *names);

		if (value && *value && strlen(value) <= VALUE_MAX && is_valid(key, value))
			return set(list, key, strlen(key), value, err);
	}
	return 0;
}

int label_list_complete(struct label_list *list, char *const *environment, struct err *err)
{
	char host[HOST_NAME_MAX + 1] = "";
	int status = 0;

	gethostname(host, sizeof(host) - 1);
	if (*host && !label_list_find(list, LABEL_HOST))
		status = set(list, LABEL_HOST, strlen(LABEL_HOST), host, err);
	if (!status && !label_list_find(list, LABEL_RANK))
		status = set_by(list, LABEL_RANK, ranks, environment, err);
	if (!status && !label_list_find(list, LABEL_JOB))
		status = set_by(list, LABEL_JOB, jobs, environment, err);
	return status;
}

const char *label_list_find(const struct label_list *list, const char *key)
{
	const struct label *label = find(list, key, strlen(key));

	return label ? label->value : NULL;
}

void label_list_free(struct label_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->labels[i].key);
		free(list->labels[i].value);
	}
	free(list->labels);
	*list = (struct label_list){ 0 };
}
