# SPDX-License-Identifier: MIT
"""sanitizers.py - programs built with sanitizers, which find what they have to find and nothing else."""
import os
import subprocess

from program import Program, Rule, write

SOURCE = r"""
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex lock;
static std::map<std::string, long> counts;
int unguarded;
void *volatile kept;

static void work(int number)
{
	std::vector<std::string> words;
	for (int i = 0; i < 20000; i++)
		words.push_back(std::to_string(i * 7919 % 1009 + number));
	std::sort(words.begin(), words.end());
	std::lock_guard<std::mutex> held(lock);
	for (const auto &word : words)
		counts[word]++;
}

static int fail(const char *how, volatile int big)
{
	if (!std::strcmp(how, "address")) {
		volatile char *gone = static_cast<char *>(std::malloc(10));
		std::free(const_cast<char *>(gone));
		return gone[3];
	}
	if (!std::strcmp(how, "thread")) {
		std::thread other([] { unguarded++; });
		usleep(200000); // not a synchronization; the report depends on which is first
		unguarded++;
		other.join();
		return 0;
	}
	if (!std::strcmp(how, "undefined"))
		return 1 << (big & 0x3f);
	if (!std::strcmp(how, "leak"))
		for (int i = 0; i < 10; i++)
			kept = std::malloc(100);
	return 0;
}

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(work, i);
	for (auto &thread : threads)
		thread.join();
	try {
		std::vector<int>().at(argc);
	} catch (const std::out_of_range &) {
		std::printf("%zu words, %ld of 500\n", counts.size(), counts["500"]);
	}
	std::fflush(stdout);
	pid_t child = fork();
	if (!child)
		_exit(7);
	int status = 0;
	waitpid(child, &status, 0);
	std::printf("child %d, %d\n", WEXITSTATUS(status), std::system("exit 3") >> 8);
	std::fflush(stdout);
	return fail(argv[1], 0x7fffffff);
}
"""


class Sanitized(Program):
    """One sanitizer; what it prints is compared, except for addresses and pids."""

    packages = ("g++", "libgcc-12-dev")
    version_command = ("g++", "--version")
    objects = ("work",)
    libraries = ("libc.so", "libstdc++.so")
    sanitizer, wrong = "", ""
    rules = (Rule.replace(rb"==\d+==|pid=\d+|tid=\d+", b"PID", "pids"),
             Rule.replace(rb"0x[0-9a-f]+", b"ADDRESS", "where it was loaded"))

    def prepare(self, given):
        source = os.path.join(given, "work.cc")
        write(source, SOURCE)
        subprocess.run(["g++", "-O1", "-g", f"-fsanitize={self.sanitizer}", source, "-o", os.path.join(given, "work"), "-pthread"],
                       check=True)

    def command(self, given):
        return [os.path.join(given, "work"), self.wrong]


class Asan(Sanitized):
    name = "asan"
    what = "-fsanitize=address: threads, children, exceptions; memory used after it was freed"
    sanitizer = wrong = "address"


class Lsan(Sanitized):
    name = "lsan"
    what = "the same, and memory that leaks"
    sanitizer, wrong = "address", "leak"


class Tsan(Sanitized):
    name = "tsan"
    what = "-fsanitize=thread: threads, children, exceptions; two threads that write without a lock"
    sanitizer = wrong = "thread"


class Ubsan(Sanitized):
    name = "ubsan"
    what = "-fsanitize=undefined: threads, children, exceptions; a shift too far"
    sanitizer = wrong = "undefined"
    rules = ()
