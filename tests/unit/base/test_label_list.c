/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/label_list.h"
#include "tap.h"

static const char *const variables[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK",     "PMI_RANK",
					 "MV2_COMM_WORLD_RANK",  "PALS_RANKID",   "FLUX_TASK_RANK",
					 "SLURM_PROCID",         "SLURM_STEP_ID", "PBS_JOBID",
					 "SLURM_JOB_ID",         "LSB_JOBID",     "FLUX_JOB_ID",
					 "PMIX_NAMESPACE" };

static void forget(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
}

static bool has(const struct label_list *list, const char *key, const char *expected)
{
	const char *value = label_list_find(list, key);

	return expected ? value && strcmp(value, expected) == 0 : !value;
}

static void given(void)
{
	struct label_list list = { 0 };
	struct err err;

	ok(!label_list_add(&list, "version=1.2", &err) && has(&list, "version", "1.2"),
	   "a label is kept");
	ok(!label_list_add(&list, "a.b/c-d_E9=it's \"so\"\nand = so", &err) &&
		   has(&list, "a.b/c-d_E9", "it's \"so\"\nand = so"),
	   "a value may be any text");
	ok(!label_list_add(&list, "version=", &err) && has(&list, "version", "") && list.count == 2,
	   "the last value of a key counts, even an empty one");
	ok(has(&list, "vers", NULL) && has(&list, "version1", NULL), "keys are whole");
	label_list_free(&list);
}

static void refuses(const char *text, const char *words)
{
	struct label_list list = { 0 };
	struct err err = { "" };
	int status = label_list_add(&list, text, &err);

	if (!ok(status < 0 && strstr(err.text, words) && list.count == 0, "refused: %.20s", text))
		note("%d %s", status, err.text);
	label_list_free(&list);
}

static void invalid(void)
{
	static char text[70000];

	refuses("", "must be KEY=VALUE");
	refuses("key", "must be KEY=VALUE");
	refuses("=value", "must be KEY=VALUE");
	refuses("a key=value", "must be KEY=VALUE");
	refuses("rank=first", "invalid rank 'first': must be a number");
	refuses("rank=", "invalid rank ''");
	memset(text, 'k', 129);
	strcpy(text + 129, "=v");
	refuses(text, "is too long");
	strcpy(text, "key=");
	memset(text + 4, 'v', sizeof(text) - 5);
	refuses(text, "is too long");
}

static void found(void)
{
	struct label_list list = { 0 };
	char host[256] = "";
	struct err err;

	gethostname(host, sizeof(host) - 1);
	setenv("PMIX_NAMESPACES", "only begins like another", 1);
	ok(!label_list_complete(&list, environ, &err) && has(&list, "host", host) &&
		   has(&list, "rank", NULL) && has(&list, "job", NULL),
	   "a program without a launcher has a host alone");
	label_list_free(&list);
	setenv("SLURM_PROCID", "7", 1);
	setenv("SLURM_JOB_ID", "4711", 1);
	setenv("PMI_RANK", "not known", 1);
	ok(!label_list_complete(&list, environ, &err) && has(&list, "rank", NULL) &&
		   has(&list, "job", "4711"),
	   "a batch script of Slurm has no rank");
	label_list_free(&list);
	setenv("SLURM_STEP_ID", "0", 1);
	ok(!label_list_complete(&list, environ, &err) && has(&list, "rank", "7") &&
		   has(&list, "job", "4711") && list.count == 3,
	   "the batch system knows the rank and the job; a rank has to be a number");
	label_list_free(&list);
	setenv("OMPI_COMM_WORLD_RANK", "3", 1);
	ok(!label_list_complete(&list, environ, &err) && has(&list, "rank", "3"),
	   "the launcher precedes the batch system that started it");
	label_list_free(&list);
	if (label_list_add(&list, "rank=12", &err) || label_list_add(&list, "host=here", &err))
		bail_out(err.text);
	ok(!label_list_complete(&list, environ, &err) && has(&list, "rank", "12") &&
		   has(&list, "host", "here") && has(&list, "job", "4711") && list.count == 3,
	   "the user precedes both");
	label_list_free(&list);
}

int main(void)
{
	forget();
	given();
	invalid();
	found();
	return tap_done();
}
