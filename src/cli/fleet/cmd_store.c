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
	struct loader_options loader;
	uint32_t window_s;
	struct label_list labels;
	bool help;
	char *const *paths;
	size_t path_count;
};

/* Options without a short form. */
enum { TO = 256, LABEL, WINDOW, CA, STATE, STATE_MAX };

static const struct option options[] = {
	{ "to", required_argument, NULL, TO },
	{ "label", required_argument, NULL, LABEL },
	{ "window", required_argument, NULL, WINDOW },
	{ "ca", required_argument, NULL, CA },
	{ "state", required_argument, NULL, STATE },
	{ "state-max", required_argument, NULL, STATE_MAX },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell store init --to URL\n"
	"       dwell store load --to URL [OPTION...] [DATA|DIR...]\n"
	"\n"
	"Stores recordings of many machines in ClickHouse, where dwell query finds them. init\n"
	"creates the tables. load stores recordings, or all complete ones in a folder, each\n"
	"once: samples and counted calls. Chunks that a server does not take are kept in the\n"
	"spool, which the next load sends first.\n"
	"\n"
	"      --to URL          clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE; each HOST\n"
	"                        is a shard; with TLS: clickhouses://...\n"
	"      --ca FILE         trust the certificates in FILE [those of the system]\n"
	"      --label KEY=VALUE  set this label, such as service or version; may be repeated\n"
	"      --window SECONDS  sum up samples over this time [10]; must divide an hour\n"
	"      --state DIR       folder for what could not be stored [~/.local/state/dwell]\n"
	"      --state-max SIZE  limit for what is kept of each server there [1G]\n"
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

static int take_max(struct arguments *arguments, const char *text)
{
	struct err err;

	return spool_parse_max(text, &arguments->loader.state_max, &err)
		       ? cmd_fail(VERB, "%s", err.text)
		       : 0;
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
	case CA:
		arguments->loader.tls.authorities = optarg;
		return 0;
	case STATE:
		arguments->loader.state = optarg;
		return 0;
	case STATE_MAX:
		return take_max(arguments, optarg);
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

/* Sends the samples of a profile, which may be NULL, and all calls. */
static int load_piece(struct loading *loading, const struct reader *reader,
		      const struct profile *profile, struct err *err)
{
	const struct piece_options wishes = { loading->arguments->window_s,
					      &loading->arguments->labels };
	const struct record_event *event = reader_event(reader);
	struct piece piece;
	int status;

	if (event)
		return err_set(err, ENOTSUP, "a store contains time, and its samples count %s",
			       event->text);
	status = piece_make(&piece, reader, profile, &wishes, err);
	if (status)
		return status;
	if (!piece.count && !piece.calls.count)
		status = err_set(err, ENODATA, "'%s' contains neither samples nor calls",
				 reader->path);
	else
		status = loader_send(&loading->loader, &piece, err);
	piece_free(&piece);
	return status;
}

static int load_reader(struct loading *loading, const struct reader *reader, struct err *err)
{
	struct profile_filter filter = { .keep_samples = true };
	struct profile profile;
	int status;

	if (!profile_exists(reader))
		return load_piece(loading, reader, NULL, err);
	status = progress_read_profile(&profile, reader, &filter, err);
	if (!status) {
		status = load_piece(loading, reader, &profile, err);
		profile_free(&profile);
	}
	profile_filter_fini(&filter);
	return status;
}

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
		status = load_reader(loading, reader, err);
	if (fd >= 0)
		close(fd);
	return status;
}

/* Loads one recording. In a folder, one that is still being written is left for later. */
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
	const struct loader *loader = &loading->loader;
	const struct loader_totals *totals = &loader->totals;
	char texts[2 * CHUNK_TABLES][UNITS_BYTES];

	for (int table = 0; table < CHUNK_TABLES; table++) {
		units_count(texts[2 * table], totals->amount[table]);
		units_count(texts[2 * table + 1], totals->rows[table]);
	}
	cmd_note(VERB, "%zu recordings: %s samples stored as %s rows, %s calls as %s rows%s",
		 loading->recordings, texts[2 * CHUNK_SAMPLES], texts[2 * CHUNK_SAMPLES + 1],
		 texts[2 * CHUNK_CALLS], texts[2 * CHUNK_CALLS + 1],
		 totals->known ? "; some were stored already" : "");
	if (loading->unfinished)
		cmd_note(VERB, "%zu recordings are still being written: not loaded yet",
			 loading->unfinished);
	if (totals->rejected)
		cmd_note(VERB, "%zu chunks will not be stored, and are in '%s/rejected': %s",
			 totals->rejected, loader->last_folder, loader->last.text);
	if (totals->damaged)
		cmd_note(VERB, "%zu files in '%s/waiting' must be moved away: %s", totals->damaged,
			 loader->last_folder, loader->last.text);
	if (totals->kept)
		cmd_note(VERB, "%zu chunks are kept in '%s/waiting' for the next load: %s",
			 totals->kept, loader->last_folder, loader->last.text);
	return loading->failed || totals->rejected || totals->damaged || totals->kept ? CMD_FAILED
										      : 0;
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

static int load(const struct arguments *arguments, const struct server_url *url)
{
	struct loading loading = { .arguments = arguments };
	struct err err;
	int status = loader_init(&loading.loader, url, &arguments->loader, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	status = loader_send_spool(&loading.loader, &err);
	if (status) {
		cmd_fail(VERB, "%s", err.text);
		loading.failed++;
	}
	load_all(&loading);
	status = conclude(&loading);
	loader_fini(&loading.loader);
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
		status = store_init(&url, &arguments->loader.tls, &err);
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
	struct arguments arguments = { .window_s = PIECE_WINDOW_S,
				       .loader.state_max = SPOOL_BYTES_MAX };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = store(&arguments);
	label_list_free(&arguments.labels);
	return status;
}
