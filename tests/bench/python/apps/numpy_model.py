# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers: two products of matrices, a large one and a small one, in BLAS."""
import numpy

rng = numpy.random.default_rng(1)
weights, small = rng.random((300, 300)), rng.random((30, 30))


def normalise(a):
    return a / a.max()


def forward(x):
    hidden = numpy.dot(weights, x) # the slow line
    gate = numpy.dot(small, small)
    return normalise(hidden) * gate.mean()


def train(rounds):
    x = weights
    for _ in range(rounds):
        x = forward(x)
    return x


print(train(100).shape)
