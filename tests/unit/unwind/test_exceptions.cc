// SPDX-License-Identifier: MIT
//
// test_exceptions.cc - walks through C++ while exceptions are on their way, at random moments, compared with
// libgcc's; the walk itself is C, in exceptions_walk.c.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
void walk_start(void);
bool walk_enough(void);
int walk_finish(void);
void walk_now(void);
}

namespace
{
volatile int sunk;

struct Guard {
	std::string name;

	explicit Guard(int n)
		: name(std::to_string(n) + " is a string that is too long to be kept inside")
	{
	}
	~Guard()
	{
		sunk = sunk + static_cast<int>(name.size());
		if (sunk % 64 == 0)
			walk_now(); // while libgcc unwinds the stack
	}
};

// It always throws, but the compiler must not know.
__attribute__((noinline)) void give_up(int n)
{
	if (sunk != -1)
		throw std::runtime_error(std::to_string(n));
}

__attribute__((noinline)) int descend(int n)
{
	Guard guard(n);

	if (!n) {
		give_up(n);
		return 0;
	}
	return descend(n - 1) + 1;
}

__attribute__((noinline)) int catch_and_go_on(int n)
{
	try {
		return descend(n);
	} catch (const std::runtime_error &error) {
		walk_now();
		try {
			descend(3);
		} catch (...) {
			walk_now();
		}
		return static_cast<int>(std::string(error.what()).size());
	}
}
}

int main()
{
	walk_start();
	while (!walk_enough())
		sunk = sunk + catch_and_go_on(10);
	return walk_finish();
}
