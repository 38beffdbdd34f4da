/* SPDX-License-Identifier: MIT
 *
 * own_things.c - prints what a program sees of things that it shares with what was loaded into it:
 * the flags and masks of signal actions, and how many keys of thread-specific data there are. To be
 * compared with a run without dwell.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

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

int main(void)
{
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			actions_of(sig);
	keys();
	return 0;
}
