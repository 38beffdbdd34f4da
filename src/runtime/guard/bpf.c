/* SPDX-License-Identifier: MIT
 *
 * bpf.c - the classic BPF that seccomp(2) permits: loads of words of struct seccomp_data,
 * arithmetic, jumps ahead.
 */
#include "bpf.h"

#include <stdbool.h>

#define NONSENSE SECCOMP_RET_KILL_PROCESS

struct machine {
	uint32_t a, x;
	uint32_t memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
	size_t next; /* the next instruction */
};

/* Returns false if there is no such word. */
static bool load(struct machine *m, const struct sock_filter *code, uint32_t *to)
{
	switch (BPF_MODE(code->code)) {
	case BPF_IMM:
		*to = code->k;
		return true;
	case BPF_LEN:
		*to = sizeof(*m->data);
		return true;
	case BPF_MEM:
		*to = m->memory[code->k % BPF_MEMWORDS];
		return true;
	case BPF_ABS:
		if (code->k % sizeof(uint32_t) || code->k >= sizeof(*m->data))
			return false;
		*to = ((const uint32_t *)m->data)[code->k / sizeof(uint32_t)];
		return true;
	default:
		return false;
	}
}

static bool compute(struct machine *m, const struct sock_filter *code)
{
	uint32_t value = BPF_SRC(code->code) == BPF_X ? m->x : code->k;

	switch (BPF_OP(code->code)) {
	case BPF_ADD:
		m->a += value;
		return true;
	case BPF_SUB:
		m->a -= value;
		return true;
	case BPF_MUL:
		m->a *= value;
		return true;
	case BPF_DIV:
		m->a = value ? m->a / value : 0;
		return value != 0;
	case BPF_AND:
		m->a &= value;
		return true;
	case BPF_OR:
		m->a |= value;
		return true;
	case BPF_XOR:
		m->a ^= value;
		return true;
	case BPF_LSH:
		m->a = value < 32 ? m->a << value : 0;
		return true;
	case BPF_RSH:
		m->a = value < 32 ? m->a >> value : 0;
		return true;
	case BPF_NEG:
		m->a = -m->a;
		return true;
	default:
		return false;
	}
}

static bool jump(struct machine *m, const struct sock_filter *code)
{
	uint32_t value = BPF_SRC(code->code) == BPF_X ? m->x : code->k;
	bool holds;

	switch (BPF_OP(code->code)) {
	case BPF_JA:
		m->next += code->k;
		return true;
	case BPF_JEQ:
		holds = m->a == value;
		break;
	case BPF_JGT:
		holds = m->a > value;
		break;
	case BPF_JGE:
		holds = m->a >= value;
		break;
	case BPF_JSET:
		holds = m->a & value;
		break;
	default:
		return false;
	}
	m->next += holds ? code->jt : code->jf;
	return true;
}

/* Executes any instruction but a return. false: it is invalid. */
static bool step(struct machine *m, const struct sock_filter *code)
{
	switch (BPF_CLASS(code->code)) {
	case BPF_LD:
		return load(m, code, &m->a);
	case BPF_LDX:
		return load(m, code, &m->x);
	case BPF_ST:
		m->memory[code->k % BPF_MEMWORDS] = m->a;
		return true;
	case BPF_STX:
		m->memory[code->k % BPF_MEMWORDS] = m->x;
		return true;
	case BPF_ALU:
		return compute(m, code);
	case BPF_JMP:
		return jump(m, code);
	case BPF_MISC:
		if (BPF_MISCOP(code->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
		return true;
	default:
		return false;
	}
}

uint32_t bpf_run(const struct sock_filter *filter, size_t count, const struct seccomp_data *data)
{
	struct machine m;

	m.a = m.x = 0;
	for (size_t i = 0; i < BPF_MEMWORDS; i++)
		m.memory[i] = 0;
	m.data = data;
	m.next = 0;
	while (m.next < count) {
		const struct sock_filter *code = &filter[m.next++];

		if (BPF_CLASS(code->code) == BPF_RET)
			return BPF_RVAL(code->code) == BPF_A ? m.a : code->k;
		if (!step(&m, code))
			return NONSENSE;
	}
	return NONSENSE;
}
