// SPDX-License-Identifier: MIT
//
// sees_tree_library.cc - see sees_tree.h. All functions that it calls, but its own, are of other
// libraries.
#include "sees_tree.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define INLINE   __attribute__((always_inline)) inline
#define EXPORTED extern "C" __attribute__((noinline))

static const int DEEPEST = 64;

__thread int tree_depth;
static __thread const char *names[DEEPEST];

namespace
{

// A function under way, until it returns or an exception leaves it.
struct frame {
	INLINE explicit frame(const char *name)
	{
		char line[1024] = "call ";

		if (tree_depth == DEEPEST)
			_exit(3);
		names[tree_depth++] = name;
		for (int i = 0; i < tree_depth; i++) {
			strcat(line, i ? ";" : "");
			strcat(line, names[i]);
		}
		puts(line);
	}

	INLINE ~frame()
	{
		tree_depth--;
	}
};

} // namespace

EXPORTED void tree_leaf(void)
{
	frame here("tree_leaf");
}

EXPORTED void tree_branch(int leaves)
{
	frame here("tree_branch");

	for (int i = 0; i < leaves; i++)
		tree_leaf();
}

// Compilers make calls of a function by itself without any table.
static void (*volatile again)(int) = tree_down;

EXPORTED void tree_down(int depth)
{
	frame here("tree_down");

	tree_leaf();
	if (depth)
		again(depth - 1);
}

EXPORTED void tree_even(int depth)
{
	frame here("tree_even");

	if (depth)
		tree_odd(depth - 1);
	tree_leaf();
}

EXPORTED void tree_odd(int depth)
{
	frame here("tree_odd");

	if (depth)
		tree_even(depth - 1);
	tree_branch(1);
}

EXPORTED void tree_throw(void)
{
	frame here("tree_throw");

	throw 1;
}

EXPORTED void tree_pass(void)
{
	frame here("tree_pass");

	tree_leaf();
	tree_throw();
}

EXPORTED void tree_catch(void)
{
	frame here("tree_catch");

	try {
		tree_pass();
	} catch (int) {
		tree_leaf();
	}
	tree_branch(2);
}

EXPORTED void tree_jump(jmp_buf back)
{
	frame here("tree_jump");

	tree_leaf();
	longjmp(back, 1);
}

EXPORTED void tree_raise(int signal)
{
	frame here("tree_raise");

	raise(signal);
	tree_leaf();
}

// The child has no call under way: they are its parent's.
EXPORTED void tree_fork(void)
{
	frame here("tree_fork");
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		tree_depth = 0;
		tree_branch(3);
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, nullptr, 0);
	tree_leaf();
}
