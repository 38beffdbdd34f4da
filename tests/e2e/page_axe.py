#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_axe.py DWELL PROGRAMS NPM BUILD - people who cannot see, or use no mouse, can use the page: npm's axe-core, which is
installed in BUILD, finds nothing above minor in any view, light and dark, wide and narrow."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
from npm_packages import install  # noqa: E402
from page_window import SEARCH, opened, show  # noqa: E402
from sampled import DWELL, program, run  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NPM, BUILD = (os.path.abspath(path) for path in sys.argv[3:5])
AXE = ("return axe.run(document, { resultTypes: ['violations'], ...arguments[0] }).then(({ violations, passes }) => [passes.length > 0, violations"
       ".filter(({ impact }) => impact !== 'minor')"
       ".map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)])")


def check(window, name, views, script):
    """Checks each view, light and dark; of the rules, only that of contrast depends on colors."""
    window.run(script)
    for scheme in ("light", "dark"):
        window.prefer(scheme)
        window.wait(f"return document.documentElement.dataset.theme === '{scheme}'")
        for view in views:
            show(window, view)
            passes, found = window.run(AXE, {} if scheme == "light" else {"runOnly": ["color-contrast"]})
            note("\n".join(found))
            ok(passes and not found, f"{name}, {view}, {scheme}: nothing above minor")


def main():
    packages, reason = install(NPM, BUILD)
    reason = reason or browser.missing()
    if reason:
        skip("axe-core", reason)
        return
    with open(f"{packages}/node_modules/axe-core/axe.min.js", encoding="utf-8") as file:
        script = file.read()
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as window:
        data, old, page, diff = (os.path.join(folder, name) for name in ("axe.data", "old.data", "axe.html", "diff.html"))
        run(DWELL, "record", "-q", "-F", "1000", "-o", old, "--", program("page_target"), "0.05")
        run(DWELL, "record", "-q", "-F", "1000", "--calls", "libc.so*:qsort", "-o", data, "--", "sh", "-c",
            f"{program('page_target')} 0.1 & {program('page_target')} 0.05; wait")
        run(DWELL, "html", "-o", page, data)
        run(DWELL, "html", "-o", diff, "--diff", old, data)
        opened(window, page)
        window.run(SEARCH, "part")
        window.run("dwell.state.change({ selections: [{ ...dwell.state.initial.selections[0], span: [0, dwell.model.recordings[0].seconds / 2] }] })")
        function = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
        views = [*window.run("return Object.keys(dwell.views)"), f"function/{function}"]
        check(window, "page", views, script)
        window.run("dwell.state.change({ as: 'sandwich', inverted: true, word: '' })")
        window.size(390, 844)
        check(window, "narrow", ["stacks", "functions", f"function/{function}"], script)
        window.size(1400, 900)
        opened(window, diff)
        check(window, "diff", ["flame", "functions", "stacks", "heat", f"function/{function}"], script)


if __name__ == "__main__":
    main()
    done()
