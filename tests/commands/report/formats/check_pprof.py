# SPDX-License-Identifier: GPL-3.0-or-later
"""check_pprof.py PPROF JSON: decodes profile.proto by its published field numbers,
follows every reference, and compares each sample with its site."""
import gzip
import sys

from expected import clean, has_costs, has_states, load, near, same, stack, states_ns, time_ns, uncharged_ns


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of a message: an integer, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            assert tag & 7 == 2, "wire type %d" % (tag & 7)
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut"
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def numbers(values):
    """A repeated number, packed or not."""
    out = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = varint(value, at)
            out.append(one)
    return out


class Message:
    def __init__(self, data):
        self.all = {}
        for number, value in fields(data):
            self.all.setdefault(number, []).append(value)

    def one(self, number):
        return signed(self.all.get(number, [0])[-1])

    def many(self, number):
        return [Message(v) for v in self.all.get(number, [])]

    def list(self, number):
        return [signed(v) for v in numbers(self.all.get(number, []))]


def by_id(messages):
    """Unique and not 0 by the schema; 1, 2, 3... in their order for Parca."""
    out = {m.one(1): m for m in messages}
    assert list(out) == list(range(1, len(messages) + 1)), "not numbered in order: %s" % list(out)[:9]
    return out


class Profile:
    def __init__(self, path):
        with gzip.open(path) as f:
            self.top = Message(f.read())
        self.strings = [s.decode("utf-8") for s in self.top.all[6]]
        assert self.strings[0] == "" and len(set(self.strings)) == len(self.strings)
        self.mappings = by_id(self.top.many(3))
        self.locations = by_id(self.top.many(4))
        self.functions = by_id(self.top.many(5))
        self.used = {"mapping": set(), "function": set(), "location": set(), "string": {0}}

    def text(self, index):
        self.used["string"].add(index)
        return self.strings[index]

    def names(self, location):
        """Of one location, inlined functions first."""
        self.used["location"].add(location)
        at = self.locations[location]
        mapping = at.one(2)
        if mapping:
            self.used["mapping"].add(mapping)
        out = []
        for line in at.many(4):
            self.used["function"].add(line.one(1))
            function = self.functions[line.one(1)]
            out.append((self.text(function.one(2)), line.one(2), self.text(function.one(4))))
            self.text(function.one(3))
        if not out:
            assert mapping and at.one(3), "neither a name nor a place in a mapping"
            assert not self.mappings[mapping].one(7), "pprof looks up no frame of a mapping with names"
            file = self.text(self.mappings[mapping].one(5))
            base = file.rsplit("/", 1)[-1] if "/" in file and not file.endswith("/") else file
            out.append(("%s+0x%x" % (base, at.one(3)), 0, ""))
        return out


def check_sample(profile, sample, site, costs, states):
    found = [n for loc in sample.list(1) for n in profile.names(loc)]
    names = stack(site, with_outcome=False)
    assert [same(n[0]) for n in found] == [same(n) for n in names], (found, names)
    for (_, line, file), frame in zip(found[1:], site["stack"]):
        assert line == (frame["line"] or 0) and same(file) == same(clean(frame["file"] or ""))
    calls, time, size, *more = sample.list(2)
    went, uncharged = more[:states], more[states:]
    assert all(near(n, wanted) for n, wanted in zip(went, states_ns(site))), (went, states_ns(site))
    assert calls == site["calls"] and size == site["bytes"] and near(time, time_ns(site))
    assert len(uncharged) == costs and all(near(u, uncharged_ns(site)) for u in uncharged), uncharged
    labels = {profile.text(m.one(1)): profile.text(m.one(2)) for m in sample.many(3)}
    plain = site["outcome"] in ("completed", "any")
    assert labels.pop("kind", None) == ("wait" if site["waits"] else None), labels
    assert labels == ({} if plain else {"outcome": site["outcome"]}), labels


def check_rest(profile, costs, states):
    types = [(profile.text(m.one(1)), profile.text(m.one(2))) for m in profile.top.many(1)]
    wanted = [("calls", "count"), ("time", "nanoseconds"), ("bytes", "bytes"), ("on_cpu", "nanoseconds"), ("runnable", "nanoseconds"), ("asleep", "nanoseconds")][:3 + states]
    assert types == wanted + [("uncharged", "nanoseconds")][:costs], types
    assert all("-" not in text for pair in types for text in pair), "no type for a query of Pyroscope's"
    assert profile.text(profile.top.one(14)) == "time"
    (event,) = profile.top.many(11)
    assert (profile.text(event.one(1)), profile.text(event.one(2)), profile.top.one(12)) == ("calls", "count", 1)
    assert all(v >= 0 for s in profile.top.many(2) for v in s.list(2)), "Pyroscope drops samples below 0"
    for comment in profile.top.list(13):
        profile.text(comment)
    for mapping in profile.mappings.values():
        assert profile.text(mapping.one(5))
        int(profile.text(mapping.one(6)) or "0", 16)
    assert profile.used["mapping"] == set(profile.mappings), "mappings that nothing refers to"
    assert profile.used["function"] <= set(profile.functions)
    assert profile.used["location"] == set(profile.locations)


def main(path, report):
    profile = Profile(path)
    sites = load(report)["sites"]
    samples = profile.top.many(2)
    costs, states = has_costs(sites), has_states(sites)
    assert len(samples) == len(sites) > 0
    for sample, site in zip(samples, sites):
        check_sample(profile, sample, site, costs, states)
    check_rest(profile, costs, states)


if __name__ == "__main__":
    main(*sys.argv[1:])
