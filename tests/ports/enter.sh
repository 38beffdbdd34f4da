#!/bin/sh
# SPDX-License-Identifier: MIT
# enter.sh ROOT CPU EMULATOR COMMAND... - runs COMMAND where the kernel runs programs of a CPU by EMULATOR, a static qemu-user,
# and where the folder ROOT is ready for chroot: it has the devices, /proc, /sys, /tmp and this tree. CPU is qemu's name for
# it. Needs root.
#
# The kernel has a register of emulators in each user namespace since Linux 6.7, so nothing of the machine changes, and
# nothing is left behind: mounts and processes end with COMMAND.
set -eu

tree=$PWD
meet=$(mktemp -d)
trap 'rm -rf "$meet"' EXIT
mkfifo "$meet/ready" "$meet/go"

# shellcheck disable=SC2016 # for the inner shell
unshare --user --mount --pid --fork --kill-child sh -euc '
	meet=$1 tree=$2 root=$3 cpu=$4 emulator=$5
	shift 5
	: >"$meet/ready"
	read -r _ <"$meet/go"
	mount -t proc proc /proc
	mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
	sed "s,[^:]*binfmt-P,$emulator," "/usr/lib/binfmt.d/qemu-$cpu.conf" >/proc/sys/fs/binfmt_misc/register
	mount -t tmpfs -o mode=755 tmpfs "$root/dev"
	for node in null zero full random urandom tty; do
		: >"$root/dev/$node"
		mount --bind "/dev/$node" "$root/dev/$node"
	done
	for link in ptmx=pts/ptmx fd=/proc/self/fd stdin=fd/0 stdout=fd/1 stderr=fd/2; do
		ln -s "${link#*=}" "$root/dev/${link%%=*}"
	done
	mkdir "$root/dev/shm" "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
	mount --rbind /proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
	mkdir -p "$root$tree"
	mount --rbind "$tree" "$root$tree"
	exec "$@"' sh "$meet" "$tree" "$@" &
# The pid of unshare, which is in the new user namespace before it forks.
read -r _ <"$meet/ready" || true
echo "0 0 65536" >"/proc/$!/uid_map"
echo "0 0 65536" >"/proc/$!/gid_map"
echo >"$meet/go"
wait $!
