# SPDX-License-Identifier: MIT
"""figures.py - where plots are written to, and how Markdown shows them."""
import os

import plot as plots

FOLDER = "figures"  # beside RESULTS.md
_where = {"folder": None}


def write_to(folder):
    """All plots from here on; the folder is that of RESULTS.md."""
    _where["folder"] = os.path.join(folder, FOLDER)


def show(name, plot):
    """Writes the plot; Markdown that shows it, or says why not."""
    try:
        svg = plots.render(plot)
    except ValueError as error:
        return f"{plot.title}: {error}."
    os.makedirs(_where["folder"], exist_ok=True)
    with open(os.path.join(_where["folder"], name + ".svg"), "w", encoding="utf-8") as file:
        file.write(svg)
    return f"![{plot.title}]({FOLDER}/{name}.svg)"
