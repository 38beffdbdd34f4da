/* SPDX-License-Identifier: MIT
 *
 * test_faults.c - which faults are repaired, and which are the program's.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/sampler/faults.c"

#include "emulated.h"
#include "tap.h"

/* ---- the rest of the sampler ---- */

sys_sigset signals_withheld(void)
{
	return 0;
}

void signals_withhold(sys_sigset set)
{
	(void)set;
}

void signals_send_again(int sig, siginfo_t *info)
{
	(void)info;
	bail_out(strsignal(sig));
}

/* ---- the test's ---- */

static long page_bytes;
static volatile int mended, handled, handled_code;

static bool mend(const siginfo_t *info, const ucontext_t *uc)
{
	uintptr_t start = (uintptr_t)info->si_addr & ~((uintptr_t)page_bytes - 1);

	(void)uc;
	mended++;
	return mmap((void *)start, (size_t)page_bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void program_handler(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)uc;
	handled++;
	handled_code = info->si_code;
}

/* Raises the signal as the kernel does for a fault, without one that would be repeated. */
static void raise_fault(int code, void *address)
{
	siginfo_t info = { .si_signo = SIGBUS, .si_code = code };

	info.si_addr = address;
	mended = handled = 0;
	if (sys_call(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGBUS, (long)&info, 0, 0))
		bail_out("a process cannot send itself a fault");
}

static void lost_page(void)
{
	FILE *file = tmpfile();
	volatile char *page;

	if (!file || ftruncate(fileno(file), page_bytes))
		bail_out("there is no file");
	page = mmap(NULL, (size_t)page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	if (page == MAP_FAILED || ftruncate(fileno(file), 0))
		bail_out("there is no page");
	page[1] = 1;
	ok(mended == 1 && handled == 0 && page[1] == 1,
	   "a page that its file has lost is repaired");
	munmap((void *)page, (size_t)page_bytes);
	fclose(file);
}

static void codes(void)
{
	static const struct {
		const char *name;
		int code;
		bool is_mended;
	} cases[] = {
		{ "BUS_ADRERR", BUS_ADRERR, true },       { "BUS_OBJERR", BUS_OBJERR, true },
		{ "BUS_MCEERR_AR", BUS_MCEERR_AR, true }, { "BUS_ADRALN", BUS_ADRALN, false },
		{ "SI_QUEUE", SI_QUEUE, false },
	};
	char *page = mmap(NULL, (size_t)page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		raise_fault(cases[i].code, page);
		ok(mended == cases[i].is_mended && handled == !cases[i].is_mended &&
			   (cases[i].is_mended || handled_code == cases[i].code),
		   "%s is %s", cases[i].name,
		   cases[i].is_mended ? "repaired" : "passed on to the program");
	}
	munmap(page, (size_t)page_bytes);
}

/* A tick may interrupt the program's own handler of SIGBUS. */
static void listens(void)
{
	const sys_sigset bus = SYS_SIGBIT(SIGBUS);
	static ucontext_t uc;
	sys_sigset now;

	ok(faults_listen(&uc) == 0, "code that has not blocked the signal is left alone");
	signals_set_mask_of(&uc, bus);
	sys_sigprocmask(SIG_BLOCK, &bus, NULL);
	ok(faults_listen(&uc) == bus && sys_sigprocmask(SIG_BLOCK, NULL, &now) == 0 && !(now & bus),
	   "while we work in code that has, it is not blocked");
}

int main(void)
{
	struct sys_sigaction action = { .sigaction = program_handler, .flags = SA_SIGINFO }, old;
	const struct sys_sigaction none = { .handler = SIG_DFL };

	/* A sanitizer has a handler of its own. */
	sys_sigaction(SIGBUS, &none, NULL);
	page_bytes = sysconf(_SC_PAGESIZE);
	ok(faults_claim(mend) == 0 && faults_program_action(SIGBUS, &action, &old) &&
		   old.handler == SIG_DFL,
	   "the signal is ours, and the program's action is kept");
	lost_page();
	listens();
	if (is_emulated())
		skip("codes of faults", NO_FAULTS_SENT);
	else
		codes();
	return tap_done();
}
