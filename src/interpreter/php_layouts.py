#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""php_layouts.py INCLUDE... - prints php_layouts.h: where PHP keeps what a walk reads, for each version whose headers
are in a folder INCLUDE, such as /usr/include/php/20220829 (package php8.2-dev).

The committed table was made so:

    src/interpreter/php_layouts.py /usr/include/php/20220829

and its row of aarch64 from the headers of arm64, unpacked in ROOT:

    CC=aarch64-linux-gnu-gcc EMULATOR="qemu-aarch64-static -L /usr/aarch64-linux-gnu" \
        src/interpreter/php_layouts.py ROOT/usr/include/php/20220829
"""
from layouts import main, row

PROGRAM = r"""
#include <main/php.h>
#include <stddef.h>
#include <stdio.h>

#define SHOW(name, value) printf("\t\t.%s = %d,\n", name, (int)(value))

int main(void)
{
#if defined(ZTS) || ZEND_DEBUG
	return 1;
#endif
	printf("\t{\n");
	SHOW("version", PHP_VERSION_ID / 100);
	SHOW("executor_bytes", sizeof(zend_executor_globals));
	SHOW("compiler_bytes", sizeof(zend_compiler_globals));
	SHOW("frame_op", offsetof(zend_execute_data, opline));
	SHOW("frame_function", offsetof(zend_execute_data, func));
	SHOW("frame_info", offsetof(zend_execute_data, This.u1.type_info));
	SHOW("frame_previous", offsetof(zend_execute_data, prev_execute_data));
	SHOW("frame_bytes", sizeof(zend_execute_data));
	SHOW("info_top", ZEND_CALL_TOP);
	SHOW("function_type", offsetof(zend_op_array, type));
	SHOW("type_user", ZEND_USER_FUNCTION);
	SHOW("type_eval", ZEND_EVAL_CODE);
	SHOW("function_name", offsetof(zend_op_array, function_name));
	SHOW("function_class", offsetof(zend_op_array, scope));
	SHOW("function_ops", offsetof(zend_op_array, opcodes));
	SHOW("function_op_count", offsetof(zend_op_array, last));
	SHOW("function_file", offsetof(zend_op_array, filename));
	SHOW("function_line", offsetof(zend_op_array, line_start));
	SHOW("function_line_end", offsetof(zend_op_array, line_end));
	SHOW("function_bytes", sizeof(zend_op_array));
	SHOW("class_name", offsetof(zend_class_entry, name));
	SHOW("text_length", offsetof(zend_string, len));
	SHOW("text", offsetof(zend_string, val));
	SHOW("op_line", offsetof(zend_op, lineno));
	SHOW("op_bytes", sizeof(zend_op));
	printf("\t},\n");
	return 0;
}
"""


def row_of(folder):
    return row(PROGRAM, [f"-I{folder}"] + [f"-I{folder}/{part}" for part in ("main", "Zend", "TSRM", "ext")])


if __name__ == "__main__":
    main(__doc__, "php", "the headers of each version", row_of)
