/* SPDX-License-Identifier: MIT
 *
 * sees_copied.c - a pointer in a library's data, which a program has a copy of: it is the program's
 * place that counts (R_X86_64_COPY), and the library reads it there as well.
 */
#include "sees.h"

int main(void)
{
	sees_function copied = sees_upper_twice, own = sees_twice;

	printf("%s, %s\n", copied == own ? "equal" : "different",
	       copied == sees_upper_data() ? "equal" : "different");
	printf("result %d %d\n", copied(1), sees_upper_data()(2));
	expect("sees_twice", "libsees_basic.so", 2);
	expect("sees_upper_data", "libsees_upper.so", 2);
	return 0;
}
