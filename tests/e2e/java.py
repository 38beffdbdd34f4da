#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""java.py DWELL PROGRAMS - methods of Java in stacks: right by name, with their lines, interpreted, compiled and inlined; from outside; a
version that is not supported."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import Recording, program, run, text, unharmed  # noqa: E402
from scripted import PROGRAMS, Truth, check_order, check_outside, check_shown, check_unsupported  # noqa: E402
from surroundings import read_debug_files  # noqa: E402
from tap import done, ok, skip  # noqa: E402

read_debug_files()
HOME = "/usr/lib/jvm/java-17-openjdk-amd64/bin"
JAVA, JAVAC = os.path.join(HOME, "java"), os.path.join(HOME, "javac")
OPTIONS = ("-Xmx64m", "-XX:+UseSerialGC")
RIGHT = 0.999  # the others are marked
MADE = "[anon]"  # code without names
CALLEES = {
    "f_K": ["inline_K"],
    "inline_K": ["go_on", "leaf_inlined_K", "leaf_sorted_K", "leaf_raised_K", "leaf_virtual_K", "leaf_made_K", "leaf_text_K", "leaf_reflected_K"],
    "go_on": ["dispatch"],
    "leaf_inlined_K": ["small_K"],
    "small_K": ["spin_K"],
    "leaf_sorted_K": ["lambda$leaf_sorted_K$0"],
    "lambda$leaf_sorted_K$0": ["spin_K"],
    "leaf_raised_K": ["raise_K", "spin_K"],
    "raise_K": ["raise_K"],
    "leaf_virtual_K": ["area"],
    "area": ["spin_K"],
    "leaf_made_K": ["spin_K"],
    "leaf_text_K": ["spin_K"],
    "leaf_reflected_K": ["spun_K"],
    "spun_K": ["spin_K"],
}

PROGRAM = """package demo;

public class App {
    static long now() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static int crunch(double seconds) { // line 8
        long end = now() + (long) (seconds * 1e9);
        int x = 0;

        while (now() < end)
            for (int i = 0; i < 20000; i++)
                x += leaf(i); // line 14
        return x;
    } // line 16

    static int leaf(int i) {
        return i * i % 7;
    }

    static void mapped(double seconds) {
        java.util.List.of(1).forEach(i -> crunch(seconds));
    }

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(() -> mapped(Double.parseDouble(args[0])));

        thread.start();
        thread.join();
        System.out.println("done");
    }
}
"""
ORDER = ["demo.App.lambda$main$1", "demo.App.mapped", "demo.App.lambda$mapped$0", "demo.App.crunch"]


def compiled(folder):
    """Compiles all sources, and puts those that the truth loads itself apart."""
    parts, sources = os.path.join(folder, "parts"), [os.path.join(PROGRAMS, "JavaTruth.java")]
    os.mkdir(parts)
    with open(os.path.join(PROGRAMS, "java_truth_part.java"), encoding="utf-8") as file:
        template = file.read()
    for name, source in [(f"Part_{number}", template.replace("_K", f"_{number}")) for number in range(8)] + [("App", PROGRAM)]:
        sources.append(os.path.join(folder, f"{name}.java"))
        with open(sources[-1], "w", encoding="utf-8") as file:
            file.write(source)
    made = run(JAVAC, "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-g", "-d", folder, *sources)
    for name in os.listdir(folder):
        if re.fullmatch(r"Part_\d.*\.class", name):
            shutil.move(os.path.join(folder, name), parts)
    ok(made.returncode == 0, f"the programs are compiled: {text(made.stderr)[-500:]}")
    return parts


def truth(folder, parts):
    judged = Truth(["run", "dispatch"], CALLEES, MADE, lambda name: re.sub(r"^(JavaTruth|Part_\d(\$\w+)?)\.", "", name))
    # Both compilers need their time.
    judged.check((JAVA, *OPTIONS, "-cp", folder, "JavaTruth", program("libjava_shadow.so"), parts), RIGHT, seconds=1)


def shown(folder):
    data = os.path.join(folder, "data")
    command = (JAVA, *OPTIONS, "-cp", folder)
    recording = Recording(*command, "-Xint", "demo.App", "0.2", keep=data)
    check_shown(recording, data, ("demo.App.crunch", "App.java", 9, 14, 16), "Java", MADE)
    check_order(data, "interpreted methods", ORDER)
    recording = Recording(*command, "demo.App", "0.3", keep=data)
    unharmed(run(*command, "demo.App", "0.3"), recording.run, "a program in Java")
    check_order(data, "compiled methods", ORDER)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if os.path.exists(JAVA) and os.path.exists(JAVAC):
            truth(folder, compiled(folder))
            shown(folder)
            # A sample has a copy of the stack's innermost part alone, and the virtual machine's own stacks may be larger.
            check_outside(folder, (JAVA, *OPTIONS, "-cp", folder, "demo.App", "0.5"), ORDER, may_be_cut=True)
        else:
            skip("methods of Java", f"{JAVA} or javac is not installed")
        check_unsupported(folder, "java_other", "Java functions have no names: this dwell supports OpenJDK 17, not 9.0")
    done()


main()
