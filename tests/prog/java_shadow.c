/* SPDX-License-Identifier: MIT
 *
 * java_shadow.c - native functions that JavaTruth.java calls its methods through: shadow_K calls
 * f_K. The functions of a virtual machine are in a table, in an order that does not change.
 */
#include <stdint.h>

typedef void *const *const *env_t;

enum { GET_STATIC_METHOD = 113, CALL_STATIC_INT = 131 };

static int call(env_t env, void *class, const char *name, int depth)
{
	void *(*find)(env_t, void *, const char *, const char *);
	int (*run)(env_t, void *, void *, const int64_t *);
	const int64_t arguments[] = { depth };
	void *method;

	*(void **)&find = (*env)[GET_STATIC_METHOD];
	*(void **)&run = (*env)[CALL_STATIC_INT];
	method = find(env, class, name, "(I)I");
	return method ? run(env, class, method, arguments) : 0;
}

#define SHADOW(number)                                                                             \
	int shadow_##number(env_t env, void *class, int depth);                                    \
	int shadow_##number(env_t env, void *class, int depth)                                     \
	{                                                                                          \
		return call(env, class, "f_" #number, depth) + number;                             \
	}

SHADOW(0)
SHADOW(1)
SHADOW(2)
SHADOW(3)
SHADOW(4)
SHADOW(5)
SHADOW(6)
SHADOW(7)

int Java_JavaTruth_call(env_t env, void *self, int number, void *class, int depth);
int Java_JavaTruth_call(env_t env, void *self, int number, void *class, int depth)
{
	static int (*const shadows[])(env_t, void *, int) = { shadow_0, shadow_1, shadow_2,
							      shadow_3, shadow_4, shadow_5,
							      shadow_6, shadow_7 };

	(void)self;
	return shadows[number](env, class, depth) + 1;
}
