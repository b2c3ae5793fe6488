// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time of all threads went: one bar, its words below.

const THREAD_STATES = { cpu_in_calls: "on CPU, in calls", cpu_outside: "on CPU, outside of calls", recording: "recording by scprof", runnable: "waiting for a CPU",
	asleep_in_calls: "asleep in calls", not_recorded: "asleep, not recorded",
	work: "in calls that work", waiting: "in calls that wait", outside: "outside of calls, or not recorded" };
const MOSTLY = { computes: "Mostly computes", waits: "Mostly waits", "kept from its CPUs": "Mostly kept from its CPUs" };
const SLEEPERS_NAMED = 3, SLEEPER_LEAST = 0.005;

// [[function, share of all threads' time]] of what sleeps longest: `part`, the share of all that sleep, as their
// means and calls divide it.
function sleepers(part) {
	const by = new Map();
	let sum = 0;
	for (const [row, of] of stateRows)
		if (of.asleep > 0) {
			by.set(siteName(row), (by.get(siteName(row)) || 0) + of.asleep * of.calls);
			sum += of.asleep * of.calls;
		}
	return [...by].map(([name, ns]) => [name, (part * ns) / sum]).sort((a, b) => b[1] - a[1]);
}

// { shares, which, all, of }: the parts' shares, and which calls the part `of` is. null: not known.
function threadsTime() {
	const t = doc.threads_time, exact = t && stateShares(t.ns, t.parts), shares = exact && inTenths(exact);
	if (shares) {
		const all = t.ns.reduce((sum, ns) => sum + Math.max(ns, 0), 0);
		return { shares, all, of: "asleep_in_calls", which: sleepers(shares.find(([part]) => part === "asleep_in_calls")[1]) };
	}
	const { threads, in_calls: calls, waiting } = doc.time;
	const work = Math.max(calls - waiting, 0);
	const halves = stateShares([work, waiting, threads - calls], ["work", "waiting", "outside"]);
	return threads > 0 && halves ? { shares: inTenths(halves), all: threads, of: "waiting", which: waitsByFunction() } : null;
}

function showThreadsTime() {
	const time = threadsTime(), section = byId("time"), t = doc.threads_time;
	section.hidden = !time;
	if (!time)
		return;
	const which = time.which.filter(([, part]) => part >= SLEEPER_LEAST).slice(0, SLEEPERS_NAMED)
		.map(([name, part], i) => [i ? ", " : ": ", nameOf(fit(name, 30)), ` ${share(part)}`]);
	const stolen = t && t.stolen >= 0.001 ? `the host stole ${share(t.stolen)} of the time on a CPU` : "";
	const seen = time.shares.filter(([part, of]) => of >= 0.0005);
	replace(section, element("h2", { id: "time-title" }, `${(t && MOSTLY[t.mostly]) || "Where the time went"}`, element("span", { class: "quiet-text" }, ` all threads' ${duration(time.all)}`)),
		stateBar(time.shares, THREAD_STATES, 0.13), element("p", { class: "verdict" }, nameOf(doc.verdict, "words")),
		element("div", { class: "legend" }, seen.map(([part, of]) => stateKey(part, [`${THREAD_STATES[part]} `, element("b", {}, share(of)), part === time.of ? which : ""])),
			stolen ? element("span", {}, stolen) : ""));
}
