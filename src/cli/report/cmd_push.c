/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "export_wire.h"
#include "fleet/push.h"

#define VERB "push"

#define TIMEOUT_S 30
#define RETRY_S   30
#define LONGEST_S 86400

struct arguments {
	struct push_options push;
	bool quiet, help;
};

/* Options without a short form. */
enum { TO = 256, LABEL, WIRE, TOKEN_FILE, CA, TIMEOUT, RETRY, STATE, STATE_MAX, INCOMPLETE, AGAIN };

static const struct option options[] = {
	{ "to", required_argument, NULL, TO },
	{ "label", required_argument, NULL, LABEL },
	{ "wire", required_argument, NULL, WIRE },
	{ "token-file", required_argument, NULL, TOKEN_FILE },
	{ "ca", required_argument, NULL, CA },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "retry", required_argument, NULL, RETRY },
	{ "state", required_argument, NULL, STATE },
	{ "state-max", required_argument, NULL, STATE_MAX },
	{ "incomplete", no_argument, NULL, INCOMPLETE },
	{ "again", no_argument, NULL, AGAIN },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: dwell push --to URL [OPTION...] [DATA...]\n"
	"\n"
	"Sends recordings to a receiver of profiles, each once. DATA is a recording, or a folder: "
	"all\n"
	"recordings in it that are complete. Messages that the receiver did not take are kept, "
	"and\n"
	"sent by the next run, which needs no DATA for that.\n"
	"\n"
	"      --to URL          address of the receiver; see below\n"
	"      --label KEY=VALUE  add this label, or replace it; may be repeated\n"
	"      --token-file FILE  send the token in FILE [$DWELL_PUSH_TOKEN]\n"
	"      --ca FILE         trust the certificates in FILE [those of the system]\n"
	"      --timeout SECONDS  limit for each request [30]\n"
	"      --retry SECONDS   how long to wait for a receiver that is away [30]\n"
	"      --wire 1.10|1.9   version of OTLP: 1.10 or later, or older [1.10]\n"
	"      --state DIR       folder for messages and notes between runs "
	"[~/.local/state/dwell]\n"
	"      --state-max SIZE  limit for each receiver's messages and notes there [1G]\n"
	"      --incomplete      send recordings without an end, too\n"
	"      --again           send what the receiver rejected before, too\n"
	"  -q, --quiet           print errors only\n"
	"  -h, --help            show this help\n"
	"\n"
	"addresses, each with http or https:\n"
	"  otlp+http://HOST:4318       OpenTelemetry, and all that receive OTLP\n"
	"  pyroscope+http://HOST:4040  Pyroscope\n"
	"  parca+http://HOST:7070      Parca\n"
	"  coroot+http://HOST:8080     Coroot\n"
	"  pprof+http://HOST/PATH      others that receive pprof's format\n"
	"\n"
	"examples:\n"
	"  dwell push --to otlp+http://localhost:4318 dwell.data\n"
	"  dwell push --to pyroscope+https://profiles.example --label env=prod pieces/\n"
	"  dwell push --to otlp+http://localhost:4318\n";

static int take_seconds(unsigned *seconds, const char *option, const char *value, uint64_t least)
{
	uint64_t number;

	if (!decimal_parse(value, LONGEST_S, &number) || number < least)
		return cmd_fail(VERB, "invalid %s '%s': must be %d to %d seconds", option, value,
				(int)least, LONGEST_S);
	*seconds = (unsigned)number;
	return 0;
}

static int take_label(struct push_options *push, const char *value)
{
	struct err err;

	return label_list_add(&push->labels, value, &err) ? cmd_fail(VERB, "%s", err.text) : 0;
}

static int take_max(struct push_options *push, const char *value)
{
	struct err err;

	return spool_parse_max(value, &push->state_max, &err) ? cmd_fail(VERB, "%s", err.text) : 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;
	struct push_options *push = &arguments->push;

	switch (option) {
	case TO:
		push->to = optarg;
		return 0;
	case LABEL:
		return take_label(push, optarg);
	case WIRE:
		return export_wire_take(&push->wire, VERB, optarg);
	case TOKEN_FILE:
		push->token_file = optarg;
		return 0;
	case CA:
		push->tls.authorities = optarg;
		return 0;
	case TIMEOUT:
		return take_seconds(&push->timeout_s, "--timeout", optarg, 1);
	case RETRY:
		return take_seconds(&push->retry_s, "--retry", optarg, 0);
	case STATE:
		push->state = optarg;
		return 0;
	case STATE_MAX:
		return take_max(push, optarg);
	case INCOMPLETE:
		push->takes_incomplete = true;
		return 0;
	case AGAIN:
		push->again = true;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

static void print_note(const char *text)
{
	cmd_note(VERB, "%s", text);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* Prints what happened, and where the rest is. */
static void print_tally(const struct push *push)
{
	const struct push_tally *tally = &push->tally;

	printf("sent %zu recording%s to %s", tally->sent, plural(tally->sent), push->receiver.url);
	if (tally->known)
		printf(", %zu had been sent before", tally->known);
	if (tally->skipped)
		printf(", %zu without an end left for later", tally->skipped);
	putchar('\n');
}

/* Returns the exit status: 2 for recordings that cannot be read, 1 for those that did not arrive.
 */
static int status_of(const struct push *push)
{
	const struct push_tally *tally = &push->tally;

	if (tally->kept)
		cmd_note(VERB, "%zu recording%s kept in '%s/waiting' for the next dwell push",
			 tally->kept, tally->kept == 1 ? " is" : "s are", push->spool.folder);
	if (tally->rejected)
		cmd_note(VERB, "%zu recording%s kept in '%s/rejected'; --again sends %s",
			 tally->rejected, tally->rejected == 1 ? " is" : "s are",
			 push->spool.folder, tally->rejected == 1 ? "it again" : "them again");
	if (tally->failed)
		return CMD_FAILED;
	return tally->kept || tally->rejected ? CMD_UNMATCHED : 0;
}

static int push_all(const struct arguments *arguments, char **paths)
{
	struct push push;
	struct err err;
	int status = push_open(&push, &arguments->push, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	status = push_waiting(&push, &err);
	for (; *paths && !status; paths++)
		status = push_path(&push, *paths, &err);
	if (status)
		status = cmd_fail(VERB, "%s", err.text);
	if (!arguments->quiet)
		print_tally(&push);
	if (!status)
		status = status_of(&push);
	push_close(&push);
	return status;
}

int cmd_push(int argc, char **argv)
{
	struct arguments arguments = { .push = { .state_max = SPOOL_BYTES_MAX,
						 .timeout_s = TIMEOUT_S,
						 .retry_s = RETRY_S,
						 .note = print_note } };
	int status = cmd_parse(":hq", options, take_option, &arguments, argc, argv);

	if (!status && arguments.help)
		fputs(usage, stdout);
	else if (!status && !arguments.push.to)
		status = cmd_fail(VERB, "missing receiver: give --to URL; see dwell push --help");
	else if (!status)
		status = push_all(&arguments, argv + optind);
	label_list_free(&arguments.push.labels);
	return status;
}
