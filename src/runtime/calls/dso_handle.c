/* SPDX-License-Identifier: MIT
 *
 * dso_handle.c - what the start-up files would define, with which this library is not linked: libc
 * is told by it which library a handler of pthread_atfork() is of.
 */
extern void *const __dso_handle __attribute__((visibility("hidden")));

void *const __dso_handle = (void *)&__dso_handle;
