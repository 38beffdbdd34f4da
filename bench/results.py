# SPDX-License-Identifier: MIT
"""results.py - RESULTS.md: a section for each part of the benchmark, replaced when the part is run again.

The file is all that is kept from one run to the next. A section begins with a comment that names its part; what
is above the first is made anew each time, from the facts about the machine and what the sections say. A section that was measured on
another machine than the first ends with the facts about that.
"""
import re

import verdict

MARK = "<!-- part: {} -->"
MARKS = re.compile(r"^<!-- part: (\w+) -->\n", re.M)
FACTS = re.compile(r"^```\n(.*?)^```\n", re.M | re.S)
LINE = re.compile(r"^\* \*\*([\w ]+)\*\*, (.*)$", re.M)

OTHER = "\nThis part was measured on another machine:\n\n```\n{}```\n"
OTHERS = re.compile(re.escape(OTHER).replace(r"\{\}", "(.*?)"), re.S)

INTRODUCTION = """# dwell beside its peers

`./dev bench` writes this file; [README.md](README.md) describes how each figure is measured. Each figure is the median of the
rounds, with the minimum and the maximum in brackets; every tool had a turn in every round. Less is better everywhere. Two tools
are equally good if their medians are less than 5 % apart. Ranges overlap if each median lies in the range of the other: these
rounds do not show which of the two is better.
"""


def read(path):
    """(facts, {part: text}) of the last run, empty where there was none."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return "", {}
    head, *rest = MARKS.split(text)
    facts = FACTS.search(head)
    return facts[1] if facts else "", dict(zip(rest[::2], rest[1::2]))


def said(sections):
    """[(kind of verdict, the rest of the line, part)]"""
    return [(kind, rest, part) for part, text in sections.items() for kind, rest in LINE.findall(text)]


def summary(sections):
    lines = said(sections)
    count = {kind: sum(one == kind for one, _, _ in lines) for kind in verdict.KINDS}
    text = [
        "## Summary\n",
        f"dwell is best in {count[verdict.BEST]} of {len(lines)} compared figures, as good as the best in "
        f"{count[verdict.AS_BEST]}, not best in {count[verdict.NOT_BEST]}; in {count[verdict.OVERLAP]} the ranges overlap, and in "
        f"{count[verdict.ALONE]} it has no peer here.",
    ]
    titles = {
        verdict.NOT_BEST: "Not best, and why",
        verdict.OVERLAP: verdict.OVERLAP,
        verdict.AS_BEST: verdict.AS_BEST,
        verdict.BEST: verdict.BEST,
    }
    for kind, title in titles.items():
        if count[kind]:
            text += [f"\n{title}:\n", *(f"- [{part}](#{part}) {rest}" for one, rest, part in lines if one == kind)]
    return "\n".join(text) + "\n"


def compose(facts, sections, order):
    """The whole file."""
    known = {part: sections[part] for part in order if part in sections}
    parts = [INTRODUCTION, f"```\n{facts}```\n", summary(known)]
    parts += [MARK.format(part) + "\n" + text.rstrip("\n") + "\n" for part, text in known.items()]
    return "\n".join(parts)


def replace(path, facts, part, text, order):
    """Puts the section of a part there. Sections of another machine say so; once no section is left of the first, ours is the first."""
    first, sections = read(path)
    sections[part] = text if facts == first else text.rstrip("\n") + "\n" + OTHER.format(facts)
    if all(OTHERS.search(section) for section in sections.values()):
        first = facts
        sections = {name: section.replace(OTHER.format(facts), "") for name, section in sections.items()}
    with open(path, "w", encoding="utf-8") as file:
        file.write(compose(first, sections, order))
