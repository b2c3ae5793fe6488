// SPDX-License-Identifier: GPL-3.0-or-later
// Where time went: on a CPU, waiting for one, asleep. Bars of shares, always with words.

const STATES = { on_cpu: "on CPU", runnable: "waiting for a CPU", asleep: "asleep" };
const stateRows = new Map(doc.states.map((values) => [values[0],
	Object.fromEntries(doc.state_fields.slice(0, values.length).map((name, i) => [name, values[i]]))]));
const hasStates = stateRows.size > 0;
const hasSwitched = [...stateRows.values()].some((of) => of.switched > 0);

// null: not known. Of a row that was never switched the page holds only that: all is on the CPU.
function statesOf(row) {
	const of = stateRows.get(row);
	if (!of || "on_cpu" in of)
		return of || null;
	const mean = sites.get(row, "mean"), low = sites.get(row, "low"), high = sites.get(row, "high");
	return { ...of, share: 0, estimated: 0, readings: 0, on_cpu: mean, on_cpu_low: low, on_cpu_high: high, runnable: 0, asleep: 0,
		unswitched: mean, unswitched_low: low, unswitched_high: high, doubts: -1, bars: [] };
}

// [[part, share]]; null: not known. Chance can make a part negative, which has no length.
function stateShares(parts, names) {
	const all = parts.reduce((sum, part) => sum + Math.max(part, 0), 0);
	return parts.some((part) => part === null) || !(all > 0) ? null : names.map((name, i) => [name, Math.max(parts[i], 0) / all]);
}

// Of all, rounded as the text report's bar of time: tenths of a percent that add up to 100.0 %.
function inTenths(shares) {
	const tenths = shares.map(([, of]) => Math.floor(1000 * of));
	const missing = 1000 - tenths.reduce((sum, n) => sum + n, 0);
	shares.map(([, of], i) => [tenths[i] - 1000 * of, i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, missing).forEach(([, i]) => tenths[i]++);
	return shares.map(([part], i) => [part, tenths[i] / 1000]);
}

const rowShares = (of) => (of ? stateShares([of.on_cpu, of.runnable, of.asleep], Object.keys(STATES)) : null);
const shareWords = (shares, words) => shares.map(([part, of]) => `${words[part]} ${share(of)}`).join(", ");

const HATCHED = new Set(["recording", "not_recorded"]); // no ground for a number

// `label`: from which share on a part has its number in it.
function stateBar(shares, words, label) {
	const bar = element("div", { class: label ? "l-bar" : "l-bar small", role: "img", "aria-label": shareWords(shares, words), title: shareWords(shares, words) });
	for (const [part, of] of shares.filter(([, of]) => of > 0)) {
		const span = element("span", { class: `t-${part}` }, label && of >= label && !HATCHED.has(part) ? share(of) : "");
		span.style.flexGrow = String(of);
		bar.append(span);
	}
	return bar;
}

const stateKey = (part, words) => element("span", { class: "key" }, element("i", { class: `swatch t-${part}` }), element("span", {}, words));

// As the text report's column: of the mean, with the same rounding.
function cpuShare(row) {
	const of = statesOf(row), mean = sites.get(row, "mean");
	return of && of.on_cpu !== null && mean > 0 ? clamp(of.on_cpu / mean, 0, 1) : null;
}

// With the limits that are known where a few readings, or a warm-up that is not in the mean, leave most of it open.
function cpuText(row) {
	const of = statesOf(row), mean = sites.get(row, "mean"), part = cpuShare(row);
	if (part === null)
		return "";
	const within = (ns) => clamp(ns / mean, 0, 1), bounded = of.on_cpu_low !== null && of.on_cpu_high !== null;
	const kept = of.unswitched === null ? 0 : within((1 - of.share) * of.unswitched);
	const most = typeof of.most_on_cpu === "number" ? within(of.most_on_cpu) : 1; // what its threads had
	const calls = sites.get(row, "calls"), after = calls - sites.get(row, "aside"), total = sites.get(row, "total");
	const aside = after < calls && total > 0 ? clamp(1 - (mean * after) / total, 0, 1) : 0;
	const low = bounded ? Math.min(Math.max(within(of.on_cpu_low), kept), most) * (1 - aside) : 0;
	const high = bounded ? Math.min(within(of.on_cpu_high), most) * (1 - aside) + aside : 0, shown = Math.min(Math.max(part, kept), most);
	if (high - low > 0.5)
		return low >= 0.005 ? `> ${fixed(100 * low, 0)} %` : high < 0.995 ? `< ${fixed(100 * high, 0)} %` : "?";
	return shown < 0.005 && 0.005 * mean < 100 ? "?" : `${fixed(100 * shown, 0)} %`;
}

function drawStates(row) {
	const shares = rowShares(statesOf(row));
	if (!shares)
		return ["–", element("span", { class: "caller" }, stateRows.has(row) ? "not read" : "not known")];
	const [part, of] = shares.reduce((most, one) => (one[1] > most[1] ? one : most));
	return [stateBar(shares, STATES, 0), element("span", { class: "caller" }, `${part === "on_cpu" ? cpuText(row) : share(of)} ${part === "runnable" ? part : STATES[part]}`)];
}

function drawUnswitched(row) {
	const of = statesOf(row);
	if (!of || of.unswitched === null)
		return ["–", element("span", { class: "caller" }, of ? "all were switched" : "not known")];
	const p = meanParts(of.unswitched, of.unswitched_low, of.unswitched_high);
	return [element("strong", {}, p.mean), ` ${p.unit}`, element("span", { class: "caller" }, p.interval)];
}

// ---- details ----

const wholeShare = (part) => element("span", { class: "whole" }, share(part));
const partFact = (of, part, shares) => fact(stateKey(part, STATES[part]),
	`${meanText(of[part], of[`${part}_low`] ?? null, of[`${part}_high`] ?? null)}, `, wholeShare(shares.find(([name]) => name === part)[1]));

// The mean of the calls that kept their CPU, to the scale of the mean of all.
function keptMean(row) {
	const of = statesOf(row);
	if (!of || !of.switched || of.unswitched === null)
		return "";
	return [element("p", { class: "kept" }, `${share(1 - of.share)} of the calls kept their CPU: mean `,
		element("strong", {}, meanText(of.unswitched, of.unswitched_low, of.unswitched_high))),
	intervalChart(of.unswitched, of.unswitched_low, of.unswitched_high, CHART_WIDTH, sites.get(row, "high"))];
}

function stateDetails(row) {
	const of = statesOf(row), shares = rowShares(of), title = element("h3", {}, "Where the time of a call went");
	if (!of)
		return "";
	if (!of.switched && !of.readings)
		return [title, stateBar(shares || [["on_cpu", 1]], STATES, 0.2), element("p", { class: "note" }, "No call was switched: each kept its CPU from begin to end.")];
	const words = `${of.estimated ? "about " : ""}${count(of.switched)} of ${count(of.calls)} calls, `;
	return [title, shares ? stateBar(shares, STATES, 0.2) : element("p", { class: "note" }, "Some calls were switched; none of them was read."),
		of.doubts >= 0 ? element("ul", { class: "notes" }, element("li", { class: "doubt" }, element("b", {}, "! "), `${text(of.doubts)}: these intervals may not contain the true means`)) : "",
		element("dl", {}, shares ? Object.keys(STATES).map((part) => partFact(of, part, shares)) : "", fact("switched", words, wholeShare(of.share)),
			of.charged === null ? "" : fact("charged", meanText(of.charged, of.charged_low, of.charged_high)))];
}

// Of a box with several rows.
function boxStates(box) {
	const shares = sums.has("on_cpu") ? stateShares(Object.keys(STATES).map((part) => boxNumber(box, part)), Object.keys(STATES)) : null;
	return shares ? [element("h3", {}, "Where their time went"), stateBar(shares, STATES, 0.2),
		element("div", { class: "legend" }, shares.map(([part, of]) => stateKey(part, `${STATES[part]} ${share(of)}`)))] : "";
}

// Heights of a row's bars for some of its calls, each kind to its own highest bar: [kind, heights].
function barKinds(row) {
	const of = statesOf(row), bars = barsOf(row);
	if (!of || !of.switched || of.bars.length * 3 !== bars.length)
		return [["all", null]];
	const heights = (calls) => {
		const high = calls.map((n, i) => (bars[3 * i + 1] > 0 ? bars[3 * i + 2] * n / bars[3 * i + 1] : 0));
		const most = Math.max(...high);
		return most > 0 ? high.map((h) => h / most) : null;
	};
	const rest = of.estimated ? ["all", null] : ["kept", heights(of.bars.map((n, i) => bars[3 * i + 1] - n))];
	return [rest, ["switched", heights(of.bars)]].filter(([kind, high]) => kind === "all" || high);
}

const KINDS = { all: "all calls", kept: "kept their CPU", switched: "were switched" };

function kindsLabel(row) {
	const of = statesOf(row);
	return of && of.switched ? `; ${share(of.share)} of the calls were switched` : "";
}

function kindsLegend(row) {
	const kinds = barKinds(row);
	return kinds.length < 2 ? "" : element("p", { class: "legend" },
		kinds.map(([kind]) => element("span", { class: "key" }, element("i", { class: `swatch k-${kind}` }), KINDS[kind])), "each to its own highest bar");
}
