/* SPDX-License-Identifier: MIT
 *
 * test_bpf.c - filters have the same result here as in the kernel: random ones are installed in a
 * child, which makes a system call and reports its result.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/guard/bpf.h"
#include "sys.h"

#include "unit/random64.h"
#include "tap.h"

#define CODES_MAX 64
#define FILTERS   400

static uint64_t state = 17;

static uint32_t pick(uint32_t below)
{
	return (uint32_t)random64_below(&state, below);
}

/* Loads a word of the arguments, or of the system call's identity. */
static struct sock_filter random_load(void)
{
	static const uint16_t loads[] = { BPF_LD | BPF_W | BPF_ABS, BPF_LD | BPF_IMM,
					  BPF_LDX | BPF_IMM, BPF_LD | BPF_W | BPF_LEN,
					  BPF_LDX | BPF_W | BPF_LEN };
	uint16_t code = loads[pick(5)];
	uint32_t k = code == (BPF_LD | BPF_W | BPF_ABS)
			     ? pick(2) * 4 + (pick(2) ? 16 + 8 * pick(6) : 0)
			     : (uint32_t)random64_below(&state, UINT32_MAX);

	return (struct sock_filter){ code, 0, 0, k };
}

static struct sock_filter random_arithmetic(void)
{
	static const uint16_t operations[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
					       BPF_OR,  BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG };
	uint16_t operation = operations[pick(10)];
	bool by_x = operation != BPF_DIV && operation != BPF_LSH && operation != BPF_RSH && pick(2);

	return (struct sock_filter){ (uint16_t)(BPF_ALU | operation | (by_x ? BPF_X : BPF_K)), 0, 0,
				     1 + pick(31) };
}

static struct sock_filter random_jump(size_t left)
{
	static const uint16_t conditions[] = { BPF_JA, BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };
	uint16_t condition = conditions[pick(5)];
	uint8_t far = (uint8_t)pick((uint32_t)left), near = (uint8_t)pick((uint32_t)left);

	if (condition == BPF_JA)
		return (struct sock_filter){ BPF_JMP | BPF_JA, 0, 0, far };
	return (struct sock_filter){ (uint16_t)(BPF_JMP | condition | (pick(2) ? BPF_X : BPF_K)),
				     far, near,
				     pick(2) ? pick(64)
					     : (uint32_t)random64_below(&state, UINT32_MAX) };
}

/* Ends with an errno made of A. */
static size_t random_filter(struct sock_filter *codes)
{
	static const struct sock_filter end[] = {
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7ff),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO | 0x800),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	size_t count = 0, body = 4 + pick(CODES_MAX - 16);

	/* The child's other system calls pass. */
	codes[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	codes[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 1, 0);
	codes[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	for (uint32_t i = 0; i < BPF_MEMWORDS; i++) /* the kernel requires a write before a read */
		codes[count++] = (struct sock_filter)BPF_STMT(pick(2) ? BPF_ST : BPF_STX, i);
	while (count < body + BPF_MEMWORDS) {
		switch (pick(5)) {
		case 0:
			codes[count++] = random_load();
			break;
		case 1:
			codes[count++] = random_arithmetic();
			break;
		case 2:
			codes[count] = random_jump(body + BPF_MEMWORDS - count);
			count++;
			break;
		case 3:
			codes[count++] = (struct sock_filter)BPF_STMT(
				BPF_MISC | (pick(2) ? BPF_TAX : BPF_TXA), 0);
			break;
		default:
			codes[count++] = (struct sock_filter)BPF_STMT(
				(pick(2) ? BPF_LD : BPF_LDX) | BPF_MEM, pick(BPF_MEMWORDS));
		}
	}
	memcpy(codes + count, end, sizeof(end));
	return count + sizeof(end) / sizeof(end[0]);
}

/* Returns the kernel's result; 0: it rejects the filter. */
static long by_kernel(struct sock_filter *codes, size_t count, const long arguments[6])
{
	struct sock_fprog program = { (unsigned short)count, codes };
	int pipes[2];
	long answer = 0;
	pid_t child;

	if (pipe(pipes))
		bail_out("pipe()");
	child = fork();
	if (child == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
			answer = arch_syscall(SYS_getppid, arguments[0], arguments[1], arguments[2],
					      arguments[3], arguments[4], arguments[5]);
		if (write(pipes[1], &answer, sizeof(answer)) != sizeof(answer))
			_exit(1);
		_exit(0);
	}
	close(pipes[1]);
	if (read(pipes[0], &answer, sizeof(answer)) != sizeof(answer))
		answer = 1;
	close(pipes[0]);
	waitpid(child, NULL, 0);
	return answer;
}

static void as_the_kernel(void)
{
	int same = 0, refused = 0;

	for (int i = 0; i < FILTERS; i++) {
		struct sock_filter codes[2 * CODES_MAX];
		size_t count = random_filter(codes);
		struct seccomp_data data = { .nr = SYS_getppid, .arch = ARCH_AUDIT };
		long arguments[6], kernel;

		for (int j = 0; j < 6; j++) {
			arguments[j] = (long)random64_below(&state, UINT64_MAX);
			data.args[j] = (unsigned long)arguments[j];
		}
		kernel = by_kernel(codes, count, arguments);
		if (kernel == 0)
			refused++;
		else if (bpf_run(codes, count, &data) == (SECCOMP_RET_ERRNO | (uint32_t)-kernel))
			same++;
		else
			note("filter %d: the kernel says %ld, we %x", i, kernel,
			     bpf_run(codes, count, &data));
	}
	if (refused == FILTERS)
		skip("random filters", "this kernel takes none");
	else
		ok(same + refused == FILTERS && same > FILTERS / 2,
		   "%d random filters say what they say in the kernel", same);
}

static void nonsense(void)
{
	static const struct sock_filter endless[] = { BPF_STMT(BPF_LD | BPF_IMM, 1) },
					odd[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2),
						  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
					far[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							   sizeof(struct seccomp_data)),
						  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
					by_zero[] = { BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0),
						      BPF_STMT(BPF_RET | BPF_K,
							       SECCOMP_RET_ALLOW) };
	const struct seccomp_data data = { .nr = 1 };

	ok(bpf_run(NULL, 0, &data) == SECCOMP_RET_KILL_PROCESS, "no filter at all permits nothing");
	ok(bpf_run(endless, 1, &data) == SECCOMP_RET_KILL_PROCESS, "nor does one without an end");
	ok(bpf_run(odd, 2, &data) == SECCOMP_RET_KILL_PROCESS, "nor one that loads half a word");
	ok(bpf_run(far, 2, &data) == SECCOMP_RET_KILL_PROCESS,
	   "nor one that loads what is not there");
	ok(bpf_run(by_zero, 2, &data) == SECCOMP_RET_KILL_PROCESS, "nor one that divides by 0");
}

int main(void)
{
	as_the_kernel();
	nonsense();
	return tap_done();
}
