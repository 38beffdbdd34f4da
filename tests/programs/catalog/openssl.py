# SPDX-License-Identifier: MIT
"""openssl.py - hand-written assembly, and a timer of its own: speed."""
from program import Program, Rule


class Openssl(Program):
    name = "openssl"
    what = "openssl speed of SHA-256, AES and ECDSA, with two processes as well"
    packages = ("openssl",)
    version_command = ("openssl", "version")
    objects = ("libcrypto",)
    runs_by_time = True
    libraries = ("libc.so", "libcrypto.so")
    rules = (
        Rule.replace(rb" *[\d.]+(s|k|us|ms)?\b", b" N", "figures: how much was done in how long"),
        Rule.sort_lines("either of two processes may be first"),
    )

    def command(self, given):
        return ["sh", "-c", "openssl speed -seconds 1 -bytes 4096 -evp aes-128-cbc && openssl speed -seconds 1 sha256 && "
                "openssl speed -seconds 1 ecdsap256 && openssl speed -seconds 1 -multi 2 -bytes 1024 -evp chacha20; "
                "openssl speed nothing"]
