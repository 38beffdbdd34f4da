# SPDX-License-Identifier: MIT
"""table.py - tables that are Markdown and can be read as they are."""
from statistics import median


def render(header, rows):
    """The first column is left-aligned, the others right. A shorter row, as of a name and a reason,
    is none that columns are made for."""
    whole = [header, *(row for row in rows if len(row) == len(header))]
    widths = [max(len(row[i]) for row in whole) for i in range(len(header))]
    widths[0] = max(len(row[0]) for row in [header, *rows])

    def line(cells):
        padded = [c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def spread(values, digits=1):
    """Median and range."""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f} .. {max(values):,.{digits}f})"
