// SPDX-License-Identifier: MIT
//
// long_names_library.cc - the function of the template, with most of its time in a function that is inlined there
// and has no symbol.
#include "long_names.h"

namespace ledger::accounts
{
static volatile unsigned sink;

namespace
{
__attribute__((always_inline)) inline void stir(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sink = sink * 31 + i;
}
}

template <typename Key, typename Value>
unsigned Book<Key, Value>::recalculate(const std::string &title, std::pair<Key, Value> entry)
{
	stir(20000);
	return sink + (unsigned)title.size() + (unsigned)entry.second;
}

template class Book<std::string, double>;
}
