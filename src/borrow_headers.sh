#!/bin/sh
# SPDX-License-Identifier: MIT
#
# borrow_headers.sh FOLDER: makes a folder of headers that are not libc's: the kernel's, and libiberty's. Beside
# them are those of the usual libc, which a compiler for another one must not see.
set -eu
mkdir -p "$1"
for name in linux asm asm-generic libiberty; do
	for folder in /usr/include "/usr/include/$(uname -m)-linux-gnu"; do
		if [ -d "$folder/$name" ]; then
			ln -sfn "$folder/$name" "$1/$name"
			break
		fi
	done
done
