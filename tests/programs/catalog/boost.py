# SPDX-License-Identifier: MIT
"""boost.py - fibers of Boost on two threads that steal them from each other: channels, exceptions, locks."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
#include <atomic>
#include <boost/fiber/all.hpp>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fibers = boost::fibers;

enum { THREADS = 2, FIBERS = 400, ROUNDS = 200, ITEMS = 20000 };

static std::atomic<long> sum, caught;
static fibers::fiber_specific_ptr<std::string> own;

static void work(int number)
{
	own.reset(new std::string(std::to_string(number)));
	for (int round = 0; round < ROUNDS; round++) {
		char text[64];
		std::snprintf(text, sizeof(text), "%d.%d", number, round);
		sum += static_cast<long>(std::strlen(text));
		boost::this_fiber::yield();
		try {
			if (round % 10 == 0)
				throw std::runtime_error(text);
		} catch (const std::runtime_error &error) {
			caught += *own == std::to_string(number) && !std::strcmp(error.what(), text);
		}
	}
}

static void run_fibers()
{
	std::vector<fibers::fiber> all;
	for (int i = 0; i < FIBERS; i++)
		all.emplace_back(i % 2 ? fibers::launch::post : fibers::launch::dispatch, work, i);
	for (auto &each : all)
		each.join();
}

static long pass_items()
{
	fibers::buffered_channel<int> channel(64);
	fibers::fiber producer([&] {
		for (int i = 0; i < ITEMS; i++)
			channel.push(i);
		channel.close();
	});
	long total = 0;
	for (int item : channel)
		total += item;
	producer.join();
	return total;
}

int main()
{
	fibers::barrier end(THREADS);
	fibers::mutex lock;
	fibers::condition_variable changed;
	bool is_done = false;
	std::thread helper([&] {
		fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(THREADS, true);
		std::unique_lock<fibers::mutex> held(lock);
		changed.wait(held, [&] { return is_done; });
		held.unlock();
		end.wait();
	});
	fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(THREADS, true);
	run_fibers();
	std::printf("sum %ld, caught %ld, items %ld\n", sum.load(), caught.load(), pass_items());
	fibers::future<int> answer = fibers::async([] { return throw std::logic_error("of a fiber"), 1; });
	try {
		answer.get();
	} catch (const std::logic_error &error) {
		std::printf("%s\n", error.what());
	}
	{
		std::unique_lock<fibers::mutex> held(lock);
		is_done = true;
	}
	changed.notify_all();
	end.wait();
	helper.join();
	return 6;
}
"""


class BoostFiber(Program):
    name = "boost-fiber"
    what = "400 fibers on 2 threads that steal from each other: 80,000 switches, exceptions, a channel, a future"
    packages = ("libboost-fiber-dev", "g++")
    version_command = ("dpkg-query", "-W", "-f", "${Version}", "libboost-fiber-dev")
    objects = ("work", "libboost_context.so")
    libraries = ("libc.so", "libstdc++.so", "libboost_fiber.so")

    def prepare(self, given):
        source = os.path.join(given, "work.cc")
        write(source, SOURCE)
        subprocess.run(["g++", "-O1", "-g", source, "-o", os.path.join(given, "work"), "-lboost_fiber", "-lboost_context", "-pthread"],
                       check=True)

    def command(self, given):
        return [os.path.join(given, "work")]
