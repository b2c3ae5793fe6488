// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a comparison's call sites: BASE above, NEW below. Changes share one axis, logarithmic
// around no change, which holds most of the intervals; the others end in arrow heads.

const baseName = (path) => (path || "?").replace(/^.*\//, "");
const verdictMark = ([mark, name]) => element("i", { class: `v-mark ${name}`, "aria-hidden": "true" }, mark);

const FACTORS = [1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1e3, 1e4];
const FACTORS_HELD = 0.9;

function ratioScale() {
	const ends = [];
	for (let row = 0; row < sites.rows; row++)
		for (const end of [sites.get(row, "low"), sites.get(row, "high")])
			if (end > 0)
				ends.push(Math.max(end, 1 / end));
	ends.sort((a, b) => a - b);
	const most = ends[Math.floor((ends.length - 1) * FACTORS_HELD)] || 1;
	const factor = FACTORS.find((f) => most <= f) || FACTORS[FACTORS.length - 1];
	const inside = Math.sqrt(factor), low = 1 - 1 / factor, high = factor - 1;
	const size = (r) => Math.log1p(clamp(r, -low, high)) / Math.log(factor);
	const words = (r, end) => (factor <= 2 || r === 0 ? signedPercent(r, end) : r < 0 ? `÷${plain(1 / (1 + r))}` : `×${plain(1 + r)}`);
	return { low, high, ticks: [1 / inside - 1, inside - 1], label: (r, end) => (Math.abs(r) < 0.6 * high && r && -r < low ? "" : words(r, end)),
		words: `logarithmic axis of the change: a factor of ${plain(factor)} down to a factor of ${plain(factor)} up`,
		place: (r, wide) => WHISKER_EDGE + ((size(r) + 1) / 2) * (wide - 2 * WHISKER_EDGE) };
}
const RATIOS = ratioScale();

function callerOf(row) {
	const at = sites.get(row, "site");
	return at >= 0 ? text(lines.get(at, "text")) : siteLibrary(row);
}

const two = (row, field, format) => SIDES.map((side) => element("span", { class: `two ${side}` }, format(sites.get(row, `${side}_${field}`))));
const calls = (n) => (n ? count(Math.round(n)) : "–");
const each = (n) => (n < 0.001 ? n.toExponential(1) : String(Number(n.toPrecision(3)))); // of a unit
const known = (format) => (value) => (value ? format(value) : "–");

const COLUMNS = [
	{ key: "function", name: "Function", width: 0, rank: 0, words: true,
		value: siteName,
		draw: (row) => [element("span", { class: "cell-name" }, nameOf(siteName(row)), siteOutcome(row) ? element("span", { class: "outcome" }, nameOf(siteOutcome(row))) : ""),
			element("span", { class: "caller" }, nameOf(callerOf(row), "path"))] },
	{ key: "verdict", name: "Verdict", width: 216, rank: 1, words: true, value: (row) => verdictOf(row) * 1e7 + row, draw: drawVerdict },
	{ key: "change", name: "Change", width: 142, rank: 2, axis: () => whiskerAxis(RATIOS, 130), value: (row) => sites.get(row, "ratio"), draw: drawChange },
	{ key: "mean", name: "Mean", width: 88, rank: 4, number: true, value: (row) => sites.get(row, "new_mean"), draw: (row) => two(row, "mean", duration) },
	{ key: "calls", name: doc.per ? "Calls each" : "Calls", width: 88, rank: 5, number: true, value: (row) => sites.get(row, "new_calls"),
		draw: (row) => (doc.per ? two(row, "rate", known(each)) : two(row, "calls", calls)) },
	{ key: "total", name: "Total", width: 88, rank: 6, number: true, value: (row) => sites.get(row, "new_total"), draw: (row) => two(row, "total", known(duration)) },
];
const anyRatio = Array.from({ length: sites.rows }, (_, row) => sites.get(row, "ratio")).some((r) => r !== null);
const hasValues = (c) => c.key !== "change" || anyRatio;

const rateWords = (row) => (sites.get(row, "rate_changed") ? `${sites.get(row, "rate_ratio") > 1 ? "more" : "fewer"} calls${EACH}` : "");

function drawVerdict(row) {
	const words = [rateWords(row), text(sites.get(row, "verdict"))].filter((w) => w).join("; ");
	return element("span", { class: "verdict-cell", title: words }, verdictMark(VERDICTS[verdictOf(row)]), element("span", {}, words));
}

function drawChange(row) {
	const get = (field) => sites.get(row, field);
	return get("ratio") === null ? element("span", { class: "quiet-text" }, "–") : [element("strong", {}, text(get("change"))), whisker(RATIOS, get("low") === null ? null : get("low") - 1, get("high") === null ? null : get("high") - 1, 130, 16, get("ratio") - 1)];
}

// Which verdicts are shown; none chosen: all.
const chosen = new Set();
const search = { words: "", rows: null };

function startVerdicts() {
	const of = new Array(VERDICTS.length).fill(0);
	for (let row = 0; row < sites.rows; row++)
		of[verdictOf(row)]++;
	replace(byId("verdicts"), VERDICTS.map((v, i) => {
		if (!of[i])
			return "";
		const b = element("button", { type: "button", "aria-pressed": "false" }, verdictMark(v), `${count(of[i])} ${v[2]}`);
		b.addEventListener("click", () => {
			chosen[chosen.has(i) ? "delete" : "add"](i);
			b.setAttribute("aria-pressed", String(chosen.has(i)));
			filterTable();
		});
		return b;
	}));
}

// Rows whose function, library, outcome or path has the words. Each text is searched once.
function findRows(words) {
	const lower = words.toLowerCase(), hit = texts.map((t) => t.toLowerCase().includes(lower)), found = new Uint8Array(lines.rows);
	for (let i = 0; i < lines.rows; i++)
		found[i] = hit[lines.get(i, "text")] || (lineAbove(i) >= 0 && found[lineAbove(i)]) ? 1 : 0;
	return Uint8Array.from({ length: sites.rows }, (_, row) => (["function", "library", "outcome"].some((f) => hit[sites.get(row, f)])
		|| found[sites.get(row, "path")] ? 1 : 0));
}

function isBelow(row, box) {
	const of = graph.boxOf[FIRST_SITE + row];
	return of >= box && of < graph.next[box];
}

function filterTable() {
	table.shown = table.order.filter((row) => (!search.rows || search.rows[row]) && (!chosen.size || chosen.has(verdictOf(row)))
		&& (table.onlyBox < 0 || isBelow(row, table.onlyBox)));
	table.view.scrollTop = 0;
	byId("count").textContent = table.shown.length === doc.rows ? `${count(doc.rows)} site${doc.rows === 1 ? "" : "s"}`
		: `${count(table.shown.length)} of ${count(doc.rows)} sites${sites.rows < doc.rows ? ` (the page holds the first ${count(sites.rows)})` : ""}`;
	redrawTable();
}

function onlyRowsOf(box) {
	const chip = byId("only-box");
	table.onlyBox = box;
	chip.hidden = box < 0;
	if (box >= 0)
		replace(chip, "only below ", nameOf(fit(boxName(box), 40)), " ×");
	filterTable();
}

function rowSelected(row, quiet) {
	pair.selected = graph.boxOf[FIRST_SITE + row];
	inspectRow(row);
	if (!quiet)
		redrawPair();
}

// The row's box, in the half where it is.
function rowEntered(row) {
	if (pair.half && pair.half !== halfOfSite(row))
		showHalf(halfOfSite(row));
	const box = graph.boxOf[FIRST_SITE + row];
	if (box < 0)
		return;
	pair.selected = box;
	zoomTo(Math.max(graph.parent[box], 0));
}
const rowWords = (row) => `${siteName(row)}: ${text(sites.get(row, "verdict"))}`;

function startTable() {
	startVerdicts();
	byId("only-box").addEventListener("click", () => onlyRowsOf(-1));
	byId("search").addEventListener("input", (event) => {
		search.words = event.target.value.trim();
		search.rows = search.words ? findRows(search.words) : null;
		filterTable();
	});
	byId("search").addEventListener("keydown", (event) => {
		if (event.key !== "Escape" && event.key !== "Enter")
			return;
		if (event.key === "Escape") {
			event.target.value = "";
			search.rows = null;
			filterTable();
		}
		table.view.focus();
	});
	startRows();
}
