# SPDX-License-Identifier: MIT
"""machine.py - the facts about this machine without which its numbers say nothing."""
import os
import time

CLOCK_MONOTONIC_COARSE = 6  # Python has no name for it; the kernel's tick sets it


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _cpu(field):
    for line in _read("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return "unknown"


def facts():
    """[(what, value)]"""
    tick_s = time.clock_getres(CLOCK_MONOTONIC_COARSE)
    kernel = os.uname()
    virtual = "hypervisor" in _cpu("flags").split()
    return [
        ("CPU", _cpu("model name")),
        ("cores", str(len(os.sched_getaffinity(0)))),
        ("virtual machine", "yes (interrupts are slow)" if virtual else "not detected"),
        ("kernel", f"{kernel.sysname} {kernel.release} {kernel.machine}"),
        ("kernel's tick", f"{1 / tick_s:.0f} Hz"),
        ("perf_event_paranoid", _read("/proc/sys/kernel/perf_event_paranoid").strip() or "-"),
        ("C library", os.confstr("CS_GNU_LIBC_VERSION")),
    ]
