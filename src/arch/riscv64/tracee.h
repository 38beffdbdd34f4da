/* SPDX-License-Identifier: MIT
 *
 * tracee.h - traced threads of riscv64: not supported yet. attach/inject/unsupported.c refuses to
 * load anything into a running process.
 */
#ifndef DWELL_ARCH_TRACEE_H
#define DWELL_ARCH_TRACEE_H

#endif
