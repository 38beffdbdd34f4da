/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "cli/report/progress.h"
#include "fleet/loader.h"
#include "fleet/store.h"
#include "output/table/units.h"

#define VERB "store"

struct arguments {
	const char *action;
	const char *to;
	const char *spool;
	uint32_t window_s;
	struct label_list labels;
	bool help;
	char *const *paths;
	size_t path_count;
};

/* Options without a short form. */
enum { TO = 256, LABEL, WINDOW, SPOOL };

static const struct option options[] = {
	{ "to", required_argument, NULL, TO },
	{ "label", required_argument, NULL, LABEL },
	{ "window", required_argument, NULL, WINDOW },
	{ "spool", required_argument, NULL, SPOOL },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell store init --to URL\n"
	"       dwell store load --to URL [OPTION...] [DATA|DIR...]\n"
	"\n"
	"Stores recordings of many machines in ClickHouse, where dwell query finds them. init\n"
	"creates the tables. load stores recordings, or all complete ones in a folder, each\n"
	"once. Samples that a server does not take are kept in the spool, which the next load\n"
	"sends first.\n"
	"\n"
	"      --to URL          clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE; each HOST\n"
	"                        is a shard\n"
	"      --label KEY=VALUE  set this label, such as service or version; may be repeated\n"
	"      --window SECONDS  sum up samples over this time [10]; must divide an hour\n"
	"      --spool DIR       keep here what could not be stored\n"
	"                        [~/.local/state/dwell/store]\n"
	"  -h, --help            show this help\n"
	"\n"
	"The password is read from DWELL_STORE_PASSWORD, or from the file that\n"
	"DWELL_STORE_PASSWORD_FILE names.\n"
	"\n"
	"examples:\n"
	"  dwell store init --to clickhouse://db1,db2/profiles\n"
	"  dwell store load --to clickhouse://db1,db2/profiles --label version=1.4 run-*.dwell\n";

static int take_label(struct arguments *arguments, const char *text)
{
	struct err err;

	return label_list_add(&arguments->labels, text, &err) ? cmd_fail(VERB, "%s", err.text) : 0;
}

static int take_window(struct arguments *arguments, const char *text)
{
	uint64_t seconds;

	if (!decimal_parse(text, PIECE_HOUR_S, &seconds) || !seconds || PIECE_HOUR_S % seconds)
		return cmd_fail(VERB,
				"invalid window '%s': must be a number of seconds that divides an "
				"hour, such as 10 or 60",
				text);
	arguments->window_s = (uint32_t)seconds;
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case TO:
		arguments->to = optarg;
		return 0;
	case LABEL:
		return take_label(arguments, optarg);
	case WINDOW:
		return take_window(arguments, optarg);
	case SPOOL:
		arguments->spool = optarg;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse(":h", options, take_option, arguments, argc, argv);

	if (status || arguments->help)
		return status;
	arguments->action = optind < argc ? argv[optind++] : "";
	arguments->paths = argv + optind;
	arguments->path_count = (size_t)(argc - optind);
	if (strcmp(arguments->action, "init") != 0 && strcmp(arguments->action, "load") != 0)
		return cmd_fail(VERB, "unknown action '%s' (expected init or load)",
				arguments->action);
	if (!arguments->to)
		return cmd_fail(VERB, "missing --to URL; see dwell store --help");
	if (*arguments->action == 'i' && arguments->path_count)
		return cmd_fail(VERB, "unexpected argument '%s': init takes no recordings",
				arguments->paths[0]);
	return 0;
}

/* The work of `dwell store load`. */
struct loading {
	const struct arguments *arguments;
	struct loader loader;
	size_t recordings, failed, unfinished;
};

static int load_samples(struct loading *loading, const struct reader *reader, struct err *err)
{
	const struct piece_options wishes = { loading->arguments->window_s,
					      &loading->arguments->labels };
	struct profile_filter filter = { .keep_samples = true };
	struct profile profile;
	struct piece piece;
	int status;

	if (!profile_exists(reader))
		return err_set(err, ENODATA, "'%s' contains no samples", reader->path);
	status = progress_read_profile(&profile, reader, &filter, err);
	if (status)
		return status;
	status = piece_make(&piece, reader, &profile, &wishes, err);
	if (!status) {
		status = loader_send(&loading->loader, &piece, err);
		piece_free(&piece);
	}
	profile_free(&profile);
	profile_filter_fini(&filter);
	return status;
}

/* Loads one recording, which is locked meanwhile, so that two loads do not store it twice. In a
 * folder, one that is still being written is left for later. */
/* Stores it, under a lock: a file is not stored twice at once, nor while it is being recorded. */
static int load_locked(struct loading *loading, struct reader *reader, const char *path,
		       struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), status = 0;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		status = err_set(err, EBUSY, "another dwell is recording or storing '%s'", path);
	if (!status && (reader->missing || reader->damaged))
		cmd_note(VERB, "'%s' is damaged or cut short: storing the part that is there",
			 path);
	if (!status)
		status = load_samples(loading, reader, err);
	if (fd >= 0)
		close(fd);
	return status;
}

static void load_file(struct loading *loading, const char *path, bool in_folder)
{
	struct reader reader;
	struct err err;
	int status = reader_open(&reader, path, &err);

	if (!status && in_folder && !reader.header.ended.ns) {
		loading->unfinished++;
		reader_close(&reader);
		return;
	}
	if (!status) {
		status = load_locked(loading, &reader, path, &err);
		reader_close(&reader);
		loading->recordings += !status;
	}
	if (!status)
		return;
	loading->failed++;
	if (status == -EEXIST)
		cmd_fail(VERB, "'%s' is not stored: %s", path, err.text);
	else
		cmd_fail(VERB, "%s", err.text);
}

static int is_shown(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static void load_folder(struct loading *loading, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_shown, alphasort);

	if (count < 0) {
		loading->failed++;
		cmd_fail(VERB, "cannot read '%s': %s", path, strerror(errno));
		return;
	}
	for (int i = 0; i < count; i++) {
		struct stat about;
		char *file = NULL;

		if (asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			file = NULL;
		if (file && stat(file, &about) == 0 && S_ISREG(about.st_mode))
			load_file(loading, file, true);
		free(file);
		free(entries[i]);
	}
	free(entries);
}

/* Prints what became of everything. Returns the exit status. */
static int conclude(const struct loading *loading)
{
	const struct loader_totals *totals = &loading->loader.totals;
	char rows[UNITS_BYTES], samples[UNITS_BYTES];

	cmd_note(VERB, "%zu recordings: %s samples stored as %s rows%s", loading->recordings,
		 units_count(samples, totals->samples), units_count(rows, totals->rows),
		 totals->known ? "; some were stored already" : "");
	if (loading->unfinished)
		cmd_note(VERB, "%zu recordings are still being written: not loaded yet",
			 loading->unfinished);
	if (totals->spooled)
		return cmd_fail(VERB, "%zu chunks are kept in '%s' for the next load: %s",
				totals->spooled, loading->loader.spool, loading->loader.last.text);
	return loading->failed ? CMD_FAILED : 0;
}

static void load_all(struct loading *loading)
{
	const struct arguments *arguments = loading->arguments;

	for (size_t i = 0; i < arguments->path_count; i++) {
		struct stat about;

		if (stat(arguments->paths[i], &about) == 0 && S_ISDIR(about.st_mode))
			load_folder(loading, arguments->paths[i]);
		else
			load_file(loading, arguments->paths[i], false);
	}
}

/* Returns the default spool; free with free(). */
static char *usual_spool(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool has_state = state && *state == '/';
	char *path;

	if (asprintf(&path, "%s%s/dwell/store",
		     has_state ? state
		     : home    ? home
			       : "/var/tmp",
		     has_state ? "" : "/.local/state") < 0)
		return NULL;
	return path;
}

static int load(const struct arguments *arguments, const struct server_url *url)
{
	struct loading loading = { .arguments = arguments };
	char *usual = usual_spool();
	struct err err;
	int status = usual ? loader_init(&loading.loader, url,
					 arguments->spool ? arguments->spool : usual, &err)
			   : err_no_memory(&err);

	if (!status) {
		status = loader_send_spool(&loading.loader, &err);
		if (status) {
			cmd_fail(VERB, "%s", err.text);
			loading.failed++;
		}
		load_all(&loading);
		status = conclude(&loading);
		loader_fini(&loading.loader);
	} else {
		status = cmd_fail(VERB, "%s", err.text);
	}
	free(usual);
	return status;
}

static int store(const struct arguments *arguments)
{
	struct server_url url;
	struct err err;
	int status = server_url_parse(&url, arguments->to, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	if (*arguments->action == 'l') {
		status = load(arguments, &url);
	} else {
		status = store_init(&url, &err);
		if (status)
			status = cmd_fail(VERB, "%s", err.text);
		else
			cmd_note(VERB, "the tables of '%s' are ready on %zu servers", url.database,
				 url.count);
	}
	server_url_free(&url);
	return status;
}

int cmd_store(int argc, char **argv)
{
	struct arguments arguments = { .window_s = PIECE_WINDOW_S };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = store(&arguments);
	label_list_free(&arguments.labels);
	return status;
}
