/* SPDX-License-Identifier: MIT
 *
 * arch.h - the contract of a CPU.
 *
 * Everything dwell knows about an instruction set is behind the names below. A port is one folder
 * src/arch/NAME/ that holds the same files as the others; Meson picks the folder by the host CPU,
 * so that nothing outside src/arch/ names a CPU. What a port provides:
 *
 *   syscall.h    long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
 *                  enters the kernel directly; the kernel's answer as it is (-errno on failure).
 *                  Leaves errno alone, is async-signal-safe and no cancellation point.
 *
 *                ARCH_LIBC_SA_FLAGS
 *                  which flags libc adds to those that a program gives sigaction().
 *                ARCH_AUDIT
 *                  what seccomp filters know these system calls by: AUDIT_ARCH_*.
 *
 *   context.h    uintptr_t arch_pc(const ucontext_t *)
 *                  the interrupted program counter. In a system call: the instruction after it, or
 *                  the call itself where the kernel is about to restart it.
 *                bool arch_in_syscall(const ucontext_t *)
 *                  whether the interrupted code had entered the kernel by a system call. May say
 *                  false for a system call, must not say true for plain user code.
 *
 *   ticks.h      uint64_t arch_ticks(void)
 *                  the counter that a thread reads in a few ns without entering the kernel.
 *                bool arch_ticks_steady(void)
 *                  whether the CPU says that it counts at one rate, whatever the CPU does, and on
 *                  all of its cores alike.
 *                ARCH_VDSO_CLOCK
 *                  what the kernel's vdso calls its clock_gettime(), which must use general
 *                  registers alone.
 *
 *   thread.h     uintptr_t arch_thread_pointer(void)
 *                  the thread's control block.
 *                bool arch_has_thread_locals(void), TCB_DTV
 *                  whether libc has made that block, so that there are thread-local variables; and
 *                  which word of it says so, for assembly.
 *
 *   frame.h      what a stack walker needs: how many registers DWARF numbers, which of them is
 *                which, and which a function keeps (ARCH_FRAME_*, arch_frame_kept).
 *                void arch_frame_registers(uintptr_t to[], const ucontext_t *)
 *                  all of them, by DWARF number.
 *                ARCH_FRAME_LINK
 *                  the register that calls leave the return address in, or ARCH_FRAME_PC.
 *                uintptr_t arch_return_address(stored), bool arch_frame_signs(code)
 *                  a return address as functions store it, made one that can be looked up; and
 *                  whether an instruction of call frame information is about how they store it.
 *                bool arch_signal_return(code), size_t arch_signal_register(number)
 *                  by which bytes a signal frame is known, and where it has each register.
 *                ARCH_FP_*
 *                  what a frame pointer points at.
 *                int arch_plt_depth(code)
 *                  where the return address is in a PLT that nothing describes.
 *                bool arch_context_return(code)
 *                  whether that is what functions on a stack of makecontext() return to, where
 *                  nothing describes it.
 *                ARCH_FRAME_LANDING_MASK, bool arch_call(), bool arch_plt_slot()
 *                  by which registers a function is known that may jump to a landing pad, and
 *                  what was called before a return address.
 *
 *   epilogue.h   bool arch_epilogue(code, pc, epilogue)
 *                  where the return address is of a function that nothing describes, by the
 *                  instructions that are still to come. May be missing: such functions end a
 *                  walk then. x86_code.h and x86_values.h have what x86-64 and i386 have in common.
 *                bool arch_ends_stack(code, pc)
 *                  whether what is returned to there can only be the first frame of a stack.
 *
 *   perf_regs.h  ARCH_PERF_REGS, ARCH_PERF_ABI, arch_perf_word
 *                  which registers perf_event_open(2) is to hand out with a sample, what it calls a
 *                  process that has them, and which word of a sample is the register of a DWARF
 *                  number. For the tools.
 *
 *   relocations.h  arch_relocation, relocation_*()
 *                  an entry of a relocation table, and which of them put a function's address
 *                  somewhere. rela64.h has what CPUs of 64 bits have in common.
 *
 *   machines.h   struct arch_machine arch_machines[]
 *                  which programs run on this CPU: see machine.h. For the tools.
 *
 *   cpu.c        struct arch_cpu arch_cpu_NAME
 *                  what tools know of the CPU whichever they run on: see cpu.h.
 *
 *   wrapper.h, wrapper.S, arena.S
 *                  what wraps calls of library functions: see wrap.h.
 *
 *   handler.S    void arch_handler(int sig, siginfo_t *info, void *uc)
 *                  the entry of signal handlers, which goes to a stack of ours, and leaves the
 * stack that the kernel chose as it is.
 *
 *   kernel.S     ways into the kernel that C cannot write, at least
 *                void arch_sigreturn(void)
 *                  what a signal handler returns to (SA_RESTORER), in the exact form by which
 *                  unwinders and debuggers recognise a signal frame. Symbol: __restore_rt.
 */
#ifndef DWELL_ARCH_H
#define DWELL_ARCH_H

#include <signal.h>

#include "context.h"
#include "handler_layout.h"
#include "syscall.h"

/*
 * Not a function to call: its address goes into the kernel's sigaction. The symbol has the name
 * under which gdb knows such a function.
 */
extern __attribute__((visibility("hidden"))) void arch_sigreturn(void) __asm__("__restore_rt");

/* The handler of our signals: see handler.S. */
__attribute__((visibility("hidden"))) void arch_handler(int sig, siginfo_t *info, void *uc);

#endif
