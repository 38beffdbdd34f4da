# SPDX-License-Identifier: MIT
"""matrix.py - multiplies matrices by numpy, and sums up squares in Python: docs/TUTORIAL.md asks which of these takes longer."""
import numpy

SIZE = 300


def multiply(a, b):
    return a @ b


def normalise(a):
    total = 0.0
    for row in a:
        for value in row:
            total += value * value
    return a / total ** 0.5


def main():
    a = numpy.ones((SIZE, SIZE))
    for _ in range(40):
        a = normalise(multiply(a, a))
    print(a[0][0])


main()
