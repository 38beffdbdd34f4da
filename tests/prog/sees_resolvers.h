/* SPDX-License-Identifier: MIT
 *
 * sees_resolvers.h - libsees_resolvers_library.so: the resolvers of CUDA, OpenGL and Vulkan, with
 * the arguments of the real ones. Each hands out the function given_RESOLVER(), which the library
 * does not export, and all of them hand out given_nested(); given_made(), in memory that belongs to
 * no object; vkGetDeviceProcAddr(); and cuGetProcAddress(), which is then cuGetProcAddress_v2().
 */
#ifndef DWELL_TESTS_SEES_RESOLVERS_H
#define DWELL_TESTS_SEES_RESOLVERS_H

#define VERSION        12000
#define FLAGS          UINT64_C(0x1234567800000007) /* CUDA's have 64 bits on every CPU */
#define STATUS_UNKNOWN 500

/* By their parameters. */
#define OF_VERSION(X) X(cuGetProcAddress)
#define OF_VERSION_AND_STATUS(X)                                                                   \
	X(cuGetProcAddress_v2)                                                                     \
	X(cudaGetDriverEntryPointByVersion)                                                        \
	X(cudaGetDriverEntryPointByVersion_ptsz)
#define OF_STATUS(X) X(cudaGetDriverEntryPoint) X(cudaGetDriverEntryPoint_ptsz)
#define OF_NAME(X)                                                                                 \
	X(glXGetProcAddress) X(glXGetProcAddressARB) X(eglGetProcAddress) X(SDL_GL_GetProcAddress)
#define OF_HANDLE(X)                                                                               \
	X(vkGetInstanceProcAddr)                                                                   \
	X(vkGetDeviceProcAddr)                                                                     \
	X(vk_icdGetInstanceProcAddr)                                                               \
	X(vk_icdGetPhysicalDeviceProcAddr)
#define EACH(X) OF_VERSION(X) OF_VERSION_AND_STATUS(X) OF_STATUS(X) OF_NAME(X) OF_HANDLE(X)

#define HEAD_OF_VERSION(resolver)                                                                  \
	int resolver(const char *name, void **place, int version, uint64_t flags)
#define HEAD_OF_VERSION_AND_STATUS(resolver)                                                       \
	int resolver(const char *name, void **place, int version, uint64_t flags, int *status)
#define HEAD_OF_STATUS(resolver)                                                                   \
	int resolver(const char *name, void **place, uint64_t flags, int *status)
#define HEAD_OF_NAME(resolver)   void *resolver(const char *name)
#define HEAD_OF_HANDLE(resolver) void *resolver(void *handle, const char *name)

#define DECLARE_OF_VERSION(resolver)            HEAD_OF_VERSION(resolver);
#define DECLARE_OF_VERSION_AND_STATUS(resolver) HEAD_OF_VERSION_AND_STATUS(resolver);
#define DECLARE_OF_STATUS(resolver)             HEAD_OF_STATUS(resolver);
#define DECLARE_OF_NAME(resolver)               HEAD_OF_NAME(resolver);
#define DECLARE_OF_HANDLE(resolver)             HEAD_OF_HANDLE(resolver);
OF_VERSION(DECLARE_OF_VERSION)
OF_VERSION_AND_STATUS(DECLARE_OF_VERSION_AND_STATUS)
OF_STATUS(DECLARE_OF_STATUS)
OF_NAME(DECLARE_OF_NAME)
OF_HANDLE(DECLARE_OF_HANDLE)

#endif
