// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals around their means, relative to them. All rows of a table share one scale that holds the
// widest; it is logarithmic on either side of the mean where most are much narrower than that.

const WHISKER_STEPS = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1e3, 1e4];
const WHISKER_LINEAR = 8; // so many times as wide as the middle one the widest may be
const WHISKER_EDGE = 6; // px

// `rows` of them; width(row): the larger side as a share of the mean, or null.
function whiskerScale(rows, width) {
	const known = [];
	for (let row = 0; row < rows; row++) {
		const u = width(row);
		if (u !== null && Number.isFinite(u))
			known.push(u);
	}
	known.sort((a, b) => a - b);
	const widest = known[known.length - 1] || 0, middle = known[Math.floor(known.length / 2)] || 0;
	const most = WHISKER_STEPS.find((step) => widest <= step) || WHISKER_STEPS[WHISKER_STEPS.length - 1];
	const log = widest > WHISKER_LINEAR * middle || most > 0.5;
	const least = clamp(10 ** Math.floor(Math.log10(Math.max(middle, 1e-9) / 3)), 0.001, 0.1); // linear up to this
	const size = (r) => (log ? Math.log1p(r / least) / Math.log1p(most / least) : r / most);
	return { most, log, least, place: (r, wide) => wide / 2 + Math.sign(r) * size(Math.min(Math.abs(r), most)) * (wide / 2 - WHISKER_EDGE) };
}

// Where the grid goes: the ends, and powers of ten between where the scale is logarithmic.
function whiskerTicks(scale) {
	const ticks = [scale.most];
	for (let r = scale.least * 10; scale.log && r < scale.most * 0.6; r *= 10)
		ticks.push(r);
	return ticks;
}

const SITE_WHISKERS = whiskerScale(sites.rows, (row) => uncertainty(sites.get(row, "below"), sites.get(row, "above")));

function whisker(scale, below, above, width, height) {
	const middle = height / 2, zero = scale.place(0, width);
	const parts = whiskerTicks(scale).slice(1).flatMap((r) => [-r, r]).map((r) => svg("line", { class: "w-grid", x1: scale.place(r, width), x2: scale.place(r, width), y1: 2, y2: height - 2 }));
	parts.push(svg("line", { class: "w-axis", x1: zero, x2: zero, y1: 2, y2: height - 2 }));
	if (below === null || above === null) {
		parts.push(svg("text", { class: "w-none", x: zero + 6, y: middle + 4 }, "not known"));
	} else {
		const left = scale.place(below, width), right = scale.place(above, width);
		parts.push(svg("line", { class: "w-bar", x1: left, x2: Math.max(right, left + 0.5), y1: middle, y2: middle }));
		parts.push(whiskerEnd(left, middle, below < -scale.most ? -1 : 0));
		parts.push(whiskerEnd(right, middle, above > scale.most ? 1 : 0));
	}
	parts.push(svg("circle", { class: "w-mean", cx: zero, cy: middle, r: 2.5 }));
	return svg("svg", { class: "whisker", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...parts);
}

// Only a damaged or a very uncertain mean is beyond the last step: an arrow head.
function whiskerEnd(x, y, beyond) {
	if (!beyond)
		return svg("line", { class: "w-bar", x1: x, x2: x, y1: y - 4, y2: y + 4 });
	return svg("path", { class: "w-end", d: `M${x + 5 * beyond},${y}l${-6 * beyond},-4v8z` });
}

const percentWords = (r) => String(Number((100 * r).toPrecision(2)));

// For a table's head: the ends with their signs and the unit, and what has room between.
function whiskerAxis(scale, width) {
	const labels = [], height = 13;
	const label = (r, words) => {
		const wide = wordWidth(words), left = clamp(scale.place(r, width) - wide / 2, 0, width - wide);
		return { left, right: left + wide, words };
	};
	const put = (...some) => {
		if (some.every((l) => labels.every((o) => l.left > o.right + 4 || l.right < o.left - 4)))
			labels.push(...some);
	};
	put(label(-scale.most, `−${percentWords(scale.most)}`), label(scale.most, `+${percentWords(scale.most)} %`));
	put(label(0, "0"));
	for (const r of whiskerTicks(scale).slice(1).reverse())
		put(label(-r, `−${percentWords(r)}`), label(r, `+${percentWords(r)}`));
	return svg("svg", { class: "whisker-axis", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
		"aria-label": `${scale.log ? "logarithmic " : ""}axis: ${percentWords(scale.most)} % below to ${percentWords(scale.most)} % above the mean` },
	labels.map((l) => svg("text", { x: l.left, y: height - 2 }, l.words)));
}
