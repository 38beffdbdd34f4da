// SPDX-License-Identifier: MIT
//
// long_names.h - a template whose functions have names of more than a line.
#ifndef DWELL_PROG_LONG_NAMES_H
#define DWELL_PROG_LONG_NAMES_H

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ledger::accounts
{
template <typename Key, typename Value> class Book
{
	std::map<Key, std::vector<Value>> pages;

      public:
	unsigned recalculate(const std::string &title, std::pair<Key, Value> entry);
};
} // namespace ledger::accounts

#endif
