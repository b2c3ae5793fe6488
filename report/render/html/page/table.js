// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a report's call sites, and which of its rows are shown.

table.key = workBox ? "share" : "total";

// Of all histograms, once: their times.
let histogramAxis;
function timeAxis() {
	histogramAxis = histogramAxis === undefined ? latencyAxis(table.order.slice(0, 400)) : histogramAxis;
	return histogramAxis;
}

function nameCell(row) {
	const outcome = text(sites.get(row, "outcome"));
	return element("span", { class: "cell-name" },
		nameOf(siteName(row)),
		outcome ? element("span", { class: "outcome" }, outcome) : "",
		notes.has(row) ? element("span", { class: "flag", title: flagWords(row) }, notes.get(row).doubts.length ? "!" : "~") : "");
}

function flagWords(row) {
	const n = notes.get(row);
	return [...n.doubts, ...n.findings].map(text).join("; ");
}

function callerOf(row) {
	const at = sites.get(row, "site");
	return at >= 0 ? text(lines.get(at, "text")) : text(sites.get(row, "path_end")) || siteLibrary(row);
}

const SITE_WHISKERS = whiskerScale(sites.rows, (row) => [sites.get(row, "below"), sites.get(row, "above")]);

const cellNumber = (field, format) => ({ value: (row) => sites.get(row, field), draw: (row) => format(sites.get(row, field)) });
const latency = (row, p) => (latencies.has(row) ? latencies.get(row)[p] : null);
const latencyCell = (p) => ({ latency: true, value: (row) => latency(row, p), draw: (row) => duration(latency(row, p)) });
const hasSlow = sites.has("slow_mean");
const hasCosts = sites.has("uncharged");
const hasCharged = hasCosts && Array.from({ length: sites.rows }, (_, row) => sites.get(row, "charged")).some((n) => n !== null);

const COLUMNS = [
	{ key: "function", name: "Function, called from", width: 0, rank: 0, words: true,
		value: siteName,
		draw: (row) => [nameCell(row), element("span", { class: "caller" }, nameOf(callerOf(row), "path"))] },
	...(programs ? [{ key: "program", name: "Program", width: 120, rank: 1.5, words: true, value: programOf, draw: (row) => nameOf(programOf(row)) }] : []),
	// as in text, and at least as much of it: these are seen beside the panel in a common window
	{ key: "share", name: "Share", seen: true, width: 106, rank: 2, number: true, value: (row) => (isWaiting(row) ? null : sites.get(row, "share")), draw: drawShare },
	{ key: "total", name: "Total", seen: true, width: 84, rank: 6, number: true, ...cellNumber("total", duration) },
	{ key: "calls", name: "Calls", seen: true, width: 84, rank: 4, number: true, ...cellNumber("calls", count) },
	{ key: "mean", name: "Mean", seen: true, width: 112, rank: 1, number: true, value: (row) => sites.get(row, "mean"), draw: drawMean },
	...(hasSlow ? [{ key: "slow", name: "Slow clock", seen: true, width: 112, rank: 5, number: true, value: (row) => sites.get(row, "slow_mean"), draw: drawSlow }] : []),
	...(hasStates ? [{ key: "states", name: "Where time went", seen: true, width: 138, rank: 2.4, value: cpuShare, draw: drawStates }] : []),
	{ key: "bytes", name: "Bytes", seen: true, width: 74, rank: 8, number: true, ...cellNumber("bytes", bytes) },
	{ key: "p99", name: "p99", seen: true, width: 80, rank: 9, number: true, ...latencyCell("p99") },
	...(hasSwitched ? [{ key: "unswitched", name: "Mean, CPU kept", width: 124, rank: 2.2, number: true,
		value: (row) => (statesOf(row) ? statesOf(row).unswitched : null), draw: drawUnswitched }] : []),
	{ key: "uncertainty", name: "Interval, relative", width: 146, rank: 3, axis: () => whiskerAxis(SITE_WHISKERS, 130),
		value: (row) => uncertainty(sites.get(row, "below"), sites.get(row, "above")),
		draw: (row) => whisker(SITE_WHISKERS, sites.get(row, "below"), sites.get(row, "above"), 130, 22) },
	...(hasCharged ? [{ key: "charged", name: "Charged a call", width: 132, rank: 2.5, number: true, value: (row) => sites.get(row, "charged"), draw: drawCharged }] : []),
	...(hasCosts ? [{ key: "uncharged", name: "Uncharged a call", width: 132, rank: 2.3, number: true, value: (row) => sites.get(row, "uncharged"), draw: drawUncharged },
		...(hasCharged ? [{ key: "both", name: "Both a call", width: 132, rank: 2.55, number: true, value: (row) => sites.get(row, "both"), draw: drawBoth }] : []),
		{ key: "true", name: "True cost a call", width: 132, rank: 2.6, number: true, value: (row) => sites.get(row, "true_cost"), draw: drawTrue }] : []),
	{ key: "p50", name: "p50", width: 84, rank: 10, number: true, ...latencyCell("p50") },
	{ key: "max", name: "Max", width: 84, rank: 11, number: true, ...latencyCell("max") },
	{ key: "spark", name: "Latencies", width: 146, rank: 7, fixed: true, latency: true, value: () => 0, draw: (row) => sparkline(row, timeAxis(), 130, 30),
		axis: () => element("span", { class: "axis" }, [timeAxis().from, timeAxis().to].map((at) => element("span", {}, tickText(10 ** at)))) },
];

function drawMean(row) {
	const p = meanParts(sites.get(row, "mean"), sites.get(row, "low"), sites.get(row, "high"));
	return [element("strong", {}, p.mean), ` ${p.unit}`, element("span", { class: "caller" }, p.interval)];
}

// Where no tick fell into a call there is only a limit.
function slowText(row) {
	const mean = sites.get(row, "slow_mean"), high = sites.get(row, "slow_high");
	return mean === null && high !== null ? `no tick [0, ${duration(Math.max(high, 0))}]` : meanText(mean, sites.get(row, "slow_low"), high);
}

function drawSlow(row) {
	const covers = sites.get(row, "slow_covers");
	return [slowText(row),
		element("span", { class: "caller" }, sites.get(row, "slow_mean") === null ? "" : covers ? "agrees" : "DISAGREES")];
}

// Why a site has no number by displacement.
const NO_COST = { rare: "called too rarely", steady: "called too steadily", "too-few-windows": "too few windows" };

function costCell(row, mean, low, high, flag) {
	const p = meanParts(sites.get(row, mean), sites.get(row, low), sites.get(row, high));
	if (sites.get(row, mean) === null)
		return ["–", element("span", { class: "caller" }, NO_COST[text(sites.get(row, "displacement"))] || "")];
	return [element("strong", {}, p.mean), ` ${p.unit}`, flag, element("span", { class: "caller" }, p.interval)];
}

const isSignificant = (row) => sites.get(row, "uncharged_significant") === 1;

function drawUncharged(row) {
	const star = element("b", { class: "cost-star", title: "uncharged time: more than chance would have it, among all sites" }, " *");
	return costCell(row, "uncharged", "uncharged_low", "uncharged_high", isSignificant(row) ? star : "");
}

function drawCharged(row) {
	return sites.get(row, "charged") === null ? ["–"] : costCell(row, "charged", "charged_low", "charged_high", "");
}

function drawBoth(row) {
	return costCell(row, "both", "both_low", "both_high", "");
}

function drawTrue(row) {
	return costCell(row, "true_cost", "true_low", "true_high", "");
}

function drawShare(row) {
	const part = sites.get(row, "share");
	const bar = element("i", { class: isWaiting(row) ? "share-bar t-waits" : "share-bar" });
	bar.style.width = `${100 * (part || 0)}%`;
	return [shareText(row), element("span", { class: "share-track" }, bar)];
}

const hasBytes = sites.rows > 0 && Array.from({ length: sites.rows }, (_, row) => sites.get(row, "bytes")).some((n) => n > 0);
const hasValues = (c) => (c.latency ? timeAxis() !== null : c.key !== "bytes" || hasBytes);

function filterTable() {
	const outcome = byId("outcome").value, doubtful = byId("doubtful").checked;
	const found = search.rows, box = table.onlyBox;
	table.shown = table.order.filter((row) => (!found || found[row])
		&& (outcome === "" || (text(sites.get(row, "outcome")) || "completed") === outcome)
		&& (!doubtful || notes.has(row))
		&& (search.program < 0 || ofProgram(row, search.program))
		&& (box < 0 || (sites.get(row, "box") >= box && sites.get(row, "box") < tree.next[box])));
	table.view.scrollTop = 0;
	byId("count").textContent = table.shown.length === doc.rows ? `${count(doc.rows)} row${doc.rows === 1 ? "" : "s"}`
		: `${count(table.shown.length)} of ${count(doc.rows)} rows${sites.rows < doc.rows ? ` (the page holds the first ${count(sites.rows)})` : ""}`;
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
	flame.selected = sites.get(row, "box");
	inspectRow(row);
	if (!quiet)
		redrawFlame();
}

const rowEntered = (row) => zoomTo(sites.get(row, "box"));
const rowWords = (row) => `${siteName(row)}: ${meanText(sites.get(row, "mean"), sites.get(row, "low"), sites.get(row, "high"))}`;

function showInTable(row) {
	const place = table.shown.indexOf(row);
	if (place >= 0 && table.shown.length * TABLE_ROW <= TABLE_MOST)
		table.view.scrollTop = Math.max((place - 3) * TABLE_ROW, 0);
	drawTable();
	selectRow(row);
	bringBox(sites.get(row, "box"), () => scrollToHit(row));
}

// Scrolls the page as little as shows a row, and its box where both have room.
function scrollToHit(row) {
	const tr = table.body.querySelector(`[data-row="${row}"]`);
	if (!tr)
		return;
	const canvas = flame.canvas.getBoundingClientRect(), hit = tr.getBoundingClientRect();
	const covered = document.querySelector(".tools").offsetHeight + 8, room = window.innerHeight - covered - 8;
	const boxTop = canvas.top + flameTop(sites.get(row, "box")) - flame.view.scrollTop;
	const top = hit.bottom - boxTop <= room ? Math.min(boxTop, hit.top) : hit.top;
	const by = top < covered ? top - covered : Math.max(hit.bottom - window.innerHeight + 8, 0);
	if (by)
		window.scrollBy({ top: by, behavior: calm.matches ? "instant" : "smooth" });
}

function startTable() {
	const outcomes = new Set();
	for (let row = 0; row < sites.rows; row++)
		outcomes.add(text(sites.get(row, "outcome")) || "completed");
	append(byId("outcome"), [...outcomes].sort().map((o) => element("option", { value: o }, o)));
	byId("outcome").addEventListener("change", filterTable);
	byId("doubtful").addEventListener("change", filterTable);
	byId("only-box").addEventListener("click", () => onlyRowsOf(-1));
	startRows();
}
