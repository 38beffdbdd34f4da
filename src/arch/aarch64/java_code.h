/* SPDX-License-Identifier: MIT
 *
 * java_code.h - code that HotSpot has made for aarch64 is not read.
 */
#include "no_java_code.h"
