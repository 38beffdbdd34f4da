/* SPDX-License-Identifier: MIT
 *
 * arch.h - the contract of a CPU.
 *
 * Everything dwell knows about an instruction set is behind the names below. A port is one folder
 * src/arch/NAME/ with the same files as the others; Meson picks the folder by the host CPU, so that
 * nothing outside src/arch/ names a CPU. A port provides:
 *
 *   syscall.h    long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
 *                  enters the kernel directly; returns its result unchanged (-errno on failure).
 *                  Leaves errno alone, is async-signal-safe and not a cancellation point.
 *
 *                ARCH_SA_RESTORER
 *                  the flag of an action that has the address its handler returns to, or 0.
 *                ARCH_LIBC_SA_FLAGS
 *                  the flags that libc adds to those of a program's sigaction().
 *                ARCH_AUDIT
 *                  the value by which seccomp filters identify these system calls: AUDIT_ARCH_*.
 *
 *   context.h    uintptr_t arch_pc(const ucontext_t *)
 *                  the interrupted program counter. In a system call: the instruction after it, or
 *                  the call itself where the kernel is about to restart it.
 *                bool arch_in_syscall(const ucontext_t *)
 *                  true if the interrupted code had entered the kernel by a system call. May return
 *                  false for a system call, must not return true for plain user code.
 *
 *   ticks.h      uint64_t arch_ticks(void)
 *                  the counter that a thread reads in a few ns without entering the kernel.
 *                bool arch_ticks_steady(void)
 *                  true if the CPU reports that it counts at one constant rate, equal on all of
 *                  its cores.
 *                uint64_t arch_ticks_brief(void)
 *                  a number of ticks that pass in at most 10 ms, and not in much less
 *                  where the rate can be read.
 *                ARCH_VDSO_CLOCK
 *                  name of clock_gettime() in the kernel's vdso, which must use general
 *                  registers alone.
 *
 *   thread.h     uintptr_t arch_thread_pointer(void)
 *                  the thread's control block.
 *                bool arch_has_thread_locals(void), TCB_DTV
 *                  true if libc has made that block, so that there are thread-local variables; and
 *                  the word of it that shows this, for assembly.
 *                TCB_BELOW
 *                  bytes of that block below the thread pointer.
 *
 *   frame.h      for the stack walker: the number of DWARF registers, the numbers of
 *                the special ones, and the callee-saved ones (ARCH_FRAME_*, arch_frame_kept).
 *                void arch_frame_registers(uintptr_t to[], const ucontext_t *)
 *                  all of them, by DWARF number.
 *                ARCH_FRAME_LINK
 *                  the register that calls leave the return address in, or ARCH_FRAME_PC.
 *                uintptr_t arch_return_address(stored), bool arch_frame_signs(code)
 *                  turns a return address as functions store it into one that can be looked up;
 *                  true if a call frame instruction only concerns how they store it.
 *                bool arch_signal_return(code), size_t arch_signal_register(number)
 *                  the bytes that identify a signal frame, and the offset of each register in it.
 *                ARCH_FP_*
 *                  layout of the memory at a frame pointer.
 *                int arch_plt_depth(code)
 *                  position of the return address in a PLT without call frame information.
 *                int arch_trampoline_depth(code)
 *                  the same in a trampoline that a program has copied to memory.
 *                bool arch_context_return(code)
 *                  true if functions on a stack of makecontext() return to this code, and
 *                  nothing describes it.
 *                ARCH_FRAME_LANDING_MASK, bool arch_call(), bool arch_plt_slot()
 *                  the registers that identify a function which may jump to a landing pad, and
 *                  the target of the call before a return address.
 *
 *   epilogue.h   bool arch_epilogue(code, pc, epilogue)
 *                  finds the return address of a function without call frame information by the
 *                  instructions still to be executed. May be missing: such functions end a
 *                  walk then. x86/ has what x86-64 and i386 have in common.
 *                bool arch_ends_stack(code, pc)
 *                  true if a return address there can only be of the first frame of a stack.
 *
 *   evaluation.h struct arch_held arch_lua_held, arch_perl_held, arch_php_held, arch_ruby_held
 *                  the registers in which evaluation functions of interpreters hold their frames:
 *                  see held_frames.h.
 *                bool arch_php_globals(code, globals), uintptr_t arch_jump_here(code, address),
 *                bool arch_call_member(code, offset)
 *                  instructions by which such functions are recognised. May be missing: scripts
 *                  are recorded natively then.
 *
 *   java_code.h  void arch_made_method(at, callers) and its kin
 *                  the callers of code that HotSpot has made, where it was interrupted: see
 *                  java_callers.h. May be missing: methods of Java are recorded natively then.
 *                ARCH_MADE_SENDER, ARCH_MADE_METHOD, ARCH_MADE_BCP, ARCH_MADE_BCP_HELD
 *                  words of the interpreter's frames, and a register.
 *
 *   perf_regs.h  ARCH_PERF_REGS, ARCH_PERF_ABI, arch_perf_word
 *                  the registers that perf_event_open(2) includes in a sample, its name for a
 *                  process that has them, and the index in a sample of the register of a DWARF
 *                  number. For the tools.
 *
 *   relocations.h  arch_relocation, relocation_*()
 *                  an entry of a relocation table, and the kinds that store a function's address.
 *                  rela64.h has the common part of 64-bit CPUs.
 *                void *relocation_resolve(resolver)
 *                  what a function is that its resolver chooses (STT_GNU_IFUNC).
 *
 *   machines.h   struct arch_machine arch_machines[]
 *                  the kinds of programs that run on this CPU: see machine.h. For the tools.
 *
 *   cpu.c        struct arch_cpu arch_cpu_NAME
 *                  facts for the tools, on whichever CPU they run: see cpu.h.
 *
 *   tracee.h     struct arch_remote, arch_remote_*()
 *                  the state of a traced thread, and how it is made to call a function and to
 *                  restore itself. For the tools; without it, nothing can be loaded into
 *                  running processes.
 *
 *   wrapper.h, wrapper.S, arena.S
 *                  the wrappers of library functions: see wrap.h.
 *
 *   handler.S    void arch_handler(int sig, siginfo_t *info, void *uc)
 *                  the entry of signal handlers, which switches to a stack of ours and leaves the
 * stack that the kernel chose as it is.
 *
 *   kernel.S     ways into the kernel that C cannot write, at least
 *                void arch_sigreturn(void)
 *                  the return address of a signal handler (SA_RESTORER), in the exact form by which
 *                  unwinders and debuggers recognise a signal frame. Symbol: __restore_rt.
 */
#ifndef DWELL_ARCH_H
#define DWELL_ARCH_H

#include <signal.h>

#include "context.h"
#include "handler_layout.h"
#include "syscall.h"

/* Not a function to call: its address goes into the kernel's sigaction. The symbol has the name by
 * which gdb recognises such a function. */
extern __attribute__((visibility("hidden"))) void arch_sigreturn(void) __asm__("__restore_rt");

/* The handler of our signals: see handler.S. */
__attribute__((visibility("hidden"))) void arch_handler(int sig, siginfo_t *info, void *uc);

#endif
