/* SPDX-License-Identifier: MIT
 *
 * bpf.h - evaluates a seccomp filter of the program for a system call, without making the call.
 */
#ifndef DWELL_RUNTIME_GUARD_BPF_H
#define DWELL_RUNTIME_GUARD_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Runs the filter, which the kernel has accepted or will check, and returns SECCOMP_RET_*;
 * SECCOMP_RET_KILL_PROCESS for an invalid one. Async-signal-safe, and uses nothing of libc.
 */
uint32_t bpf_run(const struct sock_filter *filter, size_t count, const struct seccomp_data *data);

#endif
