#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py - real programs, plainly and under dwell. README.md beside it tells how to add one; `./dev programs` runs it."""
import argparse
import functools
import importlib
import inspect
import os
import pkgutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
import catalog  # noqa: E402
import surroundings  # noqa: E402
import under  # noqa: E402
import ways  # noqa: E402
from program import Program  # noqa: E402
from results import print_table, write_page  # noqa: E402
from trial import AllWays, Stressed  # noqa: E402


def programs():
    """Returns all programs of catalog/, by file and then in the order of the file."""
    found = []
    for module in sorted(pkgutil.iter_modules(catalog.__path__), key=lambda module: module.name):
        members = vars(importlib.import_module(f"catalog.{module.name}")).values()
        found += [(module.name, member()) for member in members
                  if inspect.isclass(member) and issubclass(member, Program) and member.name
                  and member.__module__ == f"catalog.{module.name}"]
    return found


def chosen(names):
    """Returns the programs whose name, or whose file, is one of `names`; all if there are none."""
    every = programs()
    unknown = set(names) - {name for file, each in every for name in (file, each.name)}
    if unknown:
        known = ", ".join(each.name for _, each in every)
        sys.exit(f"programs: there is no {', '.join(sorted(unknown))}; there are {known}")
    if not names:
        return [each for _, each in every]
    return list(dict.fromkeys(each for name in names for file, each in every if name in (file, each.name)))


def names_of(find, text):
    """Calls `find` on a comma-separated list, with an error that argparse understands."""
    try:
        return find(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, or files of them; all by default, else in this order")
    parser.add_argument("--dwell", default="build/dwell", help="the one to run")
    parser.add_argument("--work", default="build/programs", help="where the programs work")
    parser.add_argument("--under", default=[], metavar="NAME,NAME...", type=functools.partial(names_of, under.by_names),
                        help="circumstances, see under.py, or 'all'")
    parser.add_argument("--ways", default=[], metavar="NAME,NAME...", type=functools.partial(names_of, ways.by_names),
                        help="see ways.py; all by default, and 'both' under circumstances")
    parser.add_argument("--packages", action="store_true", help="say which packages of Debian they need, and run nothing")
    parser.add_argument("--quick", action="store_true", help="only those that take little; skip those that are not installed")
    parser.add_argument("--page", help="a page to write into")
    return parser.parse_args()


def write_row(each, cells, options):
    texts = {column: cell.text() for column, cell in cells.items()}
    if not options.under:
        texts.update(version=each.version(), what=each.what)
    write_page(options.page, 1 if options.under else 0, {each.name: texts}, [every.name for _, every in programs()])


def run_all(wanted, options, columns):
    """Returns ({program: {column: Cell}}, how many could not be run); writes the page after each program."""
    rows, absent = {}, 0
    for each in wanted:
        why = each.missing()
        if why:
            print(f"{each.name}: not run, {why}", flush=True)
            absent += 1
            continue
        rows[each.name] = {}
        trial = (Stressed if options.under else AllWays)(each, options)
        with trial.prepared():
            for column, cell in trial.cells():
                rows[each.name][column] = cell
                if options.page:
                    write_row(each, rows[each.name], options)
        print_table({each.name: rows[each.name]}, columns)
    return rows, absent


def main():
    options = parse()
    options.dwell, options.work = os.path.abspath(options.dwell), os.path.abspath(options.work)
    wanted = [each for each in chosen(options.names) if each.quick or not options.quick]
    if options.packages:
        print(" ".join(sorted({package for each in wanted for package in each.packages})))
        return 0
    columns = {way.name: way.title for way in ways.WAYS}
    if options.under:
        columns = {each.name: each.name for each in options.under}
        options.ways = options.ways or ways.by_names("both")
        surroundings.mount_alone()
    rows, absent = run_all(wanted, options, columns)
    print()
    print_table(rows, columns)
    is_broken = any(cell.verdict == "broken" for cells in rows.values() for cell in cells.values())
    return 1 if is_broken or (absent and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
