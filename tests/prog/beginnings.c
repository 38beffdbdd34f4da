/* SPDX-License-Identifier: MIT
 *
 * beginnings.c - a program with functions of its own in front of libc's, which are not ready before
 * its constructor has run. Prints which of them were called until then, and errno at main() and
 * after calls that leave it alone: a profiler should not show there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static bool is_ready;

/* Each has a letter of its own; in order, and once. */
static char early[128];

static void note(char letter)
{
	if (!is_ready)
		early[(unsigned char)letter] = letter;
}

__attribute__((constructor)) static void get_ready(void)
{
	is_ready = true;
}

void *malloc(size_t size)
{
	note('m');
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	note('c');
	return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
	note('r');
	return __libc_realloc(block, size);
}

void free(void *block)
{
	note('f');
	__libc_free(block);
}

size_t strlen(const char *text)
{
	size_t length = 0;

	note('l');
	while (text[length])
		length++;
	return length;
}

int strcmp(const char *a, const char *b)
{
	note('s');
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	note('d');
	return copy ? memcpy(copy, text, size) : NULL;
}

int open(const char *path, int flags, ...)
{
	note('o');
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	note('p');
	return syscall(SYS_pread64, fd, to, size, at);
}

int mprotect(void *address, size_t size, int protection)
{
	note('P');
	return (int)syscall(SYS_mprotect, address, size, protection);
}

int close(int fd)
{
	note('x');
	return (int)syscall(SYS_close, fd);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int (*next)(pthread_mutex_t *) = NULL;

	note('L');
	if (is_ready)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return next ? next(mutex) : 0;
}

int dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *argument)
{
	int (*next)(int (*)(struct dl_phdr_info *, size_t, void *), void *) = NULL;

	note('i');
	if (is_ready)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return next ? next(see, argument) : 0;
}

static void *nothing(void *argument)
{
	return argument;
}

static int see(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)info;
	(void)size;
	++*(int *)count;
	return 0;
}

static void handle(int signal)
{
	(void)signal;
}

static void threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
}

static void libraries(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*function)(double) = (double (*)(double))dlsym(library, "cos");

	if (!function || function(0) != 1)
		puts("libm is missing");
	dlclose(library);
}

static void objects(void)
{
	int count = 0;

	dl_iterate_phdr(see, &count);
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = handle };
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	raise(SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

static void children(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void programs(void)
{
	char name[] = "true", *argv[] = { name, NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0)
		waitpid(pid, NULL, 0);
}

static void rights(void)
{
	char name[16];

	prctl(PR_GET_NAME, name);
	setuid(getuid());
	setgid(getgid());
}

static const struct {
	const char *name;
	void (*call)(void);
} parts[] = {
	{ "threads", threads }, { "libraries", libraries }, { "objects", objects },
	{ "signals", signals }, { "children", children },   { "programs", programs },
	{ "rights", rights },
};

int main(void)
{
	int at_main = errno;

	printf("early:");
	for (size_t i = 0; i < sizeof(early); i++)
		if (early[i])
			printf(" %c", early[i]);
	printf("\nerrno at main: %d\n", at_main);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		errno = 77;
		parts[i].call();
		printf("errno after %s: %d\n", parts[i].name, errno);
	}
	return 0;
}
