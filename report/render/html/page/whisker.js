// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals around their means, relative to them. All rows of a table share one scale that holds the
// widest, to either side; it is logarithmic around the mean where most are much narrower than that.

const WHISKER_STEPS = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4];
const WHISKER_LINEAR = 8; // so many times as wide as the middle one the widest may be
const WHISKER_EDGE = 6; // px
const stepFor = (r) => WHISKER_STEPS.find((step) => r <= step) || WHISKER_STEPS[WHISKER_STEPS.length - 1];

const percentWords = (r) => String(Number((100 * r).toPrecision(2)));
const signedPercent = (r, end) => (r === 0 ? "0" : `${r < 0 ? "−" : "+"}${percentWords(Math.abs(r))}${end ? " %" : ""}`);

// Of `rows` intervals; limits(row): [below, above] the mean as shares of it, null where not known.
function whiskerScale(rows, limits) {
	const known = [];
	let widestBelow = 0, widestAbove = 0;
	for (let row = 0; row < rows; row++) {
		const [below, above] = limits(row), u = uncertainty(below, above);
		if (u === null || !Number.isFinite(u))
			continue;
		known.push(u);
		widestBelow = Math.max(widestBelow, -below);
		widestAbove = Math.max(widestAbove, above);
	}
	known.sort((a, b) => a - b);
	const middle = known[Math.floor(known.length / 2)] || 0, low = stepFor(widestBelow), high = stepFor(widestAbove);
	const log = Math.max(widestBelow, widestAbove) > WHISKER_LINEAR * middle || Math.max(low, high) > 1;
	const least = clamp(10 ** Math.floor(Math.log10(Math.max(middle, 1e-9) / 3)), 0.001, 0.1); // linear up to this
	const size = (r) => (log ? Math.sign(r) * Math.log1p(Math.abs(r) / least) : r);
	const ticks = [];
	for (let r = least * 10; log && r < high * 0.6; r *= 10)
		ticks.push(...(r < low * 0.6 ? [-r, r] : [r]));
	return { low, high, log, ticks, label: signedPercent, words: `${log ? "logarithmic " : ""}axis: ${percentWords(low)} % below to ${percentWords(high)} % above the mean`,
		place: (r, wide) => WHISKER_EDGE + ((size(clamp(r, -low, high)) - size(-low)) / (size(high) - size(-low))) * (wide - 2 * WHISKER_EDGE) };
}

// `mean`: where the dot is, if not at the scale's 0.
function whisker(scale, below, above, width, height, mean = 0) {
	const middle = height / 2, zero = scale.place(0, width);
	const parts = scale.ticks.map((r) => svg("line", { class: "w-grid", x1: scale.place(r, width), x2: scale.place(r, width), y1: 2, y2: height - 2 }));
	parts.push(svg("line", { class: "w-axis", x1: zero, x2: zero, y1: 2, y2: height - 2 }));
	if (below === null || above === null) {
		parts.push(svg("text", { class: "w-none", x: zero + 6, y: middle + 4 }, "not known"));
	} else {
		const left = scale.place(below, width), right = scale.place(above, width);
		parts.push(svg("line", { class: "w-bar", x1: left, x2: Math.max(right, left + 0.5), y1: middle, y2: middle }));
		parts.push(whiskerEnd(left, middle, below < -scale.low ? -1 : 0));
		parts.push(whiskerEnd(right, middle, above > scale.high ? 1 : 0));
	}
	parts.push(svg("circle", { class: "w-mean", cx: scale.place(mean, width), cy: middle, r: 2.5 }));
	return svg("svg", { class: "whisker", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...parts);
}

// Only a damaged or a very uncertain mean is beyond the last step: an arrow head.
function whiskerEnd(x, y, beyond) {
	if (!beyond)
		return svg("line", { class: "w-bar", x1: x, x2: x, y1: y - 4, y2: y + 4 });
	return svg("path", { class: "w-end", d: `M${x + 5 * beyond},${y}l${-6 * beyond},-4v8z` });
}

// For a table's head: the mean's place, the ends with their signs and the unit, and what has room between.
function whiskerAxis(scale, width) {
	const labels = [], height = 13;
	const label = (r, words) => {
		const wide = wordWidth(words), left = clamp(scale.place(r, width) - wide / 2, 0, width - wide);
		return { left, right: left + wide, words };
	};
	const put = (l) => {
		if (labels.every((o) => l.left > o.right + 4 || l.right < o.left - 4))
			labels.push(l);
	};
	// the mean's place before all, then the end farther from it, which has the unit
	const far = scale.low > scale.high ? -scale.low : scale.high, near = far < 0 ? scale.high : -scale.low;
	put(label(0, scale.label(0)));
	put(label(far, scale.label(far, true)));
	put(label(near, scale.label(near)));
	for (const r of [...scale.ticks].reverse())
		put(label(r, scale.label(r)));
	return svg("svg", { class: "whisker-axis", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
		"aria-label": scale.words },
	labels.map((l) => svg("text", { x: l.left, y: height - 2 }, l.words)));
}
