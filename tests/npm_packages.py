# SPDX-License-Identifier: MIT
"""npm_packages.py - the packages of tests/npm, for the tests that use them."""
import fcntl
import os
import shutil
import subprocess


def install(npm, build):
    """Installs the packages in BUILD, where they stay for all tests: the first one installs them, and the others wait.
    Returns the folder, or None and the reason why there are none."""
    if not shutil.which("npm") or not shutil.which("node"):
        return None, "there is no node and npm"
    os.makedirs(build, exist_ok=True)
    with open(f"{build}/lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return install_once(npm, build)


def install_once(npm, build):
    stamp = f"{build}/package-lock.json"
    with open(f"{npm}/package-lock.json", encoding="utf-8") as lock:
        wanted = lock.read()
    for name in os.listdir(npm):
        if name.endswith((".js", ".mjs", ".proto")):
            shutil.copy(f"{npm}/{name}", build)
    if os.path.exists(f"{build}/node_modules") and os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as lock:
            if lock.read() == wanted:
                return build, ""
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(f"{npm}/{name}", build)
    try:
        answer = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=build, capture_output=True, text=True,
                                timeout=120, check=False)
    except subprocess.TimeoutExpired:
        os.remove(stamp)
        return None, "npm does not come to an end"
    if answer.returncode:
        os.remove(stamp)
        return None, f"npm cannot install its packages: {answer.stderr.strip().splitlines()[-1:]}"
    return build, ""
