#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command on a pseudo-terminal, presses keys, and reads its screen as a person would.
# usage: pty_screen.py COLUMNSxLINES SCRIPT COMMAND [ARG...]
# SCRIPT, steps separated by newlines:
#   key TEXT          press these (\n, \e, \x03 as in Python; UP, DOWN, ENTER, ESC, END, HOME)
#   wait REGEX        until the screen matches; only what hangs takes two minutes
#   gone REGEX        until it does not
#   screen NAME       write the screen to the file NAME
#   count REGEX N     so many lines match
#   resize CxL        the terminal's new size
#   sleep SECONDS
#   still SECONDS     until the screen has stayed the same for so long
#   shell COMMAND     must succeed; $PID is the command's
#   left              the terminal is on its normal screen
#   hang up           the terminal goes, as when its window is closed; the command must end
#   end STATUS        the command has ended with this status; what is on the screen stays
# Exit status: 0 all steps done, 1 a step failed (the screen is printed), 2 wrong usage.
# Knows the part of ECMA-48 that ncurses uses for TERM=xterm; what it does not know is an error,
# since a sequence that came from a hostile name would be one.
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time

KEYS = {'UP': '\x1bOA', 'DOWN': '\x1bOB', 'ENTER': '\r', 'ESC': '\x1b', 'HOME': '\x1bOH', 'END': '\x1bOF'}

LIMIT = 120.0


class Screen:
    """What bytes make of a screen."""

    def __init__(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.text = [[' '] * columns for _ in range(lines)]
        self.x = self.y = 0
        self.top, self.bottom = 0, lines - 1
        self.rest = ''
        self.unknown = []
        self.alternate = False
        self.last = ' '
        self.normal = ''

    def resize(self, columns, lines):
        self.text = [(row + [' '] * columns)[:columns] for row in self.text]
        self.text = (self.text + [[' '] * columns for _ in range(lines)])[:lines]
        self.columns, self.lines, self.top, self.bottom = columns, lines, 0, lines - 1
        self.x, self.y = min(self.x, columns - 1), min(self.y, lines - 1)

    def feed(self, text):
        text = self.rest + text
        self.rest = ''
        at = 0
        while at < len(text):
            c = text[at]
            if c == '\x1b':
                match = re.compile(r'\x1b(\[[?>=!]?[0-9;]*[@-~]|[()][A-Z0-9]|[=>78MDEc])').match(text, at)
                if not match:
                    if len(text) - at < 24:
                        self.rest = text[at:]
                        return
                    self.unknown.append(repr(text[at:at + 12]))
                    at += 1
                    continue
                self.escape(match.group(1))
                at = match.end()
                continue
            at += 1
            if c == '\r':
                self.x = 0
            elif c == '\n':
                self.line_feed()
            elif c == '\b':
                self.x = max(self.x - 1, 0)
            elif c in '\x07\x0e\x0f':
                pass
            elif c == '\t':
                self.x = min((self.x // 8 + 1) * 8, self.columns - 1)
            elif c < ' ':
                self.unknown.append(repr(c))
            else:
                self.put(c)

    def put(self, c):
        if not self.alternate:
            self.normal += c
        if self.x >= self.columns:
            self.x = 0
            self.line_feed(wrapped=True)
        self.text[self.y][self.x] = c
        self.x += 1
        self.last = c

    def line_feed(self, wrapped=False):
        if not self.alternate and not wrapped:
            self.normal += '\n'
        if self.y == self.bottom:
            self.scroll(1)
        else:
            self.y = min(self.y + 1, self.lines - 1)

    def scroll(self, n):
        for _ in range(abs(n)):
            if n > 0:
                del self.text[self.top]
                self.text.insert(self.bottom, [' '] * self.columns)
            else:
                del self.text[self.bottom]
                self.text.insert(self.top, [' '] * self.columns)

    def erase(self, y, start, end):
        for x in range(start, min(end, self.columns)):
            self.text[y][x] = ' '

    def escape(self, s):
        if not s.startswith('['):
            if s == 'M':
                self.scroll(-1) if self.y == self.top else None
                self.y = max(self.y - 1, 0)
            return
        final, body = s[-1], s[1:-1]
        if body[:1] in ('?', '>', '=', '!'):
            if body in ('?1049', '?47'):
                self.alternate = final == 'h'
            return
        n = [int(p) if p else 0 for p in body.split(';')]
        one = max(n[0], 1)
        self.x = min(self.x, self.columns - 1) if final != 'm' else self.x
        if final in 'Hf':
            self.y = min(one, self.lines) - 1
            self.x = min(max(n[1] if len(n) > 1 else 1, 1), self.columns) - 1
        elif final == 'A':
            self.y = max(self.y - one, 0)
        elif final == 'B':
            self.y = min(self.y + one, self.lines - 1)
        elif final == 'C':
            self.x = min(self.x + one, self.columns - 1)
        elif final == 'D':
            self.x = max(self.x - one, 0)
        elif final == 'G':
            self.x = min(one, self.columns) - 1
        elif final == 'd':
            self.y = min(one, self.lines) - 1
        elif final == 'J':
            self.erase(self.y, self.x if n[0] == 0 else 0, self.columns)
            for y in range(self.y + 1 if n[0] == 0 else 0, self.lines):
                self.erase(y, 0, self.columns)
        elif final == 'K':
            self.erase(self.y, self.x if n[0] == 0 else 0, self.columns if n[0] != 1 else self.x + 1)
        elif final == 'X':
            self.erase(self.y, self.x, self.x + one)
        elif final == 'P':
            row = self.text[self.y]
            self.text[self.y] = (row[:self.x] + row[self.x + one:] + [' '] * one)[:self.columns]
        elif final == '@':
            row = self.text[self.y]
            self.text[self.y] = (row[:self.x] + [' '] * one + row[self.x:])[:self.columns]
        elif final == 'L' or final == 'M':
            keep, self.top = self.top, self.y
            self.scroll(-one if final == 'L' else one)
            self.top = keep
        elif final == 'S':
            self.scroll(one)
        elif final == 'T':
            self.scroll(-one)
        elif final == 'b':
            for _ in range(one):
                self.put(self.last)
        elif final == 'r':
            self.top, self.bottom = one - 1, (n[1] if len(n) > 1 and n[1] else self.lines) - 1
            self.x = self.y = 0
        elif final not in 'mlht':
            self.unknown.append(repr('\x1b' + s))

    def lines_now(self):
        return [''.join(row).rstrip() for row in self.text]


class Driver:
    def __init__(self, size, command):
        columns, lines = size
        self.screen = Screen(columns, lines)
        self.status = None
        sized, size_it = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.close(size_it)
            os.environ['TERM'] = 'xterm'
            os.environ['LC_ALL'] = 'C.UTF-8'
            for name in ('COLUMNS', 'LINES'):
                os.environ.pop(name, None)
            os.read(sized, 1)
            os.execvp(command[0], command)
        self.set_size(columns, lines)
        os.close(sized)
        os.close(size_it)
        self.raw = b''

    def set_size(self, columns, lines):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))

    def read(self, seconds):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b''
        if not data:
            if self.status is None:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            time.sleep(0.01)
            return False
        self.raw += data
        text = self.raw.decode('utf-8', 'ignore')
        # a character may have been cut in two
        cut = len(self.raw) - len(text.encode())
        self.raw = self.raw[-cut:] if 0 < cut < 4 else b''
        self.screen.feed(text)
        return True

    def until(self, what, wanted, limit=LIMIT):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if wanted():
                return
            if self.status is not None:
                break
            self.read(0.05)
        if not wanted():
            self.fail(what)

    def fail(self, what):
        print('pty_screen: not so: ' + what)
        print('\n'.join(self.screen.lines_now()))
        print('(written outside of the full screen: %r; status %s)' % (self.screen.normal[-300:], self.status))
        self.close()
        sys.exit(1)

    def still(self, what, seconds):
        end = time.monotonic() + LIMIT
        since, before = time.monotonic(), None
        while time.monotonic() - since < seconds:
            self.read(0.05)
            while self.status is None and self.read(0):
                pass
            if self.screen.lines_now() != before:
                since, before = time.monotonic(), self.screen.lines_now()
            if since > end:
                self.fail(what)

    def matches(self, pattern):
        return re.search(pattern, '\n'.join(self.screen.lines_now()), re.M) is not None

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def hung_up(self):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                self.status = 0
                return
            time.sleep(0.02)
        self.fail('the command ended with its terminal')

    def ended(self):
        end = time.monotonic() + LIMIT
        while self.status is None and time.monotonic() < end:
            self.read(0.05)
        return self.status


def step(driver, line):
    word, _, rest = line.partition(' ')
    if word == 'key':
        text = KEYS.get(rest) or rest.encode().decode('unicode_escape')
        os.write(driver.fd, text.encode())
    elif word == 'wait':
        driver.until(line, lambda: driver.matches(rest))
    elif word == 'gone':
        driver.until(line, lambda: not driver.matches(rest))
    elif word == 'count':
        pattern, _, number = rest.rpartition(' ')
        driver.until(line, lambda: sum(bool(re.search(pattern, row))
                     for row in driver.screen.lines_now()) == int(number))
    elif word == 'screen':
        with open(rest, 'w') as out:
            out.write('\n'.join(driver.screen.lines_now()) + '\n')
    elif word == 'resize':
        columns, lines = map(int, rest.split('x'))
        driver.screen.resize(columns, lines)
        driver.set_size(columns, lines)
    elif word == 'sleep':
        end = time.monotonic() + float(rest)
        while time.monotonic() < end:
            driver.read(0.05)
    elif word == 'still':
        driver.still(line, float(rest))
    elif word == 'shell':
        if subprocess.call(['bash', '-c', rest], env=dict(os.environ, PID=str(driver.pid))):
            driver.fail(line)
    elif word == 'left':
        driver.until(line, lambda: not driver.screen.alternate)
    elif word == 'hang':
        os.close(driver.fd)
        driver.hung_up()
    elif word == 'end':
        if driver.ended() != int(rest):
            driver.fail(line)
        if driver.screen.alternate:
            driver.fail('the terminal was given back')
        with open('normal', 'w') as out:
            out.write(driver.screen.normal)
    else:
        sys.exit('pty_screen: no step is called ' + word)


def main():
    if len(sys.argv) < 4:
        sys.exit(2)
    driver = Driver(tuple(map(int, sys.argv[1].split('x'))), sys.argv[3:])
    for line in sys.argv[2].strip().split('\n'):
        if line.strip():
            step(driver, line.strip())
        if driver.screen.unknown:
            driver.fail('known sequences only, but: ' + ' '.join(driver.screen.unknown))
    driver.close()


main()
