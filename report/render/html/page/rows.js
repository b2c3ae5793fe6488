// SPDX-License-Identifier: GPL-3.0-or-later
// The table of call sites, whatever its columns. Only rows in the window exist as elements; sorting and
// filtering work on an array of row numbers. A page says what its COLUMNS are, which of them have
// something to show (hasValues), which rows are shown (filterTable), and what rows do when they are
// selected (rowSelected), shown elsewhere (rowEntered) and spoken (rowWords).

const TABLE_ROW = 46;
const TABLE_MOST = 8e6; // px: what browsers can scroll; longer tables scroll in proportion
const PRINTED = 60;
const table = {
	view: byId("table-view"),
	body: byId("table").tBodies[0],
	order: Uint32Array.from({ length: sites.rows }, (_, i) => i), // the model's
	shown: [],
	drawn: new Map(),
	selected: -1,
	key: "",
	down: true,
	onlyBox: -1,
	all: false, // all of the first rows, for paper
	heads: "", // what the heads show
	beyond: 0, // columns beyond the right edge
};

// Widths in px. A window narrower than all of them scrolls sideways; paper cannot, and there columns
// of a low rank give way last.
const PAPER_WIDTH = 1030, PAPER_NAME = 190;
// Columns that are always to be seen leave the name what they can.
const nameLeast = () => clamp(Math.min(table.view.clientWidth * 0.34, table.view.clientWidth - COLUMNS.reduce((n, c) => n + (c.seen && hasValues(c) ? c.width : 0), 0)), 140, 320);

// All columns that have something to show, or those that paper has room for.
let visible = [];
function chooseColumns() {
	let room = PAPER_WIDTH - PAPER_NAME;
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
	const th = element("th", { scope: "col", class: c.number ? "number" : "" }, c.fixed ? c.name : button,
		c.axis ? c.axis() : "");
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
	rowSelected(row, quiet);
}

function tableKey(event) {
	const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
	if (event.target.closest("th"))
		return;
	if (event.key === "Enter" && table.selected >= 0) {
		rowEntered(table.selected);
		byId("flame").scrollIntoView({ block: "nearest" });
	} else if (step && table.shown.length) {
		const at = table.shown.indexOf(table.selected);
		const to = clamp(at + step, 0, table.shown.length - 1);
		const top = to * TABLE_ROW, room = table.room - TABLE_ROW;
		if (table.shown.length * TABLE_ROW <= TABLE_MOST)
			table.view.scrollTop = clamp(table.view.scrollTop, top - room, top);
		drawTable();
		selectRow(table.shown[to]);
		speak(rowWords(table.shown[to]));
	} else {
		return;
	}
	event.preventDefault();
}

function startRows() {
	table.view.addEventListener("scroll", () => requestAnimationFrame(() => {
		drawTable();
		sayBeyond();
	}), { passive: true });
	byId("more-columns").addEventListener("click", showBeyond);
	table.view.addEventListener("keydown", tableKey);
	chooseColumns();
	filterTable();
}
