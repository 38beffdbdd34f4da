# SPDX-License-Identifier: MIT
"""certificates.py - an authority and certificates of its own, for servers of tests."""
import shutil

from sampled import run


def make(folder, name="cert", host="IP:127.0.0.1"):
    """Makes an authority, ca.pem, unless it is there, and a certificate for a host. Returns the paths of the certificate
    and its key; nothing without openssl."""
    def openssl(*words):
        return run("openssl", *words, cwd=folder).returncode == 0
    if not shutil.which("openssl"):
        return []
    with open(f"{folder}/names", "w", encoding="utf-8") as file:
        file.write(f"subjectAltName={host}\n")
    made = openssl("x509", "-in", "ca.pem", "-noout") or openssl(
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj",
        "/CN=dwell tests", "-days", "2")
    made = made and openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", "request.pem",
                            "-subj", "/CN=127.0.0.1")
    made = made and openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                            "-out", f"{name}.pem", "-days", "2", "-extfile", "names")
    return [f"{folder}/{name}.pem", f"{folder}/{name}.key"] if made else []
