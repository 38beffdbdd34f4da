# SPDX-License-Identifier: MIT
"""page_window.py - a page of `dwell html` in a browser, for tests."""
import os

from tap import ok

SEARCH = "const s = document.getElementById('search'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))"


def opened(window, page, fragment=""):
    window.requests()
    window.open(page, fragment)
    window.wait("return Boolean(window.dwell)")


def rows_of(window):
    """Returns the visible rows of a table, {column: text} each."""
    return window.run(
        "return [...document.querySelectorAll('main .table-row')].map((row) => Object.fromEntries("
        "[...row.children].map((cell) => [cell.dataset.key, cell.textContent])))"
    )


def show(window, name):
    """Shows a view, as its tab does, or function/NUMBER, as its row does."""
    view, _, number = name.partition("/")
    window.run("dwell.state.change({ view: arguments[0], fn: arguments[1] })", view, int(number) if number else None)
    window.wait(f"return dwell.state.get('view') === '{view}'")


# Tables and their numbers that need more width than they have.
CUT = ("return [...document.querySelectorAll('main .table')].filter((t) => t.checkVisibility() && (t.scrollWidth > t.clientWidth + 1 || "
       "[...t.querySelectorAll('.number')].some((c) => c.scrollWidth > c.clientWidth + 1))).length")
FIRST = "return [...document.querySelectorAll('main .table-head')].map((head) => head.firstElementChild.dataset.key)"


def pictures(window, folder, name, views):
    """Leaves pictures of views, light and dark, wide and narrow; none needs more width than there is."""
    os.makedirs(folder, exist_ok=True)
    for scheme in ("light", "dark"):
        window.prefer(scheme)
        window.run("document.documentElement.dataset.theme = arguments[0]", scheme)
        for width in (1400, 390):
            window.size(width, 900)
            for view in views:
                show(window, view)
                window.screenshot(os.path.join(folder, f"{name}-{view.replace('/', '-')}-{scheme}-{width}.png"))
                wide = window.run("return document.documentElement.scrollWidth")
                if scheme == "light":
                    ok(wide <= width, f"{name}, {view}: fits into {width} pixels")
                if scheme == "light" and width == 1400:
                    ok(window.run(CUT) == 0, f"{name}, {view}: no table loses columns")
                if scheme == "light" and width == 390:
                    ok(set(window.run(FIRST)) <= {"function"}, f"{name}, {view}: names come first")
    window.size(1400, 900)
