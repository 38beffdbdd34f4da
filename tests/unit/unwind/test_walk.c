/* SPDX-License-Identifier: MIT
 *
 * test_walk.c - walks of this process in unusual places, and at random moments, compared with
 * libgcc's: other stacks, other threads, code without call frame information, unreadable stacks.
 */
#include <alloca.h>
#include <ctype.h>
#include <dlfcn.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../pages.h"
#include "generated.h"
#include "emulated.h"
#include "oddities.h"
#include "sanitized.h"
#include "self.h"
#include "sys.h"

#define NOINLINE __attribute__((noinline))

static volatile unsigned sunk;

/* Result of the last signal. */
static struct {
	struct unwind unwind;
	uint64_t pcs[UNWIND_DEPTH];
	int count, max;
	struct trace libgcc;
	bool compare, equal;
	long taken, different, unfinished;
	struct itimerval next; /* how long after a walk the next one is due, if at all */
	uint64_t odd_pcs[8];   /* the last walk of these two kinds */
	int odd_count;
	struct unwind_kept *kept;
} last;

/* Returns true where libgcc knows less, or is wrong. */
static bool is_odd(uintptr_t pc)
{
	return is_thunk(pc) || is_described_wrongly(pc);
}

static void keep_odd(void)
{
	last.odd_count = last.count < 8 ? last.count : 8;
	memcpy(last.odd_pcs, last.pcs, (size_t)last.odd_count * sizeof(*last.pcs));
}

static void compare(const struct registers *registers)
{
	long odd = last.different + last.unfinished;

	trace_from(&last.libgcc, registers->value[ARCH_FRAME_PC]);
	last.equal = trace_equal(&last.libgcc, last.pcs, last.count);
	last.different += !last.equal && !trace_gives_up(&last.libgcc);
	last.unfinished += last.unwind.reason != UNWIND_END || last.unwind.certain < last.count;
	if (last.different + last.unfinished > odd)
		keep_odd();
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct registers registers;

	(void)sig;
	(void)info;
	last.unwind = self_unwind();
	last.unwind.kept = last.kept;
	registers_of(&registers, context);
	last.count = unwind_walk(&last.unwind, &registers, last.pcs, last.max);
	last.taken++;
	if (last.compare && !is_odd(registers.value[ARCH_FRAME_PC]))
		compare(&registers);
	if (last.next.it_value.tv_usec)
		setitimer(ITIMER_REAL, &last.next, NULL);
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &act, NULL);
}

static void alike(const char *where)
{
	if (!ok(last.equal && last.unwind.reason == UNWIND_END && last.unwind.certain == last.count,
		"%s: %d frames, to the end (%s), as libgcc has them", where, last.count,
		unwind_reason_name(last.unwind.reason)))
		for (int i = 0; i < last.count || i < last.libgcc.count; i++)
			note("%#18lx %#18lx", i < last.count ? (long)last.pcs[i] : 0,
			     i < last.libgcc.count ? (long)last.libgcc.pcs[i] : 0);
	last.equal = false;
}

/* ---- other stacks ---- */

static void *in_thread(void *unused)
{
	raise(SIGUSR1);
	return unused;
}

NOINLINE static void in_handler(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	sunk += (unsigned)sig;
	raise(SIGUSR1);
	sunk += (unsigned)sig;
}

static ucontext_t here, there;

NOINLINE static void in_context(void)
{
	raise(SIGUSR1);
	sunk++;
}

static int in_compare(const void *a, const void *b)
{
	if (*(const int *)a == 3)
		raise(SIGUSR1);
	return *(const int *)a - *(const int *)b;
}

static void other_stacks(void)
{
	static char handler_stack[64 * 1024], context_stack[64 * 1024];
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	int numbers[] = { 5, 4, 3, 2, 1 };
	enum unwind_reason end;
	pthread_t thread;

	raise(SIGUSR1);
	alike("main()");
	qsort(numbers, 5, sizeof(*numbers), in_compare);
	alike("a callback of qsort()");
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	alike("a thread");
	handle(SIGUSR2, in_handler, 0);
	raise(SIGUSR2);
	alike("a signal handler");
	sigaltstack(&stack, NULL);
	handle(SIGUSR2, in_handler, SA_ONSTACK);
	raise(SIGUSR2);
	alike("a signal handler on a stack of its own");
	getcontext(&there);
	there.uc_stack.ss_sp = context_stack;
	there.uc_stack.ss_size = sizeof(context_stack);
	there.uc_link = &here;
	makecontext(&there, in_context, 0);
	swapcontext(&here, &there);
	/* Only some libcs say in call frame information that __startcontext() has no caller. */
	end = last.libgcc.ended ? UNWIND_END : UNWIND_LIKELY_END;
	ok(last.equal && last.unwind.reason == end,
	   "makecontext(): %d frames, as libgcc has them, and the %s", last.count,
	   unwind_reason_name(end));
}

/* The restorer of our own handlers has no call frame information, on purpose. */
static void own_restorer(void)
{
	const struct sys_sigaction action = { .sigaction = in_handler,
					      .flags = SA_SIGINFO | ARCH_SA_RESTORER,
					      .restorer = arch_sigreturn };

	sys_sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	alike("a handler that returns to arch_sigreturn");
}

/* ---- deep ones ---- */

NOINLINE static int dive(int depth)
{
	volatile char room[40];

	room[depth % 40] = 1;
	if (!depth)
		raise(SIGUSR1);
	else
		sunk += (unsigned)dive(depth - 1);
	return room[depth % 40];
}

static void deep(void)
{
	dive(200);
	alike("200 calls of itself");
	last.compare = false;
	dive(600);
	ok(last.count == UNWIND_DEPTH && last.unwind.reason == UNWIND_TOO_DEEP,
	   "600 are too deep by default");
	last.max = 1;
	dive(3);
	ok(last.count == 1 && last.unwind.reason == UNWIND_TOO_DEEP, "and for one frame all are");
	last.max = UNWIND_DEPTH;
	last.compare = true;
}

/* ---- what has to be asked for ---- */

static long probes, reads;

static bool counted_probe(uintptr_t address)
{
	probes++;
	return memory_probe_self(address);
}

static bool counted_read(void *context, uintptr_t address, void *to, size_t size)
{
	reads++;
	return memory_read_self(context, address, to, size);
}

static void on_counted(int sig, siginfo_t *info, void *context)
{
	struct registers registers;

	(void)sig;
	(void)info;
	probes = reads = 0;
	registers_of(&registers, context);
	last.unwind = self_unwind();
	last.unwind.memory.probe = counted_probe;
	last.unwind.memory.read = counted_read;
	last.count = unwind_walk(&last.unwind, &registers, last.pcs, UNWIND_DEPTH);
	trace_from(&last.libgcc, registers.value[ARCH_FRAME_PC]);
	last.equal = trace_equal(&last.libgcc, last.pcs, last.count);
}

NOINLINE static void with_room(size_t size)
{
	volatile char *room = alloca(size);

	room[0] = 0;
	raise(SIGUSR2);
	sunk += (unsigned)room[0];
}

/* Frames that are larger than a page, with the stack pointer in each part of one in turn. */
static void large_frames(void)
{
	const size_t page = page_size(), pages = 20;
	bool equal = true, cheap = true;

	handle(SIGUSR2, on_counted, 0);
	for (size_t i = 64; i <= page; i += 64) {
		with_room(pages * page + i);
		equal = equal && last.equal && last.unwind.reason == UNWIND_END;
		/* Beside those pages, that of the stack pointer and those of main(). The first
		 * frame may begin in the page below the first known one. */
		cheap = cheap && probes <= (long)pages + 4 && reads <= ARCH_FRAME_KEPT;
	}
	ok(equal, "a frame of %zu pages is passed", pages);
	ok(cheap, "each of them is probed once, and what follows is not asked for");
	with_room(pages * page * 10);
	ok(last.equal && reads > 0 && probes < (long)pages,
	   "one of %zu is not worth it: %ld words are read", pages * 10, reads);
}

/* ---- code that nothing describes ---- */

NOINLINE static void from_generated(void)
{
	raise(SIGUSR1);
	sunk++;
}

NOINLINE static void run_generated(void *code)
{
	((void (*)(void (*)(void)))code)(from_generated);
	sunk++;
}

static bool has(uintptr_t low, uintptr_t size)
{
	for (int i = 0; i < last.count; i++)
		if (last.pcs[i] - low < size)
			return true;
	return false;
}

/* The callers of main(). */
static uint64_t of_main[3];
static int of_main_count;

static bool ends_in_main(void)
{
	int first = last.count - of_main_count;

	return first > 0 &&
	       memcmp(last.pcs + first, of_main, (size_t)of_main_count * sizeof(*of_main)) == 0;
}

static void code_without_rules(void)
{
	char *page = pages_new(1);
	/* Not at its start: a sanitizer of clang looks for a mark before a function that is called.
	 */
	char *code = page + 64;
	struct mapping mapping = { .start = (uintptr_t)page,
				   .end = (uintptr_t)page + page_size(),
				   .direct_end = (uintptr_t)page,
				   .flags = MAPPING_CODE };
	struct eh_table *table;

	memcpy(code, generated, sizeof(generated));
	__builtin___clear_cache(code, code + sizeof(generated));
	pages_protect(page, 1, PROT_READ | PROT_EXEC);
	last.compare = false;
	run_generated(code);
	ok(has((uintptr_t)page, page_size()) && last.unwind.certain < last.count,
	   "unregistered code is in doubt: %d frames, %d certain, %s", last.count,
	   last.unwind.certain, unwind_reason_name(last.unwind.reason));
	table = objects_begin(&self_objects);
	self_fill(table);
	table_put(table, &mapping);
	objects_publish(&self_objects);
	run_generated(code);
	ok(has((uintptr_t)page, page_size()) && last.unwind.reason == UNWIND_END &&
		   last.unwind.certain < last.count && ends_in_main(),
	   "with a frame pointer it is passed, and what follows is in doubt: %d frames, %d certain",
	   last.count, last.unwind.certain);
	self_refresh();
	last.compare = true;
}

/* ---- stacks that cannot be read ---- */

/* Code whose return address is at the stack pointer. */
#if defined(__aarch64__) || defined(__riscv)
#ifdef __riscv
#define LINK "ra"
#else
#define LINK "x30"
#endif
__asm__(".text\n"
	"pushed: .cfi_startproc\n"
	".cfi_def_cfa_offset 8\n"
	".cfi_offset " LINK ", -8\n"
	"nop\n"
	"nop\n"
	".cfi_endproc\n");
extern char pushed[] __attribute__((visibility("hidden")));
#define PUSHED pushed
#else
#define PUSHED dive
#endif

static int walk_from(uintptr_t sp, uintptr_t fp, uintptr_t pc)
{
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = sp;
	registers.value[ARCH_FRAME_FP] = fp;
	registers.value[ARCH_FRAME_PC] = pc;
	last.unwind = self_unwind();
	last.count = unwind_walk(&last.unwind, &registers, last.pcs, UNWIND_DEPTH);
	return last.count;
}

static void bad_stacks(void)
{
	uintptr_t pc = (uintptr_t)PUSHED;
	char *pages = pages_new(2);
	uintptr_t *loop = (uintptr_t *)pages;

	walk_from(0, 0, pc);
	ok(last.count == 1 && last.unwind.reason == UNWIND_BAD_MEMORY, "no stack");
	walk_from(UINTPTR_MAX - (sizeof(uintptr_t) - 1), 0, pc);
	ok(last.count == 1 && last.unwind.reason == UNWIND_BAD_MEMORY, "the last word there is");
	walk_from(UINTPTR_MAX / 2 + 1, 0, pc);
	ok(last.count == 1 && last.unwind.reason == UNWIND_BAD_MEMORY, "an address that is none");
	pages_protect(pages + page_size(), 1, PROT_NONE);
	walk_from((uintptr_t)pages + page_size() - sizeof(uintptr_t), 0, pc);
	ok(last.count == 1 && last.unwind.reason == UNWIND_END, "a return address of 0");
	walk_from((uintptr_t)pages + page_size(), 0, pc);
	ok(last.count == 1 && last.unwind.reason == UNWIND_BAD_MEMORY, "a page that is not there");
	walk_from((uintptr_t)pages + page_size() - sizeof(uintptr_t) / 2, 0, pc);
	ok(last.count == 1 && last.unwind.reason == UNWIND_BAD_MEMORY, "half of a word");
	walk_from((uintptr_t)pages, 0, 0x1000);
	ok(last.count == 1 && last.unwind.reason == UNWIND_LIKELY_END, "no code, no frame pointer");
	walk_from((uintptr_t)pages, (uintptr_t)pages - 16, 0x1000);
	ok(last.count == 1 && last.unwind.reason == UNWIND_NO_RULE, "a frame pointer too low");
	walk_from((uintptr_t)pages, (uintptr_t)pages + 33, 0x1000);
	ok(last.count == 1 && last.unwind.reason == UNWIND_NO_RULE, "or not aligned");
	/* Return addresses everywhere: the stack ends before they do. */
	for (size_t i = 0; i < page_size() / sizeof(*loop); i++)
		loop[i] = pc + 1;
	walk_from((uintptr_t)pages + page_size() - 256 * sizeof(*loop), 0, pc);
	ok(last.unwind.reason == UNWIND_BAD_MEMORY && last.count > 10,
	   "a stack that goes on until it is gone: %d frames", last.count);
}

/* ---- at random moments ---- */

/* Without memcpy(): a third of glibc 2.36's for i386 CPUs with SSSE3 is described as if one more
 * register had been popped. */
static void libc_at_work(void)
{
	static const char *const words[] = { "a+b*c", "(x|y)*z", "[0-9]+\\.[0-9]*" };
	char text[300];

	for (int i = 0; i < 3; i++) {
		regex_t regex;

		snprintf(text, sizeof(text), "%s %f %d %s", words[i], i * 3.7e10, i, "xyxyz 12.5");
		if (!regcomp(&regex, words[i], REG_EXTENDED)) {
			sunk += (unsigned)regexec(&regex, text, 0, NULL, 0);
			regfree(&regex);
		}
		sunk += (unsigned)strlen(text) + (strtod(text + 5, NULL) > 0);
	}
}

/* Functions that do next to nothing: under dwell calls, most of the time is in the wrapper. */
static void small_calls(void)
{
	for (int i = 0; i < 1000; i++)
		sunk += (unsigned)(strtol("7", NULL, 10) + getpagesize() + toupper(i % 256));
}

/* Under dwell calls the linker asks the auditor each time, not only when it binds a function.
 * Signals are blocked there meanwhile, and arrive when it is about to return. */
static void look_ups(void)
{
	for (int i = 0; i < 100; i++)
		sunk += dlsym(RTLD_DEFAULT, "strtol") != NULL;
}

static void note_odd(void)
{
	for (int i = 0; i < last.odd_count; i++) {
		Dl_info info = { 0 };
		bool known = dladdr((void *)(uintptr_t)last.odd_pcs[i], &info);

		note("%s+%#lx in %s", info.dli_sname ? info.dli_sname : "?",
		     (unsigned long)(last.odd_pcs[i] -
				     (uintptr_t)(info.dli_saddr ? info.dli_saddr : info.dli_fbase)),
		     known ? info.dli_fname : "?");
	}
}

static void at_random(const char *where, void (*work)(void), long times)
{
	const long us = is_emulated() ? 600 : 30; /* which takes longer for a signal */
	const long enough = is_emulated() ? times / 10 : times;

	last.taken = last.different = last.unfinished = 0;
	handle(SIGALRM, on_signal, SA_RESTART);
	last.next.it_value.tv_usec = us;
	setitimer(ITIMER_REAL, &last.next, NULL);
	while (last.taken < enough)
		work();
	last.next.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &last.next, NULL);
	if (!ok(!last.different && !last.unfinished,
		"%ld times in %s: %ld other than libgcc, %ld not to the end", last.taken, where,
		last.different, last.unfinished))
		note_odd();
}

/* libgcc knows nothing about other namespaces without support from libc. */
static void in_auditor(void)
{
	if (dlsym(RTLD_DEFAULT, "_dl_find_object"))
		at_random("dlsym(), and in the auditor if there is one", look_ups, 2000);
	else
		skip("dlsym()", "this libgcc would not find the auditor");
}

/* ---- how much stack it takes ---- */

/* Only this walk, and no cache, so that every rule is searched. */
static void on_measured(int sig, siginfo_t *info, void *context)
{
	struct registers registers;

	(void)sig;
	(void)info;
	registers_of(&registers, context);
	last.unwind = self_unwind();
	last.unwind.cache = NULL;
	last.count = unwind_walk(&last.unwind, &registers, last.pcs, UNWIND_DEPTH);
}

static void on_nothing(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
}

static size_t stack_used(void (*handler)(int, siginfo_t *, void *))
{
	static char room[64 * 1024] __attribute__((aligned(64)));
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	size_t unused = 0;

	memset(room, 0x5a, sizeof(room));
	sigaltstack(&stack, NULL);
	handle(SIGUSR2, handler, SA_ONSTACK);
	raise(SIGUSR2);
	while (unused < sizeof(room) && room[unused] == 0x5a)
		unused++;
	return sizeof(room) - unused;
}

NOINLINE static size_t measured_aligned(int size)
{
	volatile char lined[64] __attribute__((aligned(64)));
	volatile char *room = alloca((size_t)size);

	lined[size] = room[0] = (char)size;
	return stack_used(on_measured) + (lined[size] ^ room[0]);
}

static void stack_use(void)
{
	size_t nothing = stack_used(on_nothing), all = measured_aligned(7);

#if defined(__OPTIMIZE__) && !IS_SANITIZED
	if (getenv("HAS_COUNTERS")) {
		note("a walk takes %zu bytes of stack with gcov's counters", all - nothing);
		skip("the stack that a walk takes", "gcov's counters take some themselves");
		return;
	}
	ok(all - nothing < UNWIND_STACK_BYTES, "a walk takes %zu bytes of stack", all - nothing);
#else
	note("a walk takes %zu bytes of stack, not being optimised", all - nothing);
#endif
}

/* ---- registers that functions preserve ---- */

/* Functions that hold a number in a register while they call another function. The first describes
 * where it has stored the register of its caller, and the second does not, as where compilers take
 * it for a global variable. */
void holder(void (*function)(void), uintptr_t number);
void global_holder(void (*function)(void), uintptr_t number);
extern const char holder_end[], global_holder_end[], global_holder_stored[];

#ifdef __x86_64__
#define HELD_REGISTER 14
#define HOLDER_FRAME  32
#define HOLDER_PLACE  8
#define HOLDER(name, described)                                                                    \
#name ": .cfi_startproc\n"                                                                 \
	      "	sub $24, %rsp\n"                                                                   \
	      "	.cfi_def_cfa_offset 32\n"                                                          \
	      "	mov %r14, 8(%rsp)\n" #name "_stored:\n" described "	mov %rsi, %r14\n"              \
	      "	call *%rdi\n"                                                                      \
	      "	mov 8(%rsp), %r14\n"                                                               \
	      "	add $24, %rsp\n"                                                                   \
	      "	.cfi_def_cfa_offset 8\n"                                                           \
	      "	ret\n"                                                                             \
	      "	.cfi_endproc\n" #name "_end:\n"
#define DESCRIBED "	.cfi_offset 14, -24\n"
#elif defined(__aarch64__)
#define HELD_REGISTER 27
#define HOLDER_FRAME  48
#define HOLDER_PLACE  16
#define HOLDER(name, described)                                                                    \
#name ": .cfi_startproc\n"                                                                 \
	      "	stp x29, x30, [sp, #-48]!\n"                                                       \
	      "	.cfi_def_cfa_offset 48\n"                                                          \
	      "	.cfi_offset 29, -48\n"                                                             \
	      "	.cfi_offset 30, -40\n"                                                             \
	      "	str x27, [sp, #16]\n" #name "_stored:\n" described "	mov x27, x1\n"                \
	      "	blr x0\n"                                                                          \
	      "	ldr x27, [sp, #16]\n"                                                              \
	      "	ldp x29, x30, [sp], #48\n"                                                         \
	      "	.cfi_restore 29\n"                                                                 \
	      "	.cfi_restore 30\n"                                                                 \
	      "	.cfi_def_cfa_offset 0\n"                                                           \
	      "	ret\n"                                                                             \
	      "	.cfi_endproc\n" #name "_end:\n"
#define DESCRIBED "	.cfi_offset 27, -32\n"
#endif

#ifdef HELD_REGISTER
__asm__(".text\n"
	".globl holder, holder_stored, holder_end\n"
	".globl global_holder, global_holder_stored, global_holder_end\n" HOLDER(holder, DESCRIBED)
		HOLDER(global_holder, ""));

/* Calls a holder again, so that two frames of it are in the stack. */
static void (*hold)(void (*function)(void), uintptr_t number);

static void hold_again(void)
{
	static int depth;

	if (++depth % 2)
		hold(hold_again, 2);
	else
		raise(SIGUSR1);
	sunk++;
}

static void kept_registers(void)
{
	static struct unwind_kept kept = { .registers = { HELD_REGISTER } };

	kept.start = (uintptr_t)holder;
	kept.end = (uintptr_t)holder_end;
	last.kept = &kept;
	hold = holder;
	hold(hold_again, 1);
	ok(kept.count == 2 && kept.frames[0].value[0] == 2 && kept.frames[1].value[0] == 1,
	   "registers that functions preserve are noted, of frames in a range");
	ok(kept.count == 2 && last.pcs[kept.frames[0].frame] == last.pcs[kept.frames[1].frame] &&
		   last.pcs[kept.frames[0].frame] - kept.start < kept.end - kept.start,
	   "with the frames that they are of");
	kept.start = (uintptr_t)global_holder;
	kept.end = (uintptr_t)global_holder_end;
	hold = global_holder;
	hold(hold_again, 1);
	ok(kept.count == 2 && kept.frames[0].value[0] == 2 && kept.frames[1].value[0] == 2,
	   "a register that a function stores without a description is that of the inner frame");
	kept.globals = (struct arch_globals){
		.stored = (uint16_t)(global_holder_stored - (const char *)(uintptr_t)global_holder),
		.frame_bytes = HOLDER_FRAME,
		.place = { HOLDER_PLACE },
	};
	hold(hold_again, 1);
	ok(kept.count == 2 && kept.frames[0].value[0] == 2 && kept.frames[1].value[0] == 1,
	   "unless the place is known");
	kept.globals.frame_bytes += 8;
	hold(hold_again, 1);
	ok(kept.count == 2 && kept.frames[1].value[0] == 2, "a frame of another size has it not");
	last.kept = NULL;
}
#else
static void kept_registers(void)
{
	skip("registers that functions preserve", "this test has no code for this CPU");
}
#endif

int main(void)
{
	self_init();
	last.compare = true;
	last.max = UNWIND_DEPTH;
	handle(SIGUSR1, on_signal, 0);
	raise(SIGUSR1);
	for (int i = last.count - 3; i < last.count; i++)
		of_main[of_main_count++] = last.pcs[i];
	kept_registers();
	other_stacks();
	own_restorer();
	deep();
	large_frames();
	code_without_rules();
	bad_stacks();
	at_random("the middle of libc", libc_at_work, 5000);
	at_random("small functions of libc", small_calls, 20000);
	in_auditor();
	stack_use();
	return tap_done();
}
