/* SPDX-License-Identifier: MIT
 *
 * own_things.c - prints what a program sees of things that it shares with what was loaded into it:
 * the flags and masks of signal actions, how many keys of thread-specific data there are, and what
 * is at the addresses of functions. To be compared with a run without dwell.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

static void handler(int sig)
{
	(void)sig;
}

static void print_action(int sig)
{
	struct sigaction now;

	if (sigaction(sig, NULL, &now))
		return;
	printf(" %x", (unsigned int)now.sa_flags);
	if (now.sa_handler == handler)
		printf("h");
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(&now.sa_mask, i) == 1)
			printf("+%d", i);
}

static void actions_of(int sig)
{
	static const int flags[] = { 0,          SA_RESTART,   SA_NODEFER | SA_SIGINFO,
				     SA_ONSTACK, SA_NOCLDSTOP, SA_RESETHAND };

	printf("%d:", sig);
	print_action(sig);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct sigaction action = { .sa_handler = handler, .sa_flags = flags[i] };

		sigaddset(&action.sa_mask, SIGUSR1);
		sigaction(sig, &action, NULL);
		print_action(sig);
	}
	signal(sig, SIG_IGN);
	print_action(sig);
	signal(sig, handler);
	print_action(sig);
	signal(sig, SIG_DFL);
	print_action(sig);
	putchar('\n');
}

static void *nothing(void *unused)
{
	return unused;
}

static void keys(void)
{
	static pthread_key_t all[PTHREAD_KEYS_MAX + 1];
	pthread_t thread;
	int count = 0;

	while (count <= PTHREAD_KEYS_MAX && pthread_key_create(&all[count], NULL) == 0)
		count++;
	printf("%d keys\n", count);
	/* Threads come and go as before. */
	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
	while (count)
		pthread_key_delete(all[--count]);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* By glibc's ways to ask beside dladdr(). */
static void print_more(void *address)
{
#ifdef __GLIBC__
	struct link_map *map;
	Dl_info info;
	char **symbols = backtrace_symbols(&address, 1);

	if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
		printf(" %s", base_name(map->l_name));
	if (symbols)
		printf(" %.*s", (int)strcspn(base_name(symbols[0]), " ["), base_name(symbols[0]));
	free(symbols);
#endif
#ifdef DLFO_EH_SEGMENT_TYPE
	struct dl_find_object object;

	if (_dl_find_object(address, &object) == 0)
		printf(" %s", base_name(object.dlfo_link_map->l_name));
#endif
}

/* Functions that something stands in front of, in one mode or another, and one that nothing does.
 */
static void addresses(void)
{
	static const char *const names[] = {
		"_exit",           "backtrace_symbols",
		"clone",           "dl_iterate_phdr",
		"dladdr",          "dlclose",
		"execve",          "execvp",
		"popen",           "posix_spawn",
		"prctl",           "pthread_create",
		"pthread_sigmask", "setuid",
		"sigaction",       "sigaltstack",
		"signal",          "sigprocmask",
		"syscall",         "system",
		"thrd_create",     "qsort",
		"_dl_find_object",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *address = dlsym(RTLD_DEFAULT, names[i]);
		Dl_info info;

		printf("%s:", names[i]);
		if (address && dladdr(address, &info))
			printf(" %s %s%s", base_name(info.dli_fname),
			       info.dli_sname ? info.dli_sname : "-",
			       info.dli_saddr == address ? "" : ", not from its beginning");
		if (address)
			print_more(address);
		putchar('\n');
	}
}

int main(void)
{
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			actions_of(sig);
	keys();
	addresses();
	return 0;
}
