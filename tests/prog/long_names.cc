// SPDX-License-Identifier: MIT
//
// long_names.cc SECONDS - uses that much CPU time in the function of the template.
#include "long_names.h"

#include <cstdlib>
#include <ctime>

int main(int, char **argv)
{
	ledger::accounts::Book<std::string, double> book;
	double end = (double)clock() + atof(argv[1]) * CLOCKS_PER_SEC;

	while ((double)clock() < end)
		for (int i = 0; i < 20; i++)
			book.recalculate("title", { "key", 1.0 });
}
