/* SPDX-License-Identifier: MIT
 *
 * short_name.h - a short form of the names of C++ and Rust functions, for people:
 *
 *	std::vector<int, std::allocator<int> >::push_back(int const&)
 *	std::vector<int>::push_back(int const&)
 *
 * Types of the standard library have their usual names, without arguments that are defaults. A name
 *that is long even so loses the inside of its template arguments, and then of its parameters:
 *
 *	void parse<...>(std::string const&, unsigned int)
 *	Sheet<...>::recalculate<...>(...)
 */
#ifndef DWELL_SYMBOL_SHORT_NAME_H
#define DWELL_SYMBOL_SHORT_NAME_H

/* Names of up to so many characters keep their arguments and parameters. */
#define SHORT_NAME_WIDTH 60

/* Shortens a demangled name in place. It stays as it is if its brackets are not balanced: it may be
 * in any language. */
void short_name(char *name);

#endif
