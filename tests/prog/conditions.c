/* SPDX-License-Identifier: MIT
 *
 * conditions.c SCENARIO [ARGUMENT]... - a program that prints what it sees of its own process, and
 * uses what programs use: CPU time, memory, a thread, a child, another program. Some scenarios make
 * the process's conditions harder first.
 *
 * It prints to stdout, or to the file SAYS where stdout may be closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS      3
#define CPU_MS      6
#define PATIENCE_MS 30000
#define DESCRIPTORS 64
#define NOBODY      65534

static char **arguments;
static int argument_count;

/* At once: the process may be about to end in any way. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	const char *path = getenv("SAYS");
	char line[512];
	va_list args;
	int size, file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : STDOUT_FILENO;

	va_start(args, format);
	size = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[size++] = '\n';
	if (file < 0 || write(file, line, (size_t)size) != size)
		_exit(STATUS + 1);
	if (path)
		close(file);
}

static double cpu_ms(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

/* Long enough for samples, and with calls of libc to be counted. */
static void burn(void)
{
	double until = cpu_ms() + CPU_MS;
	char buffer[256];

	while (cpu_ms() < until)
		for (int i = 0; i < 1000; i++)
			snprintf(buffer, sizeof(buffer), "%d", i);
}

static void say_descriptors(void)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++) {
		struct stat status;

		if (fstat(fd, &status) == 0)
			say("descriptor %d: %o", fd, status.st_mode);
	}
}

static void say_signals(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction action;

		if (sigismember(&mask, sig) == 1)
			say("signal %d is blocked", sig);
		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			say("signal %d is %s", sig,
			    action.sa_handler == SIG_IGN ? "ignored" : "handled");
	}
}

static void say_limits(void)
{
	for (int kind = 0; kind < RLIM_NLIMITS; kind++) {
		struct rlimit limit;

		if (getrlimit(kind, &limit) == 0)
			say("limit %d: %llx %llx", kind, (unsigned long long)limit.rlim_cur,
			    (unsigned long long)limit.rlim_max);
	}
}

/* Prints all but the variables that dwell has to change for a library to be loaded. */
static void say_surroundings(void)
{
	static const char *const changed[] = { "LD_PRELOAD=", "LD_AUDIT=", "DWELL_DATA=" };
	char folder[8192];

	for (char **variable = environ; *variable; variable++) {
		size_t of = 0;

		while (of < sizeof(changed) / sizeof(changed[0]) &&
		       strncmp(*variable, changed[of], strlen(changed[of])) != 0)
			of++;
		if (of == sizeof(changed) / sizeof(changed[0]))
			say("variable %.100s, %zu bytes", *variable, strlen(*variable));
	}
	for (int i = 0; i < argument_count; i++)
		say("argument %.100s, %zu bytes", arguments[i], strlen(arguments[i]));
	say("folder %s", getcwd(folder, sizeof(folder)) ? folder : strerror(errno));
	say("user %d %d, group %d %d", getuid(), geteuid(), getgid(), getegid());
}

static void *thread(void *unused)
{
	char *memory = malloc(100000);

	memset(memory, 1, 100000);
	burn();
	free(memory);
	return unused;
}

static void say_thread(void)
{
	pthread_t id;
	int code = pthread_create(&id, NULL, thread, NULL);

	if (!code)
		code = pthread_join(id, NULL);
	say("thread: %s", strerror(code));
}

static int status_of(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void say_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		burn();
		_exit(STATUS + 2);
	}
	say("child: %x", pid < 0 ? errno : status_of(pid));
}

static void say_program(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(arguments[0], arguments[0], "small", NULL);
		_exit(errno);
	}
	say("program: %x", pid < 0 ? errno : status_of(pid));
}

/* Does a bit of everything. */
static void work(void)
{
	burn();
	say_thread();
	say_child();
	say_program();
}

static void small(void)
{
	burn();
	say("small");
}

static void sees(void)
{
	say_descriptors();
	say_signals();
	say_limits();
	say_surroundings();
	work();
}

static void drops(void)
{
	say("drops %d", setgid(NOBODY) || setuid(NOBODY));
	work();
}

static void say_spawned(void)
{
	char small[] = "small", *const argv[] = { arguments[0], small, NULL };
	pid_t pid;
	int err = posix_spawn(&pid, arguments[0], NULL, NULL, argv, environ);

	say("spawned: %x", err ? err : status_of(pid));
}

/* Does as su(1): the process with the rights waits for the one that has given them up. */
static void sends(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(STATUS + 1);
		say_spawned();
		say("system: %x", system("exit 4"));
		say("popen: %x", pclose(popen("exit 5", "r")));
		execl("/no/such/program", "none", NULL);
		execl(arguments[0], arguments[0], "small", NULL);
		_exit(errno);
	}
	say("sent: %x", pid < 0 ? errno : status_of(pid));
	pid = vfork();
	if (pid == 0) {
		if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
			execl(arguments[0], arguments[0], "small", NULL);
		_exit(STATUS + 1);
	}
	say("sent: %x", pid < 0 ? errno : status_of(pid));
	work();
}

/* Changes the root to a folder that contains this program. */
static void moves(void)
{
	say("moves %d", chroot(arguments[2]) || chdir("/"));
	work();
	say_spawned();
	execl(arguments[0], arguments[0], "small", NULL);
}

static void goes(void)
{
	say("goes %d", chroot(arguments[2]) || chdir("/"));
	work();
}

static int forbid_counter(const void *one, const void *other)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return *(const int *)one - *(const int *)other;
}

/* The CPU's counter can be forbidden, here while a call of a library is under way. Clocks of CPU
 * time are not read by it. */
static void without_counter(void)
{
	int numbers[] = { 2, 1 };

	burn();
	qsort(numbers, 2, sizeof(numbers[0]), forbid_counter);
	say("forbidden, %d %d", numbers[0], numbers[1]);
	work();
	say("permitted: %d", prctl(PR_SET_TSC, PR_TSC_ENABLE));
	work();
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void alarmed(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 500 }, { 0, 500 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	burn();
	burn();
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	say("alarms: %s", alarms > 0 ? "some" : "none");
	work();
}

static volatile sig_atomic_t is_late;

static void on_late(int sig)
{
	is_late = sig;
}

/* Works until the limit of CPU time is reached, and a signal reports that. */
static void busy(void)
{
	signal(SIGXCPU, on_late);
	while (!is_late)
		burn();
	say("late");
}

/* Forks a child that goes on after the program itself has ended. */
static void stays(void)
{
	if (fork() > 0) {
		burn();
		return;
	}
	setsid();
	for (int i = 0; i < PATIENCE_MS && access(arguments[2], F_OK); i++)
		usleep(1000);
	work();
	say("stayed");
}

/* Works until it is ended from outside. */
static void endless(void)
{
	say("begun");
	for (;;)
		burn();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{ "small", small },     { "sees", sees },
		{ "work", work },       { "drops", drops },
		{ "sends", sends },     { "moves", moves },
		{ "goes", goes },       { "without_counter", without_counter },
		{ "alarmed", alarmed }, { "busy", busy },
		{ "stays", stays },     { "endless", endless },
	};

	arguments = argv;
	argument_count = argc;
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(scenarios[i].name, argv[1]) == 0) {
			scenarios[i].run();
			return STATUS;
		}
	}
	fprintf(stderr, "usage: %s SCENARIO [ARGUMENT]...\n", argv[0]);
	return 2;
}
