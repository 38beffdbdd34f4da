#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cpython_layouts.py [-m32] INCLUDE... - prints cpython_layouts.h: where CPython keeps what a walk reads, for each version
whose headers are in a folder INCLUDE, such as /usr/include/python3.11. With -m32, it prints cpython_layouts_32.h, for programs of
32 bits; headers of a build for 64 bits will do. The committed tables were made so:

    src/interpreter/cpython_layouts.py .../3.8.18/include/python3.8 .../3.9.18/include/python3.9 ...
"""
import subprocess
import sys

from layouts import main, row

PROGRAM = r"""
#define Py_BUILD_CORE 1
/* The headers of a build for 64 bits differ from those of one for 32 in these sizes alone. */
#include <pyconfig.h>
#if __SIZEOF_POINTER__ == 4
#undef ALIGNOF_LONG
#undef ALIGNOF_SIZE_T
#undef SIZEOF_LONG
#undef SIZEOF_LONG_DOUBLE
#undef SIZEOF_PTHREAD_T
#undef SIZEOF_SIZE_T
#undef SIZEOF_TIME_T
#undef SIZEOF_UINTPTR_T
#undef SIZEOF_VOID_P
#define ALIGNOF_LONG 4
#define ALIGNOF_SIZE_T 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_DOUBLE 12
#define SIZEOF_PTHREAD_T 4
#define SIZEOF_SIZE_T 4
#define SIZEOF_TIME_T 4
#define SIZEOF_UINTPTR_T 4
#define SIZEOF_VOID_P 4
#endif
#include <Python.h>
#if PY_VERSION_HEX < 0x030b0000
#include <frameobject.h>
#else
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_pystate.h>
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif
#include <stddef.h>
#include <stdio.h>

#if PY_VERSION_HEX < 0x030c0000
#define TSS_KEY gilstate.autoTSSkey
#define CURRENT offsetof(_PyRuntimeState, gilstate.tstate_current)
#define STACK_OWNER 0
#else
#define TSS_KEY autoTSSkey
#define CURRENT 0
#if PY_VERSION_HEX < 0x030e0000
#define STACK_OWNER FRAME_OWNED_BY_CSTACK
#else
#define STACK_OWNER FRAME_OWNED_BY_INTERPRETER
#endif
#endif

/* Frames are objects up to 3.10. */
#if PY_VERSION_HEX < 0x030b0000
#define FRAME_FIELD(field) offsetof(PyFrameObject, field)
#define THREADS tstate_head
#define PREVIOUS f_back
#define INSTRUCTION f_lasti
#define UNIT (PY_VERSION_HEX < 0x030a0000 ? 1 : 2)
#define OWNER 0
#define LOCALS f_localsplus
#define CODE_INSTRUCTIONS offsetof(PyCodeObject, co_code)
#define CODE_NAME co_name
#define CODE_BYTES sizeof(PyCodeObject)
#else
#define FRAME_FIELD(field) offsetof(_PyInterpreterFrame, field)
#define THREADS threads.head
#define PREVIOUS previous
#define UNIT 0
#define OWNER FRAME_FIELD(owner)
#define LOCALS localsplus
#define CODE_INSTRUCTIONS 0
#define CODE_NAME co_qualname
#define CODE_BYTES offsetof(PyCodeObject, co_code_adaptive)
#endif
#if PY_VERSION_HEX < 0x030a0000
#define CODE_TABLE co_lnotab
#else
#define CODE_TABLE co_linetable
#endif

#if PY_VERSION_HEX < 0x030b0000
#define FRAME offsetof(PyThreadState, frame)
#elif PY_VERSION_HEX < 0x030d0000
#define FRAME offsetof(PyThreadState, cframe)
#else
#define FRAME offsetof(PyThreadState, current_frame)
#endif
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030d0000
#define INSTRUCTION prev_instr
#define CFRAME_FRAME (int)offsetof(_PyCFrame, current_frame)
#define CFRAME_PREVIOUS (int)offsetof(_PyCFrame, previous)
#else
#define CFRAME_FRAME -1
#define CFRAME_PREVIOUS -1
#endif
#if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000
#define IS_ENTRY FRAME_FIELD(is_entry)
#else
#define IS_ENTRY 0
#endif
#if PY_VERSION_HEX < 0x030d0000
#define CODE f_code
#else
#define CODE f_executable
#define INSTRUCTION instr_ptr
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
	SHOW("runtime_interpreters", offsetof(_PyRuntimeState, interpreters.head));
	SHOW("runtime_main", offsetof(_PyRuntimeState, interpreters.main));
	SHOW("interpreter_next", offsetof(PyInterpreterState, next));
	SHOW("interpreter_threads", offsetof(PyInterpreterState, THREADS));
	SHOW("thread_next", offsetof(PyThreadState, next));
	SHOW("thread_id", offsetof(PyThreadState, thread_id));
	SHOW("thread_frame", FRAME);
	SHOW("cframe_frame", CFRAME_FRAME);
	SHOW("cframe_previous", CFRAME_PREVIOUS);
	SHOW("frame_code", FRAME_FIELD(CODE));
	SHOW("frame_previous", FRAME_FIELD(PREVIOUS));
	SHOW("frame_instruction", FRAME_FIELD(INSTRUCTION));
	SHOW("frame_unit", UNIT);
	SHOW("frame_owner", OWNER);
	SHOW("frame_is_entry", IS_ENTRY);
	SHOW("frame_stack_owner", STACK_OWNER);
	SHOW("frame_bytes", FRAME_FIELD(LOCALS));
	SHOW("code_units", offsetof(PyVarObject, ob_size));
	SHOW("code_instructions", CODE_INSTRUCTIONS);
	SHOW("code_line", offsetof(PyCodeObject, co_firstlineno));
	SHOW("code_file", offsetof(PyCodeObject, co_filename));
	SHOW("code_name", offsetof(PyCodeObject, CODE_NAME));
	SHOW("code_table", offsetof(PyCodeObject, CODE_TABLE));
	SHOW("code_bytes", CODE_BYTES);
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


def row_of(folder):
    return row(PROGRAM, ["-I", folder])


def narrow_row_of(folder):
    """Without gcc-multilib, headers of the kernel are where only programs of 64 bits find them."""
    usual = subprocess.run(["cc", "-print-multiarch"], check=True, capture_output=True, text=True).stdout.strip()
    return row(PROGRAM, ["-m32", "-I", folder, "-idirafter", f"/usr/include/{usual}"], ["-m32"])


if __name__ == "__main__":
    narrow = sys.argv[1:2] == ["-m32"]
    if narrow:
        del sys.argv[1]
    main(__doc__, "cpython", "the headers of each version", narrow_row_of if narrow else row_of, suffix="_32" if narrow else "")
