# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of tests/programs/attach, which check themselves."""
import os

from targets import Missing, Speaking


class Ours(Speaking):
    def program(self, name):
        path = f"{self.build}/tests/programs/{name}"
        if not os.access(path, os.X_OK):
            raise Missing(f"no {path}: make tests")
        return path


class Torture(Ours):
    name, spare_fds = "torture", 40 # its threads work on while it is looked at

    def prepare(self):
        self.line = [self.program("torture"), str(max(20, round(500 * self.size))), "200", f"{self.build}/tests/programs"]
        if os.environ.get("TORTURE_FLAW"):
            self.line.append(os.environ["TORTURE_FLAW"])


class Blocked(Ours):
    name, idle = "blocked", True

    def prepare(self):
        self.line = [self.program("blocked"), self.work]


class Left(Ours):
    name, idle = "left", True

    def prepare(self):
        self.line = [self.program("left")]


PROGRAMS = (Torture, Blocked, Left)
