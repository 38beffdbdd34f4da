/* SPDX-License-Identifier: MIT
 *
 * calls_host.h - see calls_host.c.
 */
#ifndef DWELL_TESTS_CALLS_HOST_H
#define DWELL_TESTS_CALLS_HOST_H

#define HOST_CALLS_AT_BEGIN 3 /* of lib_add(), in its constructor */
#define HOST_CALLS_AT_END   5 /* in its destructor */

void *host_open(const char *name);

#endif
