/* SPDX-License-Identifier: MIT
 *
 * calls_plugin.c - libcalls_plugin_NAME.so: a plugin with one function, plugin_NAME(), and some
 * static TLS if it is told how much. With NOWHERE, it imports a function that is never called, and
 * that no library defines.
 */
#include <string.h>

#ifndef STATIC_TLS
#define STATIC_TLS 1
#define ALIGNMENT  1
#endif

int PLUGIN(int a, int b);
#ifdef NOWHERE
int NOWHERE(void); /* which no library defines */
#endif

static __thread char memory[STATIC_TLS]
	__attribute__((tls_model("initial-exec"), aligned(ALIGNMENT)));

int PLUGIN(int a, int b)
{
#ifdef NOWHERE
	if (a < 0)
		return NOWHERE();
#endif
	memset(memory, a, STATIC_TLS);
	return memory[STATIC_TLS - 1] + b;
}
