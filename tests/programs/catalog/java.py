# SPDX-License-Identifier: MIT
"""java.py - its version; and compiled code, garbage, exceptions, threads, a child and a hook of a program."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class Work {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static long garbage(int n) {
        List<byte[]> kept = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < n; i++) {
            kept.add(new byte[1024]);
            if (kept.size() > 2000)
                kept.clear();
            sum += kept.size();
        }
        return sum;
    }

    // What is null is seen by SIGSEGV.
    static int thrown(int n) {
        int count = 0;
        for (int i = 0; i < n; i++)
            try {
                if (i % 3 == 0)
                    throw new IllegalStateException("thrown");
                Object object = i % 3 == 1 ? null : "something";
                object.hashCode();
            } catch (IllegalStateException error) {
                count++;
            } catch (NullPointerException error) {
                count += 1000;
            }
        return count;
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    public static void main(String[] words) throws Exception {
        System.out.println("fib " + fib(36) + ", garbage " + garbage(500000) + ", thrown " + thrown(30000));
        try {
            deep(0);
        } catch (StackOverflowError error) {
            System.out.println("the end of the stack");
        }
        var pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            int n = 20 + i % 5;
            results.add(pool.submit(() -> fib(n)));
        }
        long sum = 0;
        for (var result : results)
            sum += result.get();
        pool.shutdown();
        System.gc();
        System.out.println("threads " + sum);
        Process child = new ProcessBuilder("sh", "-c", "echo from a child; exit 4").inheritIO().start();
        System.out.println("child " + child.waitFor());
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(100000);
            } catch (InterruptedException error) {
                System.out.println("interrupted");
            }
        });
        sleeper.start();
        sleeper.interrupt();
        sleeper.join();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("the last word")));
        System.exit(5);
    }
}
"""


class Version(Program):
    name = "java -version"
    what = "java -version"
    packages = ("openjdk-17-jdk-headless",)
    version_command = ("java", "--version")
    objects = ("ld-linux",)

    def command(self, given):
        return ["java", "-version"]


class Java(Program):
    name = "java"
    what = "compiled code, garbage, exceptions, the end of a stack, threads, a child, a hook"
    packages = ("openjdk-17-jdk-headless",)
    version_command = ("java", "--version")
    objects = ("libjvm", "[anon]")

    def prepare(self, given):
        write(os.path.join(given, "Work.java"), SOURCE)
        subprocess.run(["javac", "-d", given, os.path.join(given, "Work.java")], check=True)

    def command(self, given):
        return ["java", "-cp", given, "Work"]
