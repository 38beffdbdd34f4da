/* SPDX-License-Identifier: MIT
 *
 * demangle.h - the names that people gave to functions, from those that compilers made of them:
 * C++, Rust and D.
 */
#ifndef DWELL_SYMBOL_DEMANGLE_H
#define DWELL_SYMBOL_DEMANGLE_H

/* "void swap<int>(int&, int&)". To be freed; NULL: the name is not mangled. */
char *demangle(const char *symbol);

/* "swap<int>": what one would type, without parameters and type of result. To be freed; NULL: the
 * name is not mangled. */
char *demangle_plain(const char *symbol);

#endif
