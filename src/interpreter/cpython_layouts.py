#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cpython_layouts.py INCLUDE... - prints cpython_layouts.h: where CPython keeps what a walk reads, for each version
whose headers are in a folder INCLUDE, such as /usr/include/python3.11.

The offsets are the compiler's, so that none is copied by hand. Two folders of one version must agree. The committed
table was made so:

    src/interpreter/cpython_layouts.py /usr/include/python3.11 .../3.12.1/include/python3.12 ...
"""
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_runtime.h>
#include <stddef.h>
#include <stdio.h>

#if PY_VERSION_HEX < 0x030c0000
#define TSS_KEY gilstate.autoTSSkey
#define CURRENT offsetof(_PyRuntimeState, gilstate.tstate_current)
#define IS_ENTRY offsetof(_PyInterpreterFrame, is_entry)
#define CODE f_code
#define STACK_OWNER 0
#else
#define TSS_KEY autoTSSkey
#define CURRENT 0
#define IS_ENTRY 0
#define STACK_OWNER FRAME_OWNED_BY_CSTACK
#endif
#if PY_VERSION_HEX < 0x030d0000
#define INSTRUCTION prev_instr
#define FRAME offsetof(PyThreadState, cframe)
#define CFRAME_FRAME (int)offsetof(_PyCFrame, current_frame)
#define CFRAME_PREVIOUS (int)offsetof(_PyCFrame, previous)
#else
#define INSTRUCTION instr_ptr
#define FRAME offsetof(PyThreadState, current_frame)
#define CFRAME_FRAME -1
#define CFRAME_PREVIOUS -1
#endif
#if PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030d0000
#define CODE f_code
#elif PY_VERSION_HEX >= 0x030d0000
#define CODE f_executable
#endif

#define SHOW(name, value) printf("\t\t.%s = %d,\n", name, (int)(value))

int main(void)
{
#ifdef Py_GIL_DISABLED
	return 1;
#endif
	printf("\t{\n\t\t.version = 0x%04x,\n", PY_VERSION_HEX >> 16);
	SHOW("runtime_key", offsetof(_PyRuntimeState, TSS_KEY._key));
	SHOW("runtime_has_key", offsetof(_PyRuntimeState, TSS_KEY._is_initialized));
	SHOW("runtime_current", CURRENT);
	SHOW("thread_id", offsetof(PyThreadState, thread_id));
	SHOW("thread_frame", FRAME);
	SHOW("cframe_frame", CFRAME_FRAME);
	SHOW("cframe_previous", CFRAME_PREVIOUS);
	SHOW("frame_code", offsetof(_PyInterpreterFrame, CODE));
	SHOW("frame_previous", offsetof(_PyInterpreterFrame, previous));
	SHOW("frame_instruction", offsetof(_PyInterpreterFrame, INSTRUCTION));
	SHOW("frame_owner", offsetof(_PyInterpreterFrame, owner));
	SHOW("frame_is_entry", IS_ENTRY);
	SHOW("frame_stack_owner", STACK_OWNER);
	SHOW("frame_bytes", offsetof(_PyInterpreterFrame, localsplus));
	SHOW("code_units", offsetof(PyVarObject, ob_size));
	SHOW("code_line", offsetof(PyCodeObject, co_firstlineno));
	SHOW("code_file", offsetof(PyCodeObject, co_filename));
	SHOW("code_name", offsetof(PyCodeObject, co_qualname));
	SHOW("code_table", offsetof(PyCodeObject, co_linetable));
	SHOW("code_bytes", offsetof(PyCodeObject, co_code_adaptive));
	SHOW("type_basic", offsetof(PyTypeObject, tp_basicsize));
	SHOW("type_item", offsetof(PyTypeObject, tp_itemsize));
	SHOW("text_length", offsetof(PyASCIIObject, length));
	SHOW("text_state", offsetof(PyASCIIObject, state));
	SHOW("text_ascii", sizeof(PyASCIIObject));
	SHOW("text_wide", sizeof(PyCompactUnicodeObject));
	SHOW("bytes_length", offsetof(PyVarObject, ob_size));
	SHOW("bytes_data", offsetof(PyBytesObject, ob_sval));
	printf("\t},\n");
	return 0;
}
"""

HEAD = """/* SPDX-License-Identifier: MIT
 *
 * cpython_layouts.h - made by cpython_layouts.py from the headers of each version; do not edit.
 */
#ifndef DWELL_INTERPRETER_CPYTHON_LAYOUTS_H
#define DWELL_INTERPRETER_CPYTHON_LAYOUTS_H

#include "cpython.h"

static const struct cpython_layout layouts[] = {"""

TAIL = """};

#endif"""


def row(folder, scratch):
    source, program = os.path.join(scratch, "layout.c"), os.path.join(scratch, "layout")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run(["cc", "-w", "-I", folder, "-o", program, source], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def main(folders):
    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            text = row(folder, scratch)
            version = text.split(".version = ")[1].split(",")[0]
            if rows.setdefault(version, text) != text:
                sys.exit(f"{folder}: its layout differs from that of the same version in another folder")
    print(HEAD)
    for version in sorted(rows):
        print(rows[version], end="")
    print(TAIL)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
