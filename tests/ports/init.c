/* SPDX-License-Identifier: MIT
 *
 * init.c - the first process of an emulated machine: loads the modules that /modules/list names,
 * mounts the folders that the host shares by 9P, and runs a script in them. Arguments, from the
 * kernel's command line: TREE, the path of this tree; SCRIPT, a path in it. The root is the host's,
 * with a file system in memory on top, so nothing of it changes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NINE_P "trans=virtio,version=9p2000.L,msize=512000,"

static void complain(const char *what)
{
	fprintf(stderr, "init: %s: %s\n", what, strerror(errno));
}

static void load_modules(void)
{
	FILE *list = fopen("/modules/list", "r");
	char name[128], path[256];

	while (list && fscanf(list, "%127s", name) == 1) {
		int fd;

		snprintf(path, sizeof(path), "/modules/%s", name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			complain(name);
		close(fd);
	}
}

/* Mounts, and makes the folders on the way. */
static void attach(const char *source, const char *target, const char *type, const char *options)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s", target);
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	mkdir(path, 0755);
	if (mount(source, target, type, 0, options))
		complain(target);
}

static void attach_all(const char *tree)
{
	char place[4096];

	attach("root", "/shared", "9p", NINE_P "cache=loose,ro");
	attach("memory", "/memory", "tmpfs", "");
	mkdir("/memory/upper", 0755);
	mkdir("/memory/work", 0755);
	attach("overlay", "/system", "overlay",
	       "lowerdir=/shared,upperdir=/memory/upper,workdir=/memory/work");
	attach("proc", "/system/proc", "proc", "");
	attach("sys", "/system/sys", "sysfs", "");
	attach("dev", "/system/dev", "devtmpfs", "");
	attach("pts", "/system/dev/pts", "devpts", "ptmxmode=666");
	attach("shm", "/system/dev/shm", "tmpfs", "mode=1777");
	attach("tmp", "/system/tmp", "tmpfs", "mode=1777");
	snprintf(place, sizeof(place), "/system%s", tree);
	attach("tree", place, "9p", NINE_P "cache=mmap");
}

static void run(const char *tree, char *script)
{
	char *const arguments[] = { "/bin/sh", script, NULL };
	char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", NULL };

	setsid();
	if (chroot("/system") || chdir(tree))
		complain(tree);
	execve(arguments[0], arguments, environment);
	complain(script);
	_exit(1);
}

int main(int argc, char **argv)
{
	int console;

	mkdir("/dev", 0755);
	mount("dev", "/dev", "devtmpfs", 0, "");
	console = open("/dev/console", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(console, fd);
	load_modules();
	if (argc > 2) {
		attach_all(argv[1]);
		if (fork() == 0)
			run(argv[1], argv[2]);
		while (wait(NULL) > 0)
			;
	}
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
