/* SPDX-License-Identifier: MIT
 *
 * exec_guard.c - interposes libc's exec functions, if the library is linked before libc or
 * preloaded. Before a program is executed, the clock stops, and the environment may be changed.
 *
 * The functions may run in the child of a vfork, on the parent's memory: they do not change it.
 * They allocate on the stack only.
 */
#include "exec_guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include "base/export.h"
#include "interpose.h"
#include "exec_clock.h"

/* Not declared by every libc. */
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

typedef int exec_path(const char *, char *const[], char *const[]);
typedef int exec_fd(int, char *const[], char *const[]);
typedef int exec_at(int, const char *, char *const[], char *const[], int);

static struct {
	exec_path *execve, *execvpe;
	exec_fd *fexecve;
	exec_at *execveat; /* NULL: this libc has none */
	bool in_place;
} libc;

static exec_path guarded_execve;

static const struct exec_environment *_Atomic changes; /* NULL: environments are not changed */

void exec_guard_use(const struct exec_environment *environment)
{
	changes = environment;
}

/* Finds libc's functions. Idempotent; also called early, by constructors of other libraries. */
static void guard_init(void)
{
	if (libc.execve)
		return;
	INTERPOSE_FIND(libc.execvpe, "execvpe");
	INTERPOSE_FIND(libc.fexecve, "fexecve");
	INTERPOSE_FIND(libc.execveat, "execveat");
	libc.in_place = dlsym(RTLD_DEFAULT, "execve") == (void *)guarded_execve;
	INTERPOSE_FIND(libc.execve, "execve");
}

__attribute__((constructor)) static void guard_at_load(void)
{
	guard_init();
}

bool exec_guard_in_place(void)
{
	guard_init();
	return libc.in_place;
}

/*
 * Runs `exec`, which returns only if it fails, with the environment for the next program in envp.
 */
#define GUARDED(envp, exec)                                                                        \
	do {                                                                                       \
		const struct exec_environment *change = changes;                                   \
		size_t bytes;                                                                      \
                                                                                                   \
		guard_init();                                                                      \
		exec_clock_stop();                                                                 \
		bytes = change ? change->bytes(envp) : 0;                                          \
		if (bytes)                                                                         \
			envp = change->make(envp, __builtin_alloca(bytes));                        \
		exec;                                                                              \
		if (bytes)                                                                         \
			change->failed();                                                          \
		exec_clock_resume();                                                               \
	} while (0)

static int guarded_execve(const char *path, char *const argv[], char *const envp[])
{
	GUARDED(envp, libc.execve(path, argv, envp));
	return -1;
}

/* An alias: see pthread_create in thread_hook.c. */
EXPORT int execve(const char *path, char *const argv[], char *const envp[])
	__attribute__((alias("guarded_execve")));

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	GUARDED(envp, libc.execvpe(file, argv, envp));
	return -1;
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	GUARDED(envp, libc.fexecve(fd, argv, envp));
	return -1;
}

EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	guard_init();
	if (libc.execveat)
		GUARDED(envp, libc.execveat(dir, path, argv, envp, flags));
	else
		errno = ENOSYS;
	return -1;
}

EXPORT int execv(const char *path, char *const argv[])
{
	return guarded_execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Returns the number of words after first, including the NULL that ends them. */
static size_t count_words(const char *first, va_list *words)
{
	size_t count = 1;

	for (const char *word = first; word; word = va_arg(*words, const char *))
		count++;
	return count;
}

/* Fills argv with first and the words that follow it, including the NULL. */
static void collect_words(char **argv, const char *first, va_list *words)
{
	char *word = (char *)first;

	while ((*argv++ = word))
		word = va_arg(*words, char *);
}

/*
 * Copies the variable arguments into argv, on the caller's stack; leaves `words` behind the NULL.
 */
#define COLLECT(argv, first, words)                                                                \
	do {                                                                                       \
		va_start(words, first);                                                            \
		argv = __builtin_alloca(count_words(first, &words) * sizeof(char *));              \
		va_end(words);                                                                     \
		va_start(words, first);                                                            \
		collect_words(argv, first, &words);                                                \
	} while (0)

EXPORT int execl(const char *path, const char *first, ...)
{
	va_list words;
	char **argv;

	COLLECT(argv, first, words);
	va_end(words);
	return guarded_execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list words;
	char **argv;

	COLLECT(argv, first, words);
	va_end(words);
	return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list words;
	char **argv;

	COLLECT(argv, first, words);
	envp = va_arg(words, char *const *);
	va_end(words);
	return guarded_execve(path, argv, envp);
}
