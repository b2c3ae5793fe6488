#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the last picture of `scprof top --batch --paths` with `scprof report --format json`:
# the mean of the run, its interval, the +-%, the warnings and the warm-up of each row, to the digits
# shown.
# usage: top_report.py [--counts] TOP.OUT REPORT.JSON
# --counts: only calls, warnings and warm-ups.
# Exit status: 0 the same, 1 not (what differs is printed).
import json, re, sys

UNITS = {'ns': 1, 'µs': 1e3, 'us': 1e3, 'ms': 1e6, 's': 1e9}
NUMBER = r'-?[\d.,]+'


def value(text):
    """A number and half a unit of its last digit."""
    text = text.replace(',', '')
    digits = len(text.split('.')[1]) if '.' in text else 0
    return float(text), 0.5000001 * 10**-digits


def close(text, scale, wanted, slack=1):
    number, half = value(text)
    return abs(number * scale - wanted) <= half * scale * slack


def row_of(line):
    """From the right: function and caller, calls, +-%, mean of the run."""
    found = re.search(r'(?:< (?P<below>' + NUMBER + r') |(?P<mean>' + NUMBER + r') (?:±(?P<half>' + NUMBER +
                      r')|\[(?P<low>' + NUMBER + r'), (?P<high>' + NUMBER +
                      r')\])) (?P<unit>ns|µs|us|ms|s) +(?P<doubt>[~!]?)(?P<precision>>?[\d.]+%|\?) +(?P<calls>[\d,]+)  ' +
                      r'(?P<function>\w+)', line)
    return found and found.groupdict()


def differences(row, site, doubts, aside, counts):
    warm_up = site['steadiness']['warm_up']
    if aside != (warm_up['calls'] if warm_up and warm_up['set_aside'] else 0):
        yield 'warm-up %d, report %s' % (aside, warm_up)
    if bool(row['doubt']) != bool(site['doubts']) or doubts != set(site['doubts']):
        yield 'doubts %s %s, report %s' % (row['doubt'], sorted(doubts), site['doubts'])
    if counts:
        return
    scale = UNITS[row['unit']]
    mean, low, high = site['mean_ns'], site['ci_low_ns'], site['ci_high_ns']
    if row['below']:
        if not close(row['below'], scale, high) or site['mean_below_ns'] is None and low * 20 > high:
            yield 'below %s, report [%g, %g] ns' % (row['below'], low, high)
        return
    half = max(high - mean, mean - low)
    if not close(row['mean'], scale, mean):
        yield 'mean %s, report %g ns' % (row['mean'], mean)
    if row['half'] and not close(row['half'], scale, half, 2):
        yield 'half %s, report %g ns' % (row['half'], half)
    if row['low'] and not (close(row['low'], scale, low) and close(row['high'], scale, high)):
        yield 'interval [%s, %s], report [%g, %g] ns' % (row['low'], row['high'], low, high)
    if row['precision'] not in ('?', '>999%') and not close(row['precision'].rstrip('%'), 0.01, half / mean):
        yield '+-%s, report %g' % (row['precision'], half / mean)


def main():
    counts = sys.argv[1] == '--counts'
    pictures, report = sys.argv[1 + counts:]
    last = open(pictures, encoding='utf-8').read().split('\nscprof top:')[-1].split('\n')
    sites = json.load(open(report))['sites']
    shown = 0
    for line, below in zip(last, last[1:]):
        row = row_of(line)
        if not row:
            continue
        shown += 1
        named_doubts = re.search(r'; [~!] (.*)', below)
        doubts = set(named_doubts.group(1).split(', ')) if named_doubts else set()
        after = re.search(r' after ([\d,]+) of warm-up', below)
        aside = int(after.group(1).replace(',', '')) if after else 0
        calls = int(row['calls'].replace(',', ''))
        # sites of one function and as many calls: one of them must be it
        named = [s for s in sites if s['symbol'] == row['function'] and s['calls'] == calls]
        wrong = [list(differences(row, s, doubts, aside, counts)) for s in named]
        if not wrong or all(wrong):
            print('\n'.join([line] + [w for one in wrong for w in one] + ['no such site'] * (not wrong)))
            sys.exit(1)
    if shown != len(sites) or not shown:
        print('%d rows, %d sites\n%s' % (shown, len(sites), '\n'.join(last)))
        sys.exit(1)


main()
