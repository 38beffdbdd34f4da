#!/bin/sh
# SPDX-License-Identifier: MIT
# root.sh ROOT ARCH RELEASE MIRROR PACKAGE... - makes ROOT, a Debian of another CPU: ARCH is Debian's name for it. Nothing of
# it runs meanwhile: packages are unpacked and not configured, which would take a quarter of an hour in an emulator. So it
# has what compilers and tests need; its database has every package as installed. Needs root, and debootstrap.
set -eu

root=$1 arch=$2 release=$3 mirror=$4
shift 4
packages=$(echo "$*" | tr ' ' ,)
cache=$(dirname "$root")/cache
mkdir -p "$cache" "$root"
debootstrap --foreign --arch="$arch" --variant=minbase --cache-dir="$(realpath "$cache")" --include="$packages" \
	"$release" "$root" "$mirror"

database=$root/var/lib/dpkg
mkdir -p "$database/info" "$database/updates" "$database/triggers"
echo 1 >"$database/info/format"
: >"$database/available"
: >"$database/status"

# note PACKAGE: adds a package to the database.
note() {
	name=$(dpkg-deb -f "$1" Package)
	[ "$(dpkg-deb -f "$1" Multi-Arch)" != same ] || name=$name:$arch
	rm -rf "$root.control"
	dpkg-deb -e "$1" "$root.control"
	for file in conffiles md5sums shlibs symbols; do
		[ ! -f "$root.control/$file" ] || cp "$root.control/$file" "$database/info/$name.$file"
	done
	dpkg-deb --fsys-tarfile "$1" | tar -t | sed 's,^\.,,; s,/$,,; s,^$,/.,' >"$database/info/$name.list"
	dpkg-deb -f "$1" | sed '1a\Status: install ok installed' >>"$database/status"
	echo >>"$database/status"
}

for package in "$root"/var/cache/apt/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink
	note "$package"
done
rm -rf "$root.control"
rm -rf "$root/debootstrap" "$root/var/cache/apt/archives" "$root/proc"
mkdir "$root/proc"

# Configuring them would do this.
for file in passwd group; do
	cp "$root/usr/share/base-passwd/$file.master" "$root/etc/$file"
done
for link in awk=mawk which=which.debianutils cc=gcc c++=g++; do
	ln -sf "${link#*=}" "$root/usr/bin/${link%%=*}"
done
# Links of -dev packages that lead to the root itself.
find "$root/usr/lib" -lname '/*' -type l | while read -r link; do
	ln -srf "$root$(readlink "$link")" "$link"
done
