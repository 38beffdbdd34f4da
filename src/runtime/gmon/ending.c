/* SPDX-License-Identifier: MIT */
#include "ending.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/export.h"
#include "runtime/sampler/signal_guard.h"
#include "sys.h"

/* Undefined in static programs. */
#pragma weak signal_guard_stand_in

static const int deadly[] = { SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,
			      SIGFPE, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU };

static void (*finish)(void); /* NULL: not watched */

/* Calls finish(), then takes the original action, with the same siginfo. */
static void on_deadly(int sig, siginfo_t *info, void *uc)
{
	struct sys_sigaction dfl = { .handler = SIG_DFL };

	(void)uc;
	finish();
	sys_sigaction(sig, &dfl, NULL);
	sys_rt_tgsigqueueinfo(sys_getpid(), sys_gettid(), sig, info);
}

static bool is_default(int sig)
{
	struct sys_sigaction now;

	return sys_sigaction(sig, NULL, &now) == 0 && now.handler == SIG_DFL;
}

void ending_watch(void (*do_finish)(void))
{
	struct sys_sigaction ours = { .sigaction = on_deadly,
				      .flags = SA_SIGINFO | SA_ONSTACK | ARCH_SA_RESTORER,
				      .restorer = arch_sigreturn,
				      .mask = ~(sys_sigset)0 };
	sys_sigset set = 0;

	finish = do_finish;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		set |= SYS_SIGBIT(deadly[i]);
		if (is_default(deadly[i]))
			sys_sigaction(deadly[i], &ours, NULL);
	}
	if (&signal_guard_stand_in)
		signal_guard_stand_in(on_deadly, SA_SIGINFO | SA_ONSTACK, set);
	at_quick_exit(do_finish);
}

/* Interposes libc's, which does nothing but this. */
EXPORT void _exit(int status)
{
	if (finish)
		finish();
	sys_exit_group(status);
}

EXPORT void _Exit(int status) __attribute__((alias("_exit")));
