/* SPDX-License-Identifier: MIT */
#include "base/linux_version.h"
#include "tap.h"

int main(void)
{
	ok(linux_is_at_least("6.11.0-4-amd64", 6, 11) && linux_is_at_least("6.12", 6, 11) &&
		   linux_is_at_least("7.0.1", 6, 11),
	   "the same version, and later ones");
	ok(!linux_is_at_least("6.1.0-50-amd64", 6, 11) && !linux_is_at_least("6.10.11", 6, 11) &&
		   !linux_is_at_least("5.19", 6, 11),
	   "earlier ones: parts are numbers");
	ok(!linux_is_at_least("", 0, 0) && !linux_is_at_least("6", 0, 0) &&
		   !linux_is_at_least("6-11", 0, 0) && !linux_is_at_least("6.x", 0, 0),
	   "no version: nothing is known of it");
	return tap_done();
}
