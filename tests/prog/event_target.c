/* SPDX-License-Identifier: MIT
 *
 * event_target.c [wait] - touches new pages in known functions: 3000 in touch_in_main(), 2000 in
 * touch_in_thread() of another thread, 1000 in touch_in_child() of a child, and 500 in a single
 * system call of fill_by_kernel(). With "wait", all of it after a line of input.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

static volatile char *new_pages(size_t count)
{
	char *pages = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, count * PAGE, MADV_NOHUGEPAGE);
	return pages;
}

static void touch(volatile char *pages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pages[i * PAGE] = 1;
}

__attribute__((noinline)) static void touch_in_main(void)
{
	touch(new_pages(3000), 3000);
	__asm__ volatile("");
}

__attribute__((noinline)) static void *touch_in_thread(void *unused)
{
	touch(new_pages(2000), 2000);
	__asm__ volatile("");
	return unused;
}

__attribute__((noinline)) static void touch_in_child(void)
{
	touch(new_pages(1000), 1000);
	__asm__ volatile("");
}

__attribute__((noinline)) static void fill_by_kernel(void)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (zero < 0 || read(zero, (void *)new_pages(500), 500 * PAGE) != (ssize_t)(500 * PAGE))
		exit(1);
	close(zero);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	if (argc > 1 && strcmp(argv[1], "wait") == 0 && getchar() == EOF)
		return 1;
	touch_in_main();
	if (pthread_create(&thread, NULL, touch_in_thread, NULL) || pthread_join(thread, NULL))
		return 1;
	fill_by_kernel();
	child = fork();
	if (child == 0) {
		touch_in_child();
		_exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}
