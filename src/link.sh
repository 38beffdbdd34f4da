#!/bin/sh
# SPDX-License-Identifier: MIT
# link.sh FOLDER [NAME TARGET]... - symbolic links in FOLDER or below it. Meson makes none of what a build leaves.
set -eu

folder=$1
shift
while [ $# -gt 0 ]; do
	mkdir -p "$(dirname "$folder/$1")"
	ln -sfn "$2" "$folder/$1"
	shift 2
done
