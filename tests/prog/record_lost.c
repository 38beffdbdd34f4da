/* SPDX-License-Identifier: MIT
 *
 * record_lost.c HOW DATA SECONDS [late] - does what HOW says to the recording of itself, DATA,
 * while it runs, or kills the process HOW, which serves the file system of DATA, and goes on: with
 * calls, a thread that blocks all signals, a child, and a handler of its own for SIGBUS, on an
 * alternate stack, which it raises in each way there is. Each piece of its work takes SECONDS of
 * CPU time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <wchar.h>

#include "record_load.h"

DEFINE_BURNER(work)

#define PAGE 4096

static double seconds;
static sigjmp_buf again;
static volatile sig_atomic_t sent;
static void *volatile fault;
static volatile sig_atomic_t calls_late;

/* May call a function for the first time where SIGBUS is blocked, and the recording is lost. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_code <= 0) {
		sent++;
		return;
	}
	fault = info->si_addr;
	if (calls_late && wcstol(L"12", NULL, 10) != 12)
		abort();
	siglongjmp(again, 1);
}

static int truncate_to(const char *data, double part)
{
	struct stat file;

	return stat(data, &file) || truncate(data, (off_t)((double)file.st_size * part));
}

static int replace(const char *data)
{
	int fd;

	if (unlink(data))
		return 1;
	fd = open(data, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return fd < 0 || write(fd, "not a recording\n", 16) != 16 || close(fd);
}

/* Drops the pages of the recording from memory, so that the next access has to read them. */
static int evict(const char *data)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int fd = open(data, O_RDWR | O_CLOEXEC);
	unsigned long start, end;
	char line[4352];

	if (!maps || fd < 0 || fsync(fd))
		return 1;
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, data) && sscanf(line, "%lx-%lx", &start, &end) == 2)
			madvise((void *)start, end - start, MADV_DONTNEED);
	fclose(maps);
	return posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) || close(fd);
}

/* Ends the daemon of the file system that the recording is on, and waits until it is gone. */
static int unplug(pid_t daemon, const char *data)
{
	struct stat file;

	if (evict(data) || kill(daemon, SIGKILL))
		return 1;
	while (stat(data, &file) == 0)
		usleep(1000);
	return 0;
}

static int lose(const char *how, const char *data)
{
	if (atoi(how))
		return unplug(atoi(how), data);
	if (strcmp(how, "truncate") == 0)
		return truncate_to(data, 0);
	if (strcmp(how, "halve") == 0)
		return truncate_to(data, 0.5);
	if (strcmp(how, "delete") == 0)
		return unlink(data);
	if (strcmp(how, "replace") == 0)
		return replace(data);
	return strcmp(how, "nothing") != 0;
}

/* Causes samples, calls and new functions. */
static void do_things(void)
{
	for (int i = 0; i < 1000; i++)
		if (strtol("12", NULL, 10) != 12 || !getenv("PATH"))
			abort();
	work(seconds);
	if (atoi("7") != 7)
		abort();
}

static void *blocked(void *argument)
{
	sigset_t all, now;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	do_things();
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGBUS) ? argument : NULL;
}

static int in_thread(void)
{
	pthread_t thread;
	void *answer = NULL;
	int any;

	return pthread_create(&thread, NULL, blocked, &any) || pthread_join(thread, &answer) ||
	       !answer;
}

static int in_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		do_things();
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

/* A page that its file has lost, of the program's own. */
static int own_fault(void)
{
	char path[] = "/tmp/record_lost_XXXXXX";
	int fd = mkstemp(path);
	volatile char *page;

	if (fd < 0 || unlink(path) || ftruncate(fd, PAGE))
		return 1;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || ftruncate(fd, 0))
		return 1;
	if (sigsetjmp(again, 1) == 0)
		page[8] = 1;
	return fault != page + 8;
}

/* Sent while it is blocked, so that it arrives later. */
static int own_signals(void)
{
	sigset_t bus;

	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	sigprocmask(SIG_BLOCK, &bus, NULL);
	raise(SIGBUS);
	if (sent != 0)
		return 1;
	sigprocmask(SIG_UNBLOCK, &bus, NULL);
	raise(SIGBUS);
	return sent != 2;
}

/* Children that are ended by SIGBUS, as by default. */
static int own_end(int by_fault)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGBUS, SIG_DFL);
		if (by_fault)
			own_fault();
		else
			raise(SIGBUS);
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
	       WTERMSIG(status) != SIGBUS;
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction now;

	if (argc < 4 || sigaltstack(&alternate, NULL) || sigaction(SIGBUS, &action, NULL) ||
	    sigaction(SIGBUS, NULL, &now))
		return 2;
	seconds = atof(argv[3]);
	do_things();
	printf("fault %d\n", own_fault());
	calls_late = argc > 4;
	if (lose(argv[1], argv[2]))
		perror(argv[2]);
	if (calls_late && own_fault())
		puts("wrong");
	do_things();
	printf("handler %s\n", now.sa_sigaction == on_bus ? "kept" : "changed");
	printf("thread %d\n", in_thread());
	printf("child %d\n", in_child());
	printf("fault %d\n", own_fault());
	printf("signals %d\n", own_signals());
	printf("ends %d %d\n", own_end(0), own_end(1));
	do_things();
	puts("fine");
	return 0;
}
