/* SPDX-License-Identifier: MIT
 *
 * dso_handle.c - a symbol of the start-up files, with which this library is not linked: it
 * identifies to libc the library of a handler of pthread_atfork().
 */
extern void *const __dso_handle __attribute__((visibility("hidden")));

void *const __dso_handle = (void *)&__dso_handle;
