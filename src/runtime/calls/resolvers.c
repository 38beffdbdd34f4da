/* SPDX-License-Identifier: MIT */
#include "resolvers.h"

#include <stdbool.h>
#include <stddef.h>

static const struct resolver resolvers[] = {
	/* CUDA; the names with _ptsz are those of programs with a stream per thread */
	{ "cuGetProcAddress", 0, 1 },
	{ "cuGetProcAddress_v2", 0, 1 },
	{ "cudaGetDriverEntryPoint", 0, 1 },
	{ "cudaGetDriverEntryPoint_ptsz", 0, 1 },
	{ "cudaGetDriverEntryPointByVersion", 0, 1 },
	{ "cudaGetDriverEntryPointByVersion_ptsz", 0, 1 },
	/* OpenGL */
	{ "glXGetProcAddress", 0, RESOLVER_RETURNS },
	{ "glXGetProcAddressARB", 0, RESOLVER_RETURNS },
	{ "eglGetProcAddress", 0, RESOLVER_RETURNS },
	{ "SDL_GL_GetProcAddress", 0, RESOLVER_RETURNS },
	/* Vulkan; the last two are a driver's, for the loader */
	{ "vkGetInstanceProcAddr", 1, RESOLVER_RETURNS },
	{ "vkGetDeviceProcAddr", 1, RESOLVER_RETURNS },
	{ "vk_icdGetInstanceProcAddr", 1, RESOLVER_RETURNS },
	{ "vk_icdGetPhysicalDeviceProcAddr", 1, RESOLVER_RETURNS },
};

#define COUNT (sizeof(resolvers) / sizeof(resolvers[0]))

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

uint32_t resolvers_find(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (same(resolvers[i].name, name))
			return (uint32_t)i + 1;
	return 0;
}

const struct resolver *resolvers_get(uint32_t number)
{
	return &resolvers[number - 1];
}
