// SPDX-License-Identifier: GPL-3.0-or-later
// The table of call sites. Only rows in the window exist as elements; sorting and filtering work on
// an array of row numbers.

const TABLE_ROW = 46;
const TABLE_MOST = 8e6; // px: what browsers can scroll; longer tables scroll in proportion
const PRINTED = 60;
const table = {
	view: byId("table-view"),
	body: byId("table").tBodies[0],
	order: Uint32Array.from({ length: sites.rows }, (_, i) => i), // the report's: what waits last, the longest total first
	shown: [],
	drawn: new Map(),
	selected: -1,
	key: workBox ? "share" : "total",
	down: true,
	onlyBox: -1,
	axis: null,
	all: false, // all of the first rows, for paper
	heads: "", // what the heads show
	beyond: 0, // columns beyond the right edge
};

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
	const at = sites.get(row, "path");
	return at >= 0 ? text(lines.get(at, "text")) : text(sites.get(row, "path_end")) || siteLibrary(row);
}

const cellNumber = (field, format) => ({ value: (row) => sites.get(row, field), draw: (row) => format(sites.get(row, field)) });
const latency = (row, p) => (latencies.has(row) ? latencies.get(row)[p] : null);
const latencyCell = (p) => ({ latency: true, value: (row) => latency(row, p), draw: (row) => duration(latency(row, p)) });
const hasSlow = sites.has("slow_mean");
const hasCosts = sites.has("uncharged");
const hasCharged = hasCosts && Array.from({ length: sites.rows }, (_, row) => sites.get(row, "charged")).some((n) => n !== null);

// Widths in px. A window narrower than all of them scrolls sideways; paper cannot, and there columns
// of a low rank give way last.
const PAPER_WIDTH = 1030, PAPER_NAME = 190;
const nameLeast = () => clamp(table.view.clientWidth * 0.34, 140, 320);
const COLUMNS = [
	{ key: "function", name: "Function, called from", width: 0, rank: 0, words: true,
		value: siteName,
		draw: (row) => [nameCell(row), element("span", { class: "caller" }, nameOf(callerOf(row), "path"))] },
	...(programs ? [{ key: "program", name: "Program", width: 120, rank: 1.5, words: true, value: programOf, draw: (row) => nameOf(programOf(row)) }] : []),
	{ key: "share", name: "Share", width: 104, rank: 2, number: true, value: (row) => (isWaiting(row) ? null : sites.get(row, "share")), draw: drawShare },
	{ key: "total", name: "Total", width: 86, rank: 6, number: true, ...cellNumber("total", duration) },
	{ key: "calls", name: "Calls", width: 92, rank: 4, number: true, ...cellNumber("calls", count) },
	{ key: "mean", name: "Mean", width: 116, rank: 1, number: true, value: (row) => sites.get(row, "mean"), draw: drawMean },
	...(hasSwitched ? [{ key: "unswitched", name: "Mean, CPU kept", width: 124, rank: 2.2, number: true,
		value: (row) => (statesOf(row) ? statesOf(row).unswitched : null), draw: drawUnswitched }] : []),
	...(hasStates ? [{ key: "states", name: "Where time went", width: 152, rank: 2.4, value: cpuShare, draw: drawStates }] : []),
	{ key: "uncertainty", name: "Interval, relative", width: 146, rank: 3, axis: () => whiskerAxis(SITE_WHISKERS, 130),
		value: (row) => uncertainty(sites.get(row, "below"), sites.get(row, "above")),
		draw: (row) => whisker(SITE_WHISKERS, sites.get(row, "below"), sites.get(row, "above"), 130, 22) },
	...(hasSlow ? [{ key: "slow", name: "Slow clock", width: 116, rank: 5, number: true, value: (row) => sites.get(row, "slow_mean"), draw: drawSlow }] : []),
	...(hasCharged ? [{ key: "charged", name: "Charged a call", width: 132, rank: 2.5, number: true, value: (row) => sites.get(row, "charged"), draw: drawCharged }] : []),
	...(hasCosts ? [{ key: "uncharged", name: "Uncharged a call", width: 132, rank: 2.3, number: true, value: (row) => sites.get(row, "uncharged"), draw: drawUncharged },
		...(hasCharged ? [{ key: "both", name: "Both a call", width: 132, rank: 2.55, number: true, value: (row) => sites.get(row, "both"), draw: drawBoth }] : []),
		{ key: "true", name: "True cost a call", width: 132, rank: 2.6, number: true, value: (row) => sites.get(row, "true_cost"), draw: drawTrue }] : []),
	{ key: "bytes", name: "Bytes", width: 80, rank: 8, number: true, ...cellNumber("bytes", bytes) },
	{ key: "p50", name: "p50", width: 84, rank: 10, number: true, ...latencyCell("p50") },
	{ key: "p99", name: "p99", width: 84, rank: 9, number: true, ...latencyCell("p99") },
	{ key: "max", name: "Max", width: 84, rank: 11, number: true, ...latencyCell("max") },
	{ key: "spark", name: "Latencies", width: 146, rank: 7, fixed: true, latency: true, value: () => 0, draw: (row) => sparkline(row, table.axis, 130, 30) },
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
const hasValues = (c) => (c.latency ? table.axis !== null : c.key !== "bytes" || hasBytes);

// All columns that have something to show, or those that paper has room for.
let visible = [];
function chooseColumns() {
	let room = PAPER_WIDTH - PAPER_NAME;
	table.axis = table.axis || latencyAxis(table.order.slice(0, 400));
	const fits = new Set();
	for (const c of [...COLUMNS].sort((a, b) => a.rank - b.rank)) {
		room -= c.width;
		if (table.all && room < 0 && c.rank > 2)
			break;
		if (hasValues(c))
			fits.add(c);
	}
	const wide = COLUMNS.reduce((n, c) => n + (fits.has(c) ? c.width : 0), table.all ? PAPER_NAME : nameLeast());
	byId("table").style.minWidth = table.all ? "" : `${wide}px`;
	// unchanged heads stay: the user may be pressing one
	const heads = [...fits].map((c) => c.key).join() + table.key + table.down + table.all;
	visible = COLUMNS.filter((c) => fits.has(c));
	sayLeftOut();
	sayBeyond();
	if (heads === table.heads)
		return;
	table.heads = heads;
	replace(byId("table").querySelector("colgroup"), visible.map((c) => {
		const col = element("col");
		if (c.width)
			col.style.width = `${c.width}px`;
		return col;
	}));
	replace(byId("table").tHead, element("tr", {}, visible.map(headCell)));
}

// On paper: names the columns that had no room.
function sayLeftOut() {
	const left = table.all ? COLUMNS.filter((c) => hasValues(c) && !visible.includes(c)).map((c) => c.name) : [];
	byId("left-out").hidden = !left.length;
	byId("left-out").textContent = `No room on paper for: ${left.join(", ")}.`;
}

// Says how many columns lie beyond the edges of the table's window, which scrolls sideways.
function sayBeyond() {
	const view = table.view, from = view.scrollLeft + nameLeast(), to = view.scrollLeft + view.clientWidth;
	const whole = parseFloat(byId("table").style.minWidth) || 0;
	let x = nameLeast(), right = 0, left = 0;
	for (const c of whole > view.clientWidth ? visible.slice(1) : []) {
		left += x < from - 1 ? 1 : 0;
		x += c.width;
		right += x - 8 > to ? 1 : 0; // the padding of a cell may be beyond
	}
	const words = (n) => `${n} more column${n === 1 ? "" : "s"}`;
	table.beyond = right;
	byId("more-columns").hidden = !right && !left;
	byId("more-columns").textContent = right ? `${words(right)} →` : `← ${words(left)}`;
	byId("table-box").classList.toggle("more-right", right > 0);
	byId("table-box").classList.toggle("more-left", left > 0);
}

function showBeyond() {
	const by = Math.max(table.view.clientWidth - nameLeast() - 60, 60);
	const left = table.beyond ? table.view.scrollLeft + by : 0;
	table.view.scrollTo({ left, behavior: calm.matches ? "instant" : "smooth" });
}

function headCell(c) {
	// a head that a browser repeats on each sheet of paper lacks its buttons
	const button = element(table.all ? "span" : "button", { type: "button", class: "sort" }, c.name,
		element("span", { class: "arrow", "aria-hidden": "true" }, c.key !== table.key ? "" : table.down ? "▾" : "▴"));
	const ends = (c.key === "spark" && [tickText(10 ** table.axis.from), tickText(10 ** table.axis.to)]);
	const th = element("th", { scope: "col", class: c.number ? "number" : "" }, c.fixed ? c.name : button,
		c.axis ? c.axis() : "",
		ends ? element("span", { class: "axis" }, element("span", {}, ends[0]), element("span", {}, ends[1])) : "");
	if (c.key === table.key)
		th.setAttribute("aria-sort", table.down ? "descending" : "ascending");
	button.addEventListener("click", () => sortBy(c.key));
	return th;
}

function sortBy(key, down) {
	const c = COLUMNS.find((column) => column.key === key);
	table.down = down !== undefined ? down : key === table.key ? !table.down : !c.words;
	table.key = key;
	const values = Array.from({ length: sites.rows }, (_, row) => c.value(row));
	const sign = table.down ? -1 : 1;
	// unknown values come last in both directions
	table.order.sort((a, b) => {
		const x = values[a], y = values[b];
		if (x === null || y === null)
			return (x === null) - (y === null) || a - b;
		return x === y ? a - b : sign * (x < y ? -1 : 1);
	});
	chooseColumns();
	filterTable();
}

function filterTable() {
	const outcome = byId("outcome").value, doubtful = byId("doubtful").checked;
	const found = search.rows, box = table.onlyBox;
	table.shown = table.order.filter((row) => (!found || found[row])
		&& (outcome === "" || (text(sites.get(row, "outcome")) || "completed") === outcome)
		&& (!doubtful || notes.has(row))
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

function makeRow(row, place) {
	const tr = element("tr", { "aria-rowindex": String(place + 2) }, visible.map((c) => element("td", { class: c.number ? "number" : "" }, c.draw(row))));
	tr.dataset.row = row;
	if (row === table.selected)
		tr.setAttribute("aria-selected", "true");
	tr.classList.toggle("odd", place % 2 === 1);
	tr.addEventListener("click", () => selectRow(row));
	return tr;
}

// The first row to draw, and how far its top lies below that of the window.
function tableWindow() {
	const whole = table.shown.length * TABLE_ROW, height = Math.min(whole, TABLE_MOST);
	const room = table.room || table.view.clientHeight;
	const top = table.view.scrollTop;
	const part = height > room ? clamp(top / (height - room), 0, 1) : 0;
	const above = whole > TABLE_MOST ? part * (whole - room) : top;
	const first = Math.max(Math.floor(above / TABLE_ROW) - 4, 0);
	const last = Math.min(Math.ceil((above + room) / TABLE_ROW) + 4, table.shown.length);
	const before = top - (above - first * TABLE_ROW);
	return { first, last, before, after: Math.max(height - before - (last - first) * TABLE_ROW, 0) };
}

const spacer = () => element("tr", { class: "spacer", "aria-hidden": "true" }, element("td"));
const spaceAbove = spacer(), spaceBelow = spacer();

// Rows that stay in the window stay where they are.
function drawTable() {
	const w = table.all ? { first: 0, last: Math.min(table.shown.length, PRINTED), before: 0, after: 0 } : tableWindow();
	const drawn = new Map();
	for (let i = w.first; i < w.last; i++) {
		const key = `${i}:${table.shown[i]}`;
		drawn.set(key, table.drawn.get(key) || makeRow(table.shown[i], i));
	}
	for (const [key, tr] of table.drawn)
		if (!drawn.has(key))
			tr.remove();
	let at = spaceAbove.nextSibling;
	for (const tr of drawn.values()) {
		if (tr === at)
			at = at.nextSibling;
		else
			table.body.insertBefore(tr, at);
	}
	table.drawn = drawn;
	spaceAbove.style.height = `${Math.max(w.before, 0)}px`;
	spaceBelow.style.height = `${w.after}px`;
}

function redrawTable() {
	table.drawn.clear();
	replace(table.body, spaceAbove, spaceBelow);
	for (const space of [spaceAbove, spaceBelow])
		space.firstChild.colSpan = visible.length; // more would add a column
	// at its final height: an empty table would be measured otherwise
	spaceAbove.style.height = "0";
	spaceBelow.style.height = `${Math.min(table.shown.length * TABLE_ROW, TABLE_MOST)}px`;
	table.room = table.view.clientHeight - byId("table").tHead.offsetHeight;
	byId("table").setAttribute("aria-rowcount", String(table.shown.length + 1));
	drawTable();
}

function selectRow(row, quiet) {
	table.selected = row;
	for (const tr of table.body.rows)
		if (tr.dataset.row !== undefined)
			tr.toggleAttribute("aria-selected", Number(tr.dataset.row) === row);
	for (const tr of table.body.querySelectorAll("[aria-selected]"))
		tr.setAttribute("aria-selected", "true");
	flame.selected = sites.get(row, "box");
	inspectRow(row);
	if (!quiet)
		redrawFlame();
}

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

function tableKey(event) {
	const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
	if (event.target.closest("th"))
		return;
	if (event.key === "Enter" && table.selected >= 0) {
		zoomTo(sites.get(table.selected, "box"));
		byId("flame").scrollIntoView({ block: "nearest" });
	} else if (step && table.shown.length) {
		const at = table.shown.indexOf(table.selected);
		const to = clamp(at + step, 0, table.shown.length - 1);
		const top = to * TABLE_ROW, room = table.room - TABLE_ROW;
		if (table.shown.length * TABLE_ROW <= TABLE_MOST)
			table.view.scrollTop = clamp(table.view.scrollTop, top - room, top);
		drawTable();
		selectRow(table.shown[to]);
		speak(`${siteName(table.shown[to])}: ${meanText(sites.get(table.shown[to], "mean"), sites.get(table.shown[to], "low"), sites.get(table.shown[to], "high"))}`);
	} else {
		return;
	}
	event.preventDefault();
}

function startTable() {
	const outcomes = new Set();
	for (let row = 0; row < sites.rows; row++)
		outcomes.add(text(sites.get(row, "outcome")) || "completed");
	append(byId("outcome"), [...outcomes].sort().map((o) => element("option", { value: o }, o)));
	byId("outcome").addEventListener("change", filterTable);
	byId("doubtful").addEventListener("change", filterTable);
	byId("only-box").addEventListener("click", () => onlyRowsOf(-1));
	table.view.addEventListener("scroll", () => requestAnimationFrame(() => {
		drawTable();
		sayBeyond();
	}), { passive: true });
	byId("more-columns").addEventListener("click", showBeyond);
	table.view.addEventListener("keydown", tableKey);
	chooseColumns();
	filterTable();
}
