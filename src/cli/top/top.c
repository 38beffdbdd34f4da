/* SPDX-License-Identifier: MIT */
#include "top.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "top_batch.h"
#include "top_rescue.h"
#include "top_screen.h"
#include "recording/make/timebase.h"

#define FIRST_LOOKS   4
#define FIRST_S       0.3  /* between the first ones, so that there is something to see soon */
#define PATIENCE_S    2.0  /* for a command to exit by itself */
#define FINAL_WAIT_MS 1000 /* for a key, once nothing changes any more */

/* Samples taken from outside get their final weights 250 ms later. */
#define OUTSIDE_LAG_NS UINT64_C(400000000)

/* Limit of the part that cannot be freed while it is read: mostly frames of distinct stacks. */
#define RECORDING_BYTES_MAX (UINT64_C(1) << 30)

/* ---- signals ---- */

static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
	caught = signal;
}

/* Runs before ncurses, which would install handlers for some of these. */
static void take_signals(void)
{
	/* The last one means that stdout is no longer read. */
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = on_signal }, now;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup set this one to be ignored. */
		sigaction(signals[i], NULL, &now);
		if (now.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	top_rescue_arm();
}

int top_signal(void)
{
	return caught;
}

/* ---- what it says above the table ---- */

static void count_threads(const struct top *top, struct top_facts *facts)
{
	const struct live *live = &top->live;
	struct hash pids = { 0 }, tids = { 0 };

	for (size_t i = 0; i < live->window.fold.count; i++) {
		const struct live_thread *thread =
			&live->threads[live->window.fold.entries[i].thread];

		/* Without memory, the counts are too low. */
		hash_place(&pids, thread->pid);
		hash_place(&tids, (uint64_t)thread->pid << 32 | thread->tid);
	}
	facts->processes = pids.count;
	facts->threads = tids.count;
	hash_free(&pids);
	hash_free(&tids);
}

static struct profile_amount running_of(const struct live_window *window)
{
	return (struct profile_amount){ .samples = window->amount.samples - window->waiting.samples,
					.ns = window->amount.ns - window->waiting.ns };
}

static struct top_facts facts_of(const struct top *top)
{
	struct top_facts facts = {
		.subject = top->subject,
		.pid = (uint32_t)top->view.pid,
		.seconds = top->live.seconds,
		.window_s = top->live.window.seconds,
		.wanted_s = top->options.window_s,
		.window = running_of(&top->live.window),
		.samples = top->live.all.samples,
		.hz = top->options.hz,
		.lost = top->lost,
		.is_frozen = top->state.is_frozen,
		.is_full = top->is_full,
		.is_crowded = top->live.stacks.frames_dropped,
		.news = *top->news ? top->news : NULL,
	};

	count_threads(top, &facts);
	return facts;
}

/* Reads the command line of the first process from /proc. */
static void find_subject(struct top *top)
{
	const char *given = top->options.subject;
	char path[64];
	size_t size = 0;
	FILE *file;

	snprintf(top->subject, sizeof(top->subject), "%s", given ? given : "");
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)top->view.pid);
	file = given ? NULL : fopen(path, "re");
	if (!file)
		return;
	size = fread(top->subject, 1, sizeof(top->subject) - 1, file);
	fclose(file);
	for (size_t i = 0; i + 1 < size; i++)
		if (!top->subject[i])
			top->subject[i] = ' ';
	top->subject[size] = '\0';
}

/* ---- looking and showing ---- */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Keeps the error; the last picture stays on the screen. */
static void give_up(struct top *top, int code, const struct err *err)
{
	top->failed = code;
	snprintf(top->news, sizeof(top->news), "%s", err->text);
}

static void watch_size(struct top *top)
{
	if (top->options.keep || top->is_full || tail_bytes(&top->live.tail) < RECORDING_BYTES_MAX)
		return;
	tail_seal(&top->live.tail);
	top->is_full = true;
}

static void refresh(struct top *top, bool is_last)
{
	struct err err;
	uint64_t now = timebase_now(top->live.tail.header.clock).ticks;
	int status = live_refresh(&top->live, now, is_last, &err);

	if (!status && !top->state.is_frozen)
		status = live_take(&top->live, &err);
	if (status)
		give_up(top, status, &err);
	top->lost = tail_lost(&top->live.tail);
	if (top->view.attach)
		top->lost += attach_status(top->view.attach).lost;
	watch_size(top);
}

/* Makes the rows. A filter that is being typed may be invalid: then there are none. */
static void make_rows(struct top *top)
{
	struct live_query query = top_state_query(&top->state);
	struct err err;

	live_rows_free(&top->rows);
	live_rows_make(&top->rows, &top->live, &query, &err);
}

static void show(struct top *top)
{
	struct top_facts facts = facts_of(top);
	struct top_picture picture = { .facts = &facts,
				       .state = &top->state,
				       .rows = &top->rows,
				       .window = &top->live.window,
				       .output = &top->output };

	make_rows(top);
	if (top->has_screen)
		top_screen_draw(&picture);
}

static void write_table(struct top *top)
{
	struct top_facts facts = facts_of(top);
	struct err err;
	int status;

	make_rows(top);
	status = top_batch_write(&facts, &top->state, &top->rows, &top->live.window,
				 top->options.limit, stdout);
	if (status)
		give_up(top, err_no_memory(&err), &err);
	top->tables++;
	if ((top->options.tables && top->tables >= top->options.tables) || ferror(stdout))
		top->state.is_over = true;
}

/* ---- keys, and leaving ---- */

static void wait_for_input(const struct top *top, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = top->has_screen ? STDIN_FILENO : -1, .events = POLLIN },
				{ .fd = top->output.read_end, .events = POLLIN } };

	poll(fds, 2, timeout_ms);
	/* The terminal has been closed. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL) && !caught)
		caught = SIGHUP;
}

/* Returns whether there were any. */
static bool take_keys(struct top *top)
{
	bool any = false;
	int key;

	while (top->has_screen && (key = top_screen_key()) != TOP_KEY_NONE) {
		top_state_key(&top->state, key, &top->rows);
		make_rows(top);
		/* Keys that arrive together have the same effect as one by one. */
		top_state_place(&top->state, &top->rows, top->state.page);
		any = true;
	}
	if (caught)
		top->state.is_over = true;
	return any;
}

/* Asks the command to exit, and kills it if that takes too long. */
static void end_command(struct top *top)
{
	double now = seconds_now();

	if (!top->group)
		return;
	if (!top->asked_s) {
		kill(-top->group, SIGTERM);
		kill(-top->group, SIGCONT);
		top->asked_s = now;
	} else if (now - top->asked_s > PATIENCE_S) {
		kill(-top->group, SIGKILL);
	}
}

static bool is_due(const struct top *top, double now)
{
	double delay = top->options.delay_s;

	if (top->looks < FIRST_LOOKS && delay > FIRST_S && !top->options.is_batch)
		delay = FIRST_S;
	return now - top->refreshed_s >= delay;
}

/* Opens the screen late, because until now the command may have failed to start. Returns 0 or
 * -errno. */
static int open_screen(struct top *top)
{
	struct err err;
	int status = 0;

	if (top->options.is_batch || top->has_screen)
		return 0;
	status = top_screen_open(&err);
	if (status)
		give_up(top, status, &err);
	top->has_screen = !status;
	return status;
}

static bool look(void *argument, int timeout_ms)
{
	struct top *top = argument;
	bool is_new = top->looks == 0;
	double now;

	if (top->asked_s) {
		wait_for_input(top, timeout_ms);
		top_output_read(&top->output);
		end_command(top);
		return false;
	}
	if (open_screen(top))
		top->state.is_over = true;
	wait_for_input(top, timeout_ms);
	top_output_read(&top->output);
	is_new = take_keys(top) || is_new;
	now = seconds_now();
	if (is_due(top, now) && !top->failed) {
		top->refreshed_s = now;
		top->looks++;
		refresh(top, false);
		is_new = true;
		if (top->options.is_batch)
			write_table(top);
	}
	if (is_new && !top->state.is_over)
		show(top);
	if (top->state.is_over)
		end_command(top);
	return !top->state.is_over;
}

/* ---- beginning and end ---- */

static int prepare(void *argument)
{
	struct top *top = argument;

	/* A process group of its own: keys typed here are for us, and the command can be ended as a
	 * whole. */
	setpgid(0, 0);
	/* A background process that reads from the terminal would be stopped. */
	return top_output_take(&top->output, top->options.is_batch && !isatty(STDIN_FILENO));
}

static int begin(void *argument, const struct session_view *view, struct err *err)
{
	struct top *top = argument;
	struct live_options options = { .window_s = top->options.window_s,
					.lag_ns = view->attach ? OUTSIDE_LAG_NS : 0,
					.keep = top->options.keep,
					.mangled = top->options.mangled,
					.no_inline = top->options.no_inline };
	int status = live_open(&top->live, view->path, &options, err);

	if (status)
		return status;
	top->is_live = true;
	top->view = *view;
	find_subject(top);
	if (top->options.is_command) {
		/* The child does the same; the order does not matter. */
		setpgid(view->pid, view->pid);
		top->group = view->pid;
		top_rescue_group(top->group);
	}
	top->refreshed_s = seconds_now();
	return 0;
}

static void report_end(struct top *top, int status)
{
	if (*top->news)
		return;
	if (!top->options.is_command)
		snprintf(top->news, sizeof(top->news), "ENDED");
	else if (WIFSIGNALED(status))
		snprintf(top->news, sizeof(top->news), "ENDED by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(top->news, sizeof(top->news), "ENDED, exit status %d",
			 WEXITSTATUS(status));
}

/* Leaves the last seconds on the screen. */
static void end(void *argument, int status)
{
	struct top *top = argument;

	top->group = 0;
	top_rescue_group(0);
	top->view.attach = NULL;
	top_output_read(&top->output);
	if (top->state.is_over)
		return;
	report_end(top, status);
	refresh(top, true);
	if (top->options.is_batch) {
		write_table(top);
		return;
	}
	if (open_screen(top))
		return;
	show(top);
	while (!top->state.is_over) {
		wait_for_input(top, FINAL_WAIT_MS);
		top_output_read(&top->output);
		if (take_keys(top) && !top->state.is_over)
			show(top);
	}
}

int top_init(struct top *top, const struct top_options *options, struct err *err)
{
	*top = (struct top){ .options = *options };
	top_state_init(&top->state);
	top->state.views[0].by = options->by;
	top->state.sort = options->sort;
	top->state.long_names = options->long_names;
	top->state.has_waiting = options->is_wall;
	snprintf(top->state.filter, sizeof(top->state.filter), "%s",
		 options->filter ? options->filter : "");
	take_signals();
	return top_output_open(&top->output, options->log, err);
}

void top_fini(struct top *top)
{
	if (top->has_screen)
		top_screen_close();
	live_rows_free(&top->rows);
	if (top->is_live)
		live_close(&top->live);
	top_output_close(&top->output);
}

const struct session_watcher top_watcher = {
	.prepare = prepare,
	.begin = begin,
	.look = look,
	.end = end,
};
