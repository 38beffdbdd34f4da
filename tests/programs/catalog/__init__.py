# SPDX-License-Identifier: MIT
"""catalog - one file a program; see README.md in the folder above."""
