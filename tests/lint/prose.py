#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prose.py SOURCE_ROOT - finds shapes of English that a native reader has to read twice: sentences that begin with "Of",
"What", "Whether", "Those" or "Who"; "is no " and "tells of"; "answers" for returns; "somebody", "nobody" and "whoever" for code.

Reads comments, string literals (messages, names of test points), manual pages, documents and the descriptions of packages.
Code, quotations and questions are exempt.
"""
import io
import re
import sys
import tokenize

import tree

# These two quote what they look for.
EXEMPT = re.compile(r"^tests/lint/(prose|selftest)\.py$")

OPENER = re.compile(r"(Of|What|Whether|Those|Who)\b")
OPENER_OF_MESSAGE = re.compile(OPENER.pattern, re.I)
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z(])")
CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
# "NAME.h - what it is", the first line of a file.
TITLE = re.compile(r"^[\w.*/-]+\.\w+(?: [A-Z_\[\].| -]+)? - ")
SHAPES = [
    (re.compile(r"(?<!here )\bis no (?!(longer|more|less|fewer|later|earlier|\w+er) )", re.I), "is no"),
    (re.compile(r"(?<!the )(?<!their )(?<!its )\b[Aa]nswers\b(?! (a|the|one) (question|request))"), "answers"),
    (re.compile(r"\b(tells?|told|telling) of\b", re.I), "tells of"),
    (re.compile(r"\b(somebody|nobody|whoever)\b", re.I), "somebody, nobody, whoever"),
]
C_TOKEN = re.compile(r"/\*(.*?)\*/|//([^\n]*)|\"((?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\\n]|\\.)+'", re.S)
# Values in an f-string.
VALUE = re.compile(r"\{[^{}]*\}")
SCRIPTS = (
    ".sh", "meson.build", "meson_options.txt", ".bash.in", "completion/_dwell.in", ".awk", ".ini", "debian/rules", "/smoke",
    "/run", "dev",
)


def faults(text, any_case=False):
    """Yields the shapes in a paragraph. any_case: it is a message, which begins without a capital letter."""
    text = CODE.sub("X", re.sub(r"\s+", " ", text).strip())
    for sentence in SENTENCE.split(text):
        opener = OPENER_OF_MESSAGE if any_case or TITLE.match(sentence) else OPENER
        start = TITLE.sub("", sentence).strip("()[]*_- ")
        first = opener.match(start)
        if first and not start.endswith("?"):
            yield f'begins with "{first.group(0)}"'
        any_case = False
    for shape, name in SHAPES:
        if shape.search(text):
            yield f'contains "{name}"'


def literal_faults(text):
    """Yields the shapes in a string literal, by line and by column: the lines of a help text have two."""
    for line in re.sub(r"\\[tn]", "\n", text).split("\n"):
        for cell in map(str.strip, re.split(r"\s{2,}", line)):
            if cell.count(" ") >= 2:
                yield from faults(cell, any_case=not re.match(r"of\b", cell))


def paragraphs(block):
    """Returns the paragraphs of a comment, without the stars in front of its lines."""
    lines = [re.sub(r"^\s*(\*+(\s|$)|[-*] )?", "", line) for line in block.split("\n")]
    return re.split(r"\n\s*\n", "\n".join(lines))


def of_c(text):
    literal, start, end = "", 0, -1
    for token in C_TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        comment = token.group(1) if token.group(1) is not None else token.group(2)
        if comment is not None:
            yield from ((line, fault) for part in paragraphs(comment) for fault in faults(part))
        elif token.group(3) is not None:
            joined = end >= 0 and not text[end:token.start()].strip()
            if not joined:
                yield from ((start, fault) for fault in literal_faults(literal))
                literal, start = "", line
            literal, end = literal + token.group(3), token.end()
    yield from ((start, fault) for fault in literal_faults(literal))


def of_hashes(text):
    """Looks at comments that begin with a # (shell, Meson, Python); consecutive lines are one comment."""
    block, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        comment = re.match(r"\s*#(?!!)\s?(.*)", line)
        if comment:
            start = start if block else number
            block.append(comment.group(1))
        else:
            yield from ((start, fault) for part in paragraphs("\n".join(block)) for fault in faults(part))
            block = []


def of_python(text):
    yield from of_hashes(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            yield from ((token.start[0], fault) for fault in faults(token.string.lstrip("# ")))
        if token.type != tokenize.STRING:
            continue
        if token.string.startswith('"""') and not token.line[: token.start[1]].strip():
            yield from ((token.start[0], fault) for part in paragraphs(token.string.strip('"')) for fault in faults(part))
        else:
            literal = VALUE.sub("X", token.string.strip("rfb").strip("'\""))
            yield from ((token.start[0], fault) for fault in literal_faults(literal))


def of_markdown(text):
    """Looks at each paragraph, list item, heading and table cell, but not at blocks of code."""
    text = re.sub(r"(?ms)^\s*(```|~~~).*?^\s*\1[^\n]*$", lambda block: "\n" * block.group(0).count("\n"), text)
    block, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        is_code = not block and re.match(r"    |\t|>", line)
        if block and (not line.strip() or re.match(r"\s*([-*+] |\d+\. |\||#|>)", line)):
            yield from ((start, fault) for fault in faults(" ".join(block)))
            block = []
        if line.startswith("|"):
            yield from ((number, fault) for cell in line.strip("|").split("|") for fault in faults(cell))
        elif line.strip() and not is_code:
            start = start if block else number
            block.append(re.sub(r"^\s*([-*+] |\d+\. |#+ )", "", line))


def of_html(text):
    """Looks at the text between the tags of a page, and at its comments."""
    for part in re.finditer(r"<!--(.*?)-->|>([^<]+)<", text, re.S):
        line = text.count("\n", 0, part.start()) + 1
        yield from ((line, fault) for fault in faults(part.group(1) or part.group(2)))


def of_man(text):
    """Looks at the running text of a manual page: font macros are part of it, any other macro ends a paragraph."""
    text = re.sub(r"(?ms)^\.(nf|EX)\b.*?^\.(fi|EE)\b[^\n]*$", lambda block: "\n" * block.group(0).count("\n"), text)
    block, start = [], 0
    for number, line in enumerate(text.split("\n") + [".PP"], 1):
        font = re.match(r"\.(?:[BI]R?|R[BI]|IB|BI|SM)\s+(.*)", line)
        if font or (line and not line.startswith((".", "'"))):
            start = start if block else number
            words = font.group(1).replace('"', "") if font else line
            block.append(re.sub(r"\\f.|\\[&|/]", "", words).replace("\\-", "-"))
        else:
            yield from ((start, fault) for fault in faults(" ".join(block)))
            block = []


def look(root, path):
    """Returns the faults of a file, each with its line."""
    text = "\n".join(tree.lines(root, path))
    if path.endswith((".c", ".h", ".S", ".cc", ".js", ".css", ".ld", ".map", ".rs")):
        return of_c(text)
    if path.endswith(".py"):
        return of_python(text)
    if path.endswith(".md"):
        return of_markdown(text)
    if path.endswith(".html"):
        return of_html(text)
    if re.match(r"^man/.*\.[1-9](\.in)?$", path):
        return of_man(text)
    if path.endswith(("debian/control", "debian/README.source")):
        return of_markdown(re.sub(r"(?m)^ +\.?", "", text))
    if path.endswith(SCRIPTS):
        return of_hashes(text)
    return ()


def main(root):
    problems, count = [], 0
    for path in tree.files(root):
        if not EXEMPT.match(path):
            count += 1
            problems += [f"{path}:{line}: {fault}" for line, fault in sorted(set(look(root, path)))]
    tree.finish(problems, f"{count} files")


if __name__ == "__main__":
    main(sys.argv[1])
