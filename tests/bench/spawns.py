# SPDX-License-Identifier: GPL-3.0-or-later
"""What starting children costs a program that is recorded, beside the same program plain: all run at the
same time, and take turns child by child."""
import subprocess

import measure

WAYS = {"f": "fork + exec", "v": "vfork + exec", "p": "posix_spawn", "x": "fork + exec that fails"}
OPTIONS = ("-g socket,wait", "-g all,alloc", "-c page --states exact", "-g all,alloc -c page --states exact")


def ask(process, way):
    process.stdin.write(way + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise measure.Failure("it ended")
    return int(answer) / 1000


def bench(tools, rounds, scale):
    program = [tools.program("bench/spawns")]
    lines = {"plain": tools.wrap("plain", program)}
    lines.update({options: tools.wrap(f"scprof {options}", program) for options in OPTIONS})
    started = {name: subprocess.Popen(line, cwd=out, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True) for name, (line, out) in lines.items()}
    times = max(20, int(60 * rounds * scale))
    try:
        measure.header(f"Starting a child: {times} each, in turns", "how", "recorded", "us: 25 %", "50 %", "75 %",
                       "us added, pair by pair: 25 %", "50 %", "75 %")
        for way, shown in WAYS.items():
            variants = {name: lambda process=process, way=way: ask(process, way) for name, process in started.items()}
            results, failed = measure.interleave(variants, times)
            for name, values in results.items():
                if name in failed:
                    measure.row(shown, name, failed[name])
                    continue
                added = sorted(v - b for v, b in zip(values, results["plain"]))
                values = sorted(values)
                quarters = [f"{s[len(s) * q // 4]:.0f}" for s in (values, added) for q in (1, 2, 3)]
                measure.row(shown, name, *quarters)
    finally:
        for process in started.values():
            process.stdin.close()
        for name, process in started.items():
            process.wait(60)
            tools.forget(lines[name][1])
