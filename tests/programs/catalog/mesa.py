# SPDX-License-Identifier: MIT
"""mesa.py - Vulkan and OpenGL on the CPU, by Mesa's llvmpipe. Both libraries hand out their functions by name."""
import os
import subprocess

from program import Program, write

VULKAN = r"""
#include <dlfcn.h>
#include <stdio.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

enum { BYTES = 1 << 16, ROUNDS = 200 };

#define INSTANCE(name) PFN_##name name = (PFN_##name)vkGetInstanceProcAddr(instance, #name)
#define DEVICE(name)   PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(device, #name)

static PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
static PFN_vkGetDeviceProcAddr vkGetDeviceProcAddr;

static VkDevice device;
static VkQueue queue;
static VkBuffer buffer;
static VkCommandBuffer commands;

static void make_device(VkInstance instance)
{
	INSTANCE(vkEnumeratePhysicalDevices);
	INSTANCE(vkGetPhysicalDeviceProperties);
	INSTANCE(vkCreateDevice);
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	uint32_t count = 1;
	float priority = 1;
	VkDeviceQueueCreateInfo queues = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1, .pQueuePriorities = &priority };
	VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1, .pQueueCreateInfos = &queues };

	vkEnumeratePhysicalDevices(instance, &count, &physical);
	vkGetPhysicalDeviceProperties(physical, &properties);
	printf("%s: %d\n", properties.deviceName, vkCreateDevice(physical, &info, NULL, &device));
	vkGetDeviceProcAddr = (PFN_vkGetDeviceProcAddr)vkGetInstanceProcAddr(instance, "vkGetDeviceProcAddr");
}

static VkDeviceMemory make_buffer(void)
{
	DEVICE(vkCreateBuffer);
	DEVICE(vkAllocateMemory);
	DEVICE(vkBindBufferMemory);
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BYTES,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT };
	VkMemoryAllocateInfo size = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = BYTES };
	VkDeviceMemory memory;

	vkCreateBuffer(device, &info, NULL, &buffer);
	vkAllocateMemory(device, &size, NULL, &memory);
	vkBindBufferMemory(device, buffer, memory, 0);
	return memory;
}

static void make_commands(void)
{
	DEVICE(vkCreateCommandPool);
	DEVICE(vkAllocateCommandBuffers);
	VkCommandPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT };
	VkCommandPool pool;

	vkCreateCommandPool(device, &info, NULL, &pool);
	VkCommandBufferAllocateInfo one = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = pool, .commandBufferCount = 1 };
	vkAllocateCommandBuffers(device, &one, &commands);
}

static void fill(uint32_t word)
{
	DEVICE(vkBeginCommandBuffer);
	DEVICE(vkCmdFillBuffer);
	DEVICE(vkEndCommandBuffer);
	DEVICE(vkQueueSubmit);
	DEVICE(vkQueueWaitIdle);
	VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
		.pCommandBuffers = &commands };

	vkBeginCommandBuffer(commands, &begin);
	vkCmdFillBuffer(commands, buffer, 0, BYTES, word);
	vkEndCommandBuffer(commands);
	vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
	vkQueueWaitIdle(queue);
}

int main(void)
{
	VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
	VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application };
	VkInstance instance = NULL;
	unsigned long sum = 0;
	uint32_t *words;

	vkGetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)dlsym(dlopen("libvulkan.so.1", RTLD_NOW), "vkGetInstanceProcAddr");
	INSTANCE(vkCreateInstance);
	printf("instance: %d\n", vkCreateInstance(&info, NULL, &instance));
	make_device(instance);
	DEVICE(vkGetDeviceQueue);
	DEVICE(vkMapMemory);
	DEVICE(vkDestroyDevice);
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkDeviceMemory memory = make_buffer();
	make_commands();
	vkMapMemory(device, memory, 0, BYTES, 0, (void **)&words);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		fill(round);
		for (int i = 0; i < BYTES / 4; i++)
			sum += words[i];
	}
	printf("sum %lu\n", sum);
	vkDestroyDevice(device, NULL);
	INSTANCE(vkDestroyInstance);
	vkDestroyInstance(instance, NULL);
	return 0;
}
"""

EGL = r"""
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>

enum { SIZE = 64, ROUNDS = 300 };

#define GL_COLOR_BUFFER_BIT 0x4000
#define GL_RGBA             0x1908
#define GL_UNSIGNED_BYTE    0x1401
#define GL_VERSION          0x1F02
#define GL(result, name, parameters) result (*name) parameters = (result (*) parameters)eglGetProcAddress(#name)

int main(void)
{
	static unsigned char picture[SIZE * SIZE * 4];
	const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
		EGL_RED_SIZE, 8, EGL_NONE };
	const EGLint size[] = { EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE };
	unsigned long sum = 0;
	EGLint major, minor, count;
	EGLConfig config;

	PFNEGLGETPLATFORMDISPLAYEXTPROC platform =
		(PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	EGLDisplay display = platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	if (!eglInitialize(display, &major, &minor) || !eglBindAPI(EGL_OPENGL_API) ||
	    !eglChooseConfig(display, wanted, &config, 1, &count))
		return 1;
	EGLSurface surface = eglCreatePbufferSurface(display, config, size);
	EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
	eglMakeCurrent(display, surface, surface, context);
	GL(const unsigned char *, glGetString, (unsigned));
	GL(void, glClearColor, (float, float, float, float));
	GL(void, glClear, (unsigned));
	GL(void, glReadPixels, (int, int, int, int, unsigned, unsigned, void *));
	GL(unsigned, glGetError, (void));
	printf("%d.%d, %s\n", major, minor, glGetString(GL_VERSION));
	for (int round = 0; round < ROUNDS; round++) {
		glClearColor(round / 255.0f, 0.5f, 1.0f, 1.0f);
		glClear(GL_COLOR_BUFFER_BIT);
		glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, picture);
		for (unsigned i = 0; i < sizeof(picture); i++)
			sum += picture[i];
	}
	printf("sum %lu, error %u\n", sum, glGetError());
	eglTerminate(display);
	return 0;
}
"""


class Mesa(Program):
    """A program of ours, made by gcc from `source`."""

    version_command = ("dpkg-query", "-W", "-f", "${Version}", "libgl1-mesa-dri")
    source = ""
    link = ()

    def prepare(self, given):
        write(os.path.join(given, "main.c"), self.source)
        subprocess.run(["gcc", "-O1", "-o", "main", "main.c", *self.link], cwd=given, check=True)

    def command(self, given):
        return [os.path.join(given, "main")]


class Vulkan(Mesa):
    name = "vulkan"
    what = "lavapipe: 200 times a buffer is filled; all functions by vkGetInstanceProcAddr and vkGetDeviceProcAddr"
    packages = ("gcc", "libvulkan-dev", "mesa-vulkan-drivers")
    source = VULKAN
    libraries = ("libc.so", "libvulkan.so", "libvulkan_lvp.so")

    def environment(self):
        return {"VK_ICD_FILENAMES": "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"}


class Egl(Mesa):
    name = "egl"
    what = "llvmpipe: 300 pictures are cleared and read; all functions of OpenGL by eglGetProcAddress"
    packages = ("gcc", "libegl-dev", "libegl1", "libgl1-mesa-dri")
    source = EGL
    link = ("-lEGL",)
    libraries = ("libc.so", "libEGL.so", "libGLdispatch")
