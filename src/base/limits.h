/* SPDX-License-Identifier: MIT
 *
 * limits.h - the limits on which the code in targets, the code that starts them and `dwell doctor`
 * have to agree: the needs of dwell on a machine, and the values it accepts.
 */
#ifndef DWELL_BASE_LIMITS_H
#define DWELL_BASE_LIMITS_H

/* Most samples per second of CPU time. */
#define LIMIT_HZ 20000

/* Address space and data that a program must be allowed, in MB, so that enough is left for it.
 * `dwell calls` reserves address space for calls under way, up to a million at once. */
#define LIMIT_CALLS_ADDRESS_MB  512
#define LIMIT_RECORD_ADDRESS_MB 32
#define LIMIT_DATA_MB           32

/* Least number of a recording's descriptor: above what programs rely on, below the usual limit of
 * 1024. */
#define LIMIT_DESCRIPTOR_MIN 700

/* Size of files, in bytes: a recording of one thread needs the first, one of some minutes the
 * second. */
#define LIMIT_FILE_NEEDED (64 << 10)
#define LIMIT_FILE_WANTED (64 << 20)

/* Versions of Linux, major and minor, from which on perf events may raise SIGTRAP (before, a tick
 * that met a blocked SIGTRAP was deadly), and may do so inside the kernel. */
#define LIMIT_LINUX_PERF_SIGNAL 5, 19
#define LIMIT_LINUX_PERF_KERNEL 6, 11

/* A limit and a version as text, for messages. */
#define LIMIT_TEXT(limit)              LIMIT_TEXT_OF(limit)
#define LIMIT_TEXT_OF(limit)           #limit
#define LIMIT_VERSION(...)             LIMIT_VERSION_OF(__VA_ARGS__)
#define LIMIT_VERSION_OF(major, minor) #major "." #minor

#endif
