// SPDX-License-Identifier: MIT
//
// sees_tree.cc - calls the functions of libsees_tree_library.so, which print the tree that must be
// seen: with recursion, threads, exceptions, jumps, signals and a child.
#include "sees_tree.h"

#include <csignal>
#include <cstdlib>
#include <pthread.h>

static void handler(int)
{
	tree_branch(1);
}

static void *in_thread(void *unused)
{
	for (int i = 0; i < 20; i++)
		tree_branch(2);
	tree_down(3);
	return unused;
}

static void run_threads()
{
	pthread_t threads[4];

	for (pthread_t &thread : threads)
		if (pthread_create(&thread, nullptr, in_thread, nullptr))
			_Exit(4);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
}

static void jump_out()
{
	volatile int depth = tree_depth;
	jmp_buf back;

	if (setjmp(back) == 0)
		tree_jump(back);
	tree_depth = depth;
	tree_leaf();
}

int main()
{
	std::signal(SIGUSR1, handler);
	tree_leaf();
	tree_branch(10);
	tree_down(20);
	tree_even(9);
	tree_odd(4);
	for (int i = 0; i < 5; i++) {
		tree_catch();
		jump_out();
		tree_raise(SIGUSR1);
	}
	run_threads();
	tree_fork();
	tree_down(1);
	return 0;
}
