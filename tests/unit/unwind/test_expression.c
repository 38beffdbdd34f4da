/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <errno.h>

#include "unwind/expression.h"

/* Registers by name. */
#define BREG_SP (DW_OP_breg0 + ARCH_FRAME_SP)
#define BREG_FP (DW_OP_breg0 + ARCH_FRAME_FP)
#define BREG_PC DW_OP_bregx, ARCH_FRAME_PC

/* A register that is neither of these. */
#define SOME 3

#define WORD_BITS         (8 * sizeof(uintptr_t))
#define BYTES(...)        ((const uint8_t[]){ __VA_ARGS__ })
#define RUN(result, ...)  run(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)), &fake.memory, result)
#define FOLD(result, ...) run(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)), NULL, result)

static struct registers registers;

static int run(const uint8_t *code, size_t size, const struct memory *memory,
	       struct expression_value *result)
{
	struct unwind_data data;

	fake.size = 0;
	fake_u8((unsigned)size);
	fake_bytes(code, size);
	fake_publish();
	data = fake_data();
	return expression_run(&data, FAKE_DATA, memory ? &fake.memory : NULL, &registers, NULL,
			      result);
}

static void value_of(const char *what, uintptr_t expected, const uint8_t *code, size_t size)
{
	struct expression_value value = { 0 };
	int err = run(code, size, &fake.memory, &value);

	ok(!err && value.number == expected, "%s is %#lx: %d, %#lx", what, (unsigned long)expected,
	   err, (unsigned long)value.number);
}

#define VALUE(what, expected, ...)                                                                 \
	value_of(what, (uintptr_t)(expected), BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))

/* As wide as an address. */
static void address_operand(void)
{
	const uintptr_t address = (uintptr_t)UINT64_C(0x0807060504030201);
	uint8_t code[1 + sizeof(address)] = { DW_OP_addr };

	memcpy(code + 1, &address, sizeof(address));
	value_of("addr", address, code, sizeof(code));
}

static void constants(void)
{
	VALUE("lit0", 0, DW_OP_lit0);
	VALUE("lit31", 31, DW_OP_lit31);
	address_operand();
	VALUE("const1u", 0xff, DW_OP_const1u, 0xff);
	VALUE("const1s", -1, DW_OP_const1s, 0xff);
	VALUE("const2u", 0xfffe, DW_OP_const2u, 0xfe, 0xff);
	VALUE("const2s", -2, DW_OP_const2s, 0xfe, 0xff);
	VALUE("const4u", 0xfffffffd, DW_OP_const4u, 0xfd, 0xff, 0xff, 0xff);
	VALUE("const4s", -3, DW_OP_const4s, 0xfd, 0xff, 0xff, 0xff);
	VALUE("const8u", 1, DW_OP_const8u, 1, 0, 0, 0, 0, 0, 0, 0);
	VALUE("constu", 624485, DW_OP_constu, 0xe5, 0x8e, 0x26);
	VALUE("consts", -123456, DW_OP_consts, 0xc0, 0xbb, 0x78);
}

static void stack_operations(void)
{
	VALUE("dup", 6, DW_OP_lit0 + 3, DW_OP_dup, DW_OP_plus);
	VALUE("drop", 1, DW_OP_lit0 + 1, DW_OP_lit0 + 2, DW_OP_drop);
	VALUE("over", 1, DW_OP_lit0 + 1, DW_OP_lit0 + 2, DW_OP_over);
	VALUE("pick 2", 1, DW_OP_lit0 + 1, DW_OP_lit0 + 2, DW_OP_lit0 + 3, DW_OP_pick, 2);
	VALUE("swap, minus", 1, DW_OP_lit0 + 1, DW_OP_lit0 + 2, DW_OP_swap, DW_OP_minus);
	/* a b c -> c a b */
	VALUE("rot", 2, DW_OP_lit0 + 1, DW_OP_lit0 + 2, DW_OP_lit0 + 3, DW_OP_rot);
	VALUE("rot, drop, drop", 3, DW_OP_lit0 + 1, DW_OP_lit0 + 2, DW_OP_lit0 + 3, DW_OP_rot,
	      DW_OP_drop, DW_OP_drop);
	VALUE("nop", 4, DW_OP_lit0 + 4, DW_OP_nop);
}

static void arithmetic(void)
{
	VALUE("and", 4, DW_OP_lit0 + 6, DW_OP_lit0 + 12, DW_OP_and);
	VALUE("or", 14, DW_OP_lit0 + 6, DW_OP_lit0 + 12, DW_OP_or);
	VALUE("xor", 10, DW_OP_lit0 + 6, DW_OP_lit0 + 12, DW_OP_xor);
	VALUE("minus", -6, DW_OP_lit0 + 6, DW_OP_lit0 + 12, DW_OP_minus);
	VALUE("mul", 72, DW_OP_lit0 + 6, DW_OP_lit0 + 12, DW_OP_mul);
	VALUE("div", -4, DW_OP_const1s, 0xf8, DW_OP_lit0 + 2, DW_OP_div);
	VALUE("div of the least number by -1", (uintptr_t)1 << (WORD_BITS - 1), DW_OP_lit0 + 1,
	      DW_OP_const1u, WORD_BITS - 1, DW_OP_shl, DW_OP_const1s, 0xff, DW_OP_div);
	VALUE("mod", 2, DW_OP_lit0 + 17, DW_OP_lit0 + 5, DW_OP_mod);
	VALUE("neg", -5, DW_OP_lit0 + 5, DW_OP_neg);
	VALUE("not", -6, DW_OP_lit0 + 5, DW_OP_not);
	VALUE("abs", 5, DW_OP_const1s, 0xfb, DW_OP_abs);
	VALUE("plus_uconst", 133, DW_OP_lit0 + 5, DW_OP_plus_uconst, 0x80, 1);
	VALUE("shl by all bits", 0, DW_OP_lit0 + 5, DW_OP_const1u, WORD_BITS, DW_OP_shl);
	VALUE("shr of -1", UINTPTR_MAX >> 1, DW_OP_const1s, 0xff, DW_OP_lit0 + 1, DW_OP_shr);
	VALUE("shr", 1, DW_OP_lit0 + 5, DW_OP_lit0 + 2, DW_OP_shr);
	VALUE("shra", -2, DW_OP_const1s, 0xf8, DW_OP_lit0 + 2, DW_OP_shra);
	VALUE("shra by 200", -1, DW_OP_const1s, 0xf8, DW_OP_const1u, 200, DW_OP_shra);
	VALUE("-1 < 1", 1, DW_OP_const1s, 0xff, DW_OP_lit0 + 1, DW_OP_lt);
	VALUE("-1 <= -1", 1, DW_OP_const1s, 0xff, DW_OP_const1s, 0xff, DW_OP_le);
	VALUE("-1 > 1", 0, DW_OP_const1s, 0xff, DW_OP_lit0 + 1, DW_OP_gt);
	VALUE("-1 >= 1", 0, DW_OP_const1s, 0xff, DW_OP_lit0 + 1, DW_OP_ge);
	VALUE("1 == 1", 1, DW_OP_lit0 + 1, DW_OP_lit0 + 1, DW_OP_eq);
	VALUE("1 != 1", 0, DW_OP_lit0 + 1, DW_OP_lit0 + 1, DW_OP_ne);
}

static void jumps(void)
{
	VALUE("skip", 1, DW_OP_lit0 + 1, DW_OP_skip, 1, 0, DW_OP_lit0 + 2);
	VALUE("bra taken", 1, DW_OP_lit0 + 1, DW_OP_lit0 + 7, DW_OP_bra, 1, 0, DW_OP_lit0 + 2);
	VALUE("bra not taken", 2, DW_OP_lit0 + 1, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit0 + 2);
	/* 10; do minus 1, while it is not 0 */
	VALUE("a loop", 0, DW_OP_lit0 + 10, DW_OP_lit0 + 1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa,
	      0xff);
}

static void registers_and_memory(void)
{
	registers.value[ARCH_FRAME_SP] = FAKE_STACK + 16;
	registers.value[ARCH_FRAME_PC] = FAKE_CODE + 11;
	registers.value[SOME] = 0x1000;
	registers.known = REGISTERS_ALL & ~(UINT64_C(1) << ARCH_FRAME_FP);
	fake.stack[16 / sizeof(uintptr_t)] = (uintptr_t)UINT64_C(0x1122334455667788);
	VALUE("breg - 1", 0xfff, DW_OP_breg0 + SOME, 0x7f);
	VALUE("reg", 0x1000, DW_OP_reg0 + SOME);
	VALUE("bregx + 1", 0x1001, DW_OP_bregx, SOME, 1);
	VALUE("regx", 0x1000, DW_OP_regx, SOME);
	VALUE("deref", (uintptr_t)UINT64_C(0x1122334455667788), BREG_SP, 0, DW_OP_deref);
	VALUE("a PLT, before the push", FAKE_STACK + 24, BREG_SP, 8, BREG_PC, 0, DW_OP_lit0 + 15,
	      DW_OP_and, DW_OP_lit0 + 12, DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl, DW_OP_plus);
	VALUE("and after it", FAKE_STACK + 32, BREG_SP, 8, BREG_PC, 0, DW_OP_lit0 + 15, DW_OP_and,
	      DW_OP_lit0 + 11, DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl, DW_OP_plus);
}

static void failures(void)
{
	struct expression_value value;
	uint8_t deep[40];

	memset(deep, DW_OP_lit0, sizeof(deep));
	ok(RUN(&value, DW_OP_plus) == -EINVAL, "nothing to add");
	ok(RUN(&value, DW_OP_nop) == -EINVAL, "nothing left");
	ok(RUN(&value, DW_OP_lit0, DW_OP_pick, 1) == -EINVAL, "nothing to pick");
	ok(RUN(&value, DW_OP_lit0, DW_OP_lit0, DW_OP_rot) == -EINVAL, "too few to rotate");
	ok(RUN(&value, DW_OP_lit0 + 1, DW_OP_lit0, DW_OP_div) == -EINVAL, "division by 0");
	ok(RUN(&value, DW_OP_lit0 + 1, DW_OP_lit0, DW_OP_mod) == -EINVAL, "remainder of it");
	ok(RUN(&value, DW_OP_const4u, 1, 2) == -EINVAL, "a constant that is cut off");
	ok(RUN(&value, DW_OP_skip, 0xfd, 0xff) == -EINVAL, "an endless loop");
	ok(RUN(&value, DW_OP_skip, 0xf0, 0xff) == -EINVAL, "a jump to before the beginning");
	ok(RUN(&value, DW_OP_skip, 0xf0, 0x0f) == -EINVAL, "a jump to behind the end");
	ok(RUN(&value, 0x9b) == -EINVAL, "an operation that is none here");
	ok(RUN(&value, DW_OP_regx, 0x7f) == -EINVAL, "a register that is not followed");
	ok(RUN(&value, BREG_FP, 0) == -EINVAL, "a register that is not known");
	ok(RUN(&value, DW_OP_lit0, DW_OP_deref) == -EFAULT, "memory that cannot be read");
	ok(RUN(&value, BREG_SP, 0, DW_OP_deref_size, 3) == -EINVAL, "a size of 3");
	ok(run(deep, sizeof(deep), &fake.memory, &value) == -EINVAL, "too much on the stack");
}

static void folding(void)
{
	struct expression_value value;

	ok(!FOLD(&value, BREG_SP, 8) && value.number == 8 &&
		   value.of == EXPRESSION_OF_REGISTER + ARCH_FRAME_SP,
	   "sp + 8 is that for any sp");
	ok(!FOLD(&value, BREG_SP, 8, BREG_PC, 0, DW_OP_lit0 + 15, DW_OP_and, DW_OP_lit0 + 11,
		 DW_OP_ge, DW_OP_lit0 + 3, DW_OP_shl, DW_OP_plus) &&
		   value.number == 16 && value.of == EXPRESSION_OF_REGISTER + ARCH_FRAME_SP,
	   "a PLT's comes down to sp + 16 at this pc");
	ok(!FOLD(&value, BREG_PC, 0, DW_OP_const1s, 0xc0, DW_OP_and, DW_OP_const4s, 0, 0, 0, 8,
		 DW_OP_plus) &&
		   value.number == FAKE_CODE + 0x8000000 && value.of == EXPRESSION_OF_NOTHING,
	   "a stub's to an address");
	ok(FOLD(&value, BREG_FP, 0x78, DW_OP_deref) == -EINVAL,
	   "the contents of memory are not known beforehand");
	ok(FOLD(&value, BREG_FP, 0, BREG_SP, 0, DW_OP_plus) == -EINVAL,
	   "nor the sum of two registers");
	ok(FOLD(&value, BREG_FP, 0, DW_OP_lit0 + 15, DW_OP_and) == -EINVAL, "nor some bits of one");
}

int main(void)
{
	constants();
	stack_operations();
	arithmetic();
	jumps();
	registers_and_memory();
	failures();
	folding();
	return tap_done();
}
