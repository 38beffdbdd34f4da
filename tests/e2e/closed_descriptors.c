/* SPDX-License-Identifier: MIT
 *
 * A daemon that closes every descriptor, and opens others with the same numbers: its clock ticks
 * on, and its files are its own.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = -1; /* the directory's own */

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void *burn_in_thread(void *unused)
{
	burn(0.3);
	return unused;
}

int main(void)
{
	int before = open_descriptors(), pipes[32][2], good = 0;
	pthread_t thread;
	char byte;

	count_everything();
	ok(open_descriptors() == before, "profiling leaves no descriptor open");
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	for (int i = 0; i < 32; i++)
		if (pipe(pipes[i]) < 0)
			bail_out("pipe");
	pthread_create(&thread, NULL, burn_in_thread, NULL);
	burn(0.3);
	pthread_join(thread, NULL);
	ok(everything[0] >= 57 && everything[0] <= 63, "it ticks on: %u of 60", everything[0]);
	count_nothing();
	for (int i = 0; i < 32; i++)
		good += write(pipes[i][1], "x", 1) == 1 && read(pipes[i][0], &byte, 1) == 1 &&
			byte == 'x';
	ok(good == 32, "turning it off closes none of the program's");
	return tap_done();
}
