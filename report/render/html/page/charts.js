// SPDX-License-Identifier: GPL-3.0-or-later
// Histograms of latencies and a mean with its interval. All to scale.

// ---- latencies, on an axis of log time ----

const buckets = new Map();
for (let i = 0; i < doc.buckets.length; i += 3)
	buckets.set(doc.buckets[i], [doc.buckets[i + 1], doc.buckets[i + 2]]);

const barsOf = (row) => (latencies.has(row) ? latencies.get(row).bars : []);

// From the shortest to the longest of some rows' calls, widened to powers of ten.
function latencyAxis(rows) {
	let low = Infinity, high = 0;
	for (const row of rows) {
		const bars = barsOf(row);
		if (!bars.length)
			continue;
		low = Math.min(low, buckets.get(bars[0])[0]);
		high = Math.max(high, buckets.get(bars[bars.length - 3])[1]);
	}
	if (!high)
		return null;
	// compensated limits may be negative, which has no logarithm
	const from = Math.floor(Math.log10(Math.max(low, 1)) * 2) / 2;
	const to = Math.ceil(Math.log10(Math.max(high, 10)) * 2) / 2;
	return { from, to: Math.max(to, from + 0.5) };
}

function latencyPlace(axis, ns, width) {
	const log = Math.log10(Math.max(ns, 10 ** axis.from));
	return ((clamp(log, axis.from, axis.to) - axis.from) / (axis.to - axis.from)) * width;
}

// The bars of a row as one outline; heights are shares of the highest, from the report. `heights`: of
// some of the calls; null: of all.
function barPath(row, axis, width, height, heights) {
	const bars = barsOf(row);
	let d = "", end = null;
	for (let i = 0; i < bars.length; i += 3) {
		const high = heights ? heights[i / 3] : bars[i + 2];
		if (!high)
			continue;
		const [from, to] = buckets.get(bars[i]);
		const left = latencyPlace(axis, from, width), right = Math.max(latencyPlace(axis, to, width), left + 0.6);
		const top = height - Math.max(high * (height - 1), 0.75);
		if (end === null || left > end + 0.01)
			d += `${end === null ? "" : `V${height}Z`}M${left.toFixed(2)},${height}`;
		d += `V${top.toFixed(2)}H${right.toFixed(2)}`;
		end = right;
	}
	return d ? `${d}V${height}Z` : "";
}

function sparkline(row, axis, width, height) {
	if (!axis || !barsOf(row).length)
		return null;
	const p50 = latencyPlace(axis, latencies.get(row).p50, width);
	return svg("svg", { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
		svg("line", { class: "s-base", x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }),
		svg("path", { class: "s-bars", d: barPath(row, axis, width, height - 1) }),
		svg("line", { class: "s-mid", x1: p50, x2: p50, y1: 1, y2: height }));
}

// Decades and, on a short axis, thirds of them: 1, 2, 5.
function axisTicks(axis, width) {
	const ticks = [];
	const wide = width / (axis.to - axis.from) > 100;
	for (let e = Math.floor(axis.from); e <= axis.to; e++)
		for (const m of wide ? [1, 2, 5] : [1]) {
			const ns = m * 10 ** e;
			if (Math.log10(ns) >= axis.from - 1e-9 && Math.log10(ns) <= axis.to + 1e-9)
				ticks.push(ns);
		}
	return ticks;
}

const tickText = (ns) => {
	const [size, unit] = scaleOf(ns);
	return `${Math.round(ns / size)} ${unit}`;
};

const LABEL_GAP = 8; // px between two words on an axis
// [left, words] of the ticks that have room: whole, within the axis, apart. Powers of ten go first,
// every second or third of them where all would touch; then those between.
function axisLabels(ticks, place, width) {
	const labels = [];
	const put = (ns) => {
		const words = tickText(ns), wide = wordWidth(words);
		const left = clamp(place(ns) - wide / 2, 0, Math.max(width - wide, 0));
		if (labels.every((l) => left >= l.right + LABEL_GAP || left + wide + LABEL_GAP <= l.left))
			labels.push({ left, right: left + wide, words });
	};
	const isDecade = (ns) => Math.abs(Math.log10(ns) - Math.round(Math.log10(ns))) < 1e-6;
	const decades = ticks.filter(isDecade);
	const widest = Math.max(...ticks.map((ns) => wordWidth(tickText(ns))), 0) + LABEL_GAP;
	const apart = decades.length > 1 ? Math.abs(place(decades[1]) - place(decades[0])) : width;
	const every = Math.max(Math.ceil(widest / Math.max(apart, 1)), 1);
	decades.filter((_, i) => i % every === 0).forEach(put);
	ticks.filter((ns) => every === 1 && !isDecade(ns)).forEach(put);
	return labels;
}

function histogram(row, width, height) {
	const axis = latencyAxis([row]);
	if (!axis)
		return null;
	const bottom = height - 20, top = 34;
	const chart = svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
		"aria-label": `Histogram of latencies, log scale: median ${duration(latencies.get(row).p50)}, 99 % below ${duration(latencies.get(row).p99)}${kindsLabel(row)}` });
	const ticks = axisTicks(axis, width), place = (ns) => latencyPlace(axis, ns, width);
	for (const ns of ticks)
		chart.append(svg("line", { class: "h-grid", x1: place(ns), x2: place(ns), y1: top, y2: bottom }));
	for (const label of axisLabels(ticks, place, width))
		chart.append(svg("text", { class: "h-tick start", x: label.left, y: height - 5 }, label.words));
	for (const [kind, heights] of barKinds(row))
		chart.append(svg("path", { class: kind === "switched" ? "h-switched" : "h-bars", transform: `translate(0 ${top})`, d: barPath(row, axis, width, bottom - top, heights) }));
	chart.append(svg("line", { class: "h-base", x1: 0, x2: width, y1: bottom, y2: bottom }));
	for (const mark of histogramMarks(row, axis, width, top, bottom))
		chart.append(mark);
	return chart;
}

// The mean with its interval above the bars; median and 99th percentile as lines with their names.
function histogramMarks(row, axis, width, top, bottom) {
	const marks = [];
	const at = (field) => latencyPlace(axis, sites.get(row, field), width);
	const lines = ["p50", "p99"].map((p) => latencyPlace(axis, latencies.get(row)[p], width));
	for (const x of lines)
		marks.push(svg("line", { class: "h-mark", x1: x, x2: x, y1: top - 4, y2: bottom }));
	// next to their lines, away from each other; near an edge moved inwards, the other one further
	const wide = wordWidth("p99");
	const p50 = clamp(lines[0] - 4 - wide, 0, width - 2 * wide - LABEL_GAP);
	const p99 = clamp(lines[1] + 4, p50 + wide + LABEL_GAP, width - wide);
	for (const [words, left] of [["p50", Math.min(p50, p99 - wide - LABEL_GAP)], ["p99", p99]])
		marks.push(svg("text", { class: "h-name start", x: left, y: top - 5 }, words));
	const mean = sites.get(row, "mean"), low = sites.get(row, "low"), high = sites.get(row, "high");
	if (mean > 0) {
		const y = 8;
		if (low !== null && high !== null)
			marks.push(svg("line", { class: "h-interval", x1: at("low"), x2: Math.max(at("high"), at("low") + 1), y1: y, y2: y }));
		marks.push(svg("circle", { class: "h-mean", cx: at("mean"), cy: y, r: 3.5 }));
		const start = low === null ? at("mean") : at("low"), end = high === null ? at("mean") : at("high");
		const left = end + 8 + wordWidth("mean") > width; // no room on the right
		if (!left || start - 8 >= wordWidth("mean"))
			marks.push(svg("text", { class: left ? "h-name end" : "h-name start", x: left ? start - 8 : end + 8, y: y + 4 }, "mean"));
	}
	return marks;
}

// A mean on a linear axis from 0: how far is the interval from zero, and how wide? `most`: the axis
// goes that far at least.
function intervalChart(mean, low, high, width, most) {
	if (low === null || high === null || !(high > 0))
		return null;
	const height = 30, from = Math.min(low, 0), span = (Math.max(high, most || 0) - from) * 1.06;
	const place = (ns) => ((ns - from) / span) * (width - 10) + 5;
	const tick = (ns, anchor) => svg("text", { class: `h-tick ${anchor}`, x: place(ns), y: height - 3 }, ns === 0 ? "0" : duration(ns));
	const zero = place(high) - place(0) > wordWidth(`0${duration(high)}`) + LABEL_GAP;
	return svg("svg", { class: "interval", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
		svg("line", { class: "h-base", x1: 0, x2: width, y1: 9, y2: 9 }),
		svg("line", { class: "h-base", x1: place(0), x2: place(0), y1: 4, y2: 14 }),
		svg("line", { class: "h-interval", x1: place(low), x2: Math.max(place(high), place(low) + 1), y1: 9, y2: 9 }),
		svg("line", { class: "h-limit", x1: place(low), x2: place(low), y1: 4, y2: 14 }),
		svg("line", { class: "h-limit", x1: place(high), x2: place(high), y1: 4, y2: 14 }),
		svg("circle", { class: "h-mean", cx: place(mean), cy: 9, r: 3.5 }),
		zero ? tick(0, "start") : "", tick(high, place(high) < wordWidth(duration(high)) ? "start" : "end"));
}
