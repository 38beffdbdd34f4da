/* SPDX-License-Identifier: MIT
 *
 * sees_crowd_library.c - a library with 2,500 functions, crowd_000() to crowd_2499(), and one that
 * calls each of them once through the PLT.
 */
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n)                                                                              \
	TEN(X, n##0)                                                                               \
	TEN(X, n##1)                                                                               \
	TEN(X, n##2)                                                                               \
	TEN(X, n##3)                                                                               \
	TEN(X, n##4)                                                                               \
	TEN(X, n##5)                                                                               \
	TEN(X, n##6)                                                                               \
	TEN(X, n##7)                                                                               \
	TEN(X, n##8)                                                                               \
	TEN(X, n##9)
#define FIVE_HUNDRED(X, a, b, c, d, e)                                                             \
	HUNDRED(X, a) HUNDRED(X, b) HUNDRED(X, c) HUNDRED(X, d) HUNDRED(X, e)
#define CROWD(X)                                                                                   \
	FIVE_HUNDRED(X, 0, 1, 2, 3, 4)                                                             \
	FIVE_HUNDRED(X, 5, 6, 7, 8, 9)                                                             \
	FIVE_HUNDRED(X, 10, 11, 12, 13, 14)                                                        \
	FIVE_HUNDRED(X, 15, 16, 17, 18, 19)                                                        \
	FIVE_HUNDRED(X, 20, 21, 22, 23, 24)

#define DEFINE(n)                                                                                  \
	int crowd_##n(int x);                                                                      \
	int crowd_##n(int x)                                                                       \
	{                                                                                          \
		return x + 1;                                                                      \
	}
CROWD(DEFINE)

int crowd_all(int x);

#define CALL(n) x = crowd_##n(x);
int crowd_all(int x)
{
	CROWD(CALL)
	return x;
}
