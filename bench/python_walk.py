# SPDX-License-Identifier: MIT
"""python_walk.py LIBRARY DEPTH - calls python_walk.c at a depth of so many Python functions, each of them another one."""
import ctypes
import sys

library, depth = ctypes.CDLL(sys.argv[1]), int(sys.argv[2])
SOURCE = "def level_{0}(measure):\n    text = 'level {0}'\n    level_{1}(measure)\n    return text\n"
for level in range(2, depth):
    exec(SOURCE.format(level, level + 1))
exec(f"def level_{depth}(measure):\n    return measure()\n")
level_2(library.python_walk_measure)  # noqa: F821, pylint: disable=undefined-variable
