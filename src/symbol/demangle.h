/* SPDX-License-Identifier: MIT
 *
 * demangle.h - turns the mangled names of C++, Rust and D back into those of the source.
 */
#ifndef DWELL_SYMBOL_DEMANGLE_H
#define DWELL_SYMBOL_DEMANGLE_H

/* Returns "void swap<int>(int&, int&)"; a suffix such as "@plt" is kept. Free with free(); NULL:
 * the name is not mangled. */
char *demangle(const char *symbol);

/* Returns "swap<int>": the name as a user would type it, without parameters and result type. Free
 * with free(); NULL: the name is not mangled. */
char *demangle_plain(const char *symbol);

#endif
