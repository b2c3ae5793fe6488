// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the page; theme, keys, printing.

const THEMES = ["system", "light", "dark"];

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	byId("theme").textContent = `Theme: ${theme}`;
	readColours();
	redrawFlame();
}

function keepTheme(theme) {
	setTheme(theme);
	try { // a page from a file may have no storage
		localStorage.setItem("scprof-theme", theme);
	} catch { /* then it lasts as long as the page */ }
}

function keptTheme() {
	try {
		return localStorage.getItem("scprof-theme");
	} catch {
		return null;
	}
}

const nextTheme = () => keepTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);

const KEYS = [
	["/", "search"],
	["f", "to the flame graph"],
	["r", "to the rows"],
	["← → ↑ ↓", "in the flame graph: to the box beside, above, below; in the table: to the next row"],
	["Enter", "zoom to the selected box; in the table: show the row in the flame graph; in the search: to the first row found, and its box"],
	["Esc, Backspace", "one step out; in the search: clear it"],
	["Home", "all"],
	["w", "work, waiting, all"],
	["c", "colour by kind, or by certainty"],
	["t", "theme: system, light, dark"],
	["?", "this list"],
];

function showHelp() {
	const dialog = byId("help");
	const close = button("Close", () => dialog.close());
	replace(dialog, element("h2", { id: "help-title" }, "Keys"),
		element("dl", { class: "keys" }, KEYS.map(([key, words]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, words)])),
		element("p", { class: "note" }, "The width of a box is its estimated time; callers stand above, the timed calls at the bottom. A box says its total time and share; the panel has the mean of a call and how precise that is. Hatched: many boxes too narrow to draw."),
		close);
	dialog.showModal();
}

function pageKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "radio")
		return;
	const actions = {
		"/": () => byId("search").focus(),
		"?": showHelp,
		t: nextTheme,
		w: nextHalf,
		c: () => colourFlame(!flame.certainty),
		f: () => flame.canvas.focus(),
		r: () => table.view.focus(),
		Escape: () => zoomTo(Math.max(tree.parent[flame.zoomed], 0)),
	};
	if (!actions[event.key] || byId("help").open)
		return;
	event.preventDefault();
	actions[event.key]();
}

// For printing: light colours, a fixed width, and nothing to scroll.
function toPaper(paper) {
	const root = document.documentElement;
	root.classList.toggle("paper", paper);
	table.all = paper;
	for (const d of document.querySelectorAll(paper ? "details:not([open])" : "details.for-paper")) {
		d.open = paper;
		d.classList.toggle("for-paper", paper);
	}
	readColours();
	resizeFlame(paper ? PAPER_WIDTH : 0);
	drawFlame();
	chooseColumns();
	redrawTable();
}

function start() {
	showHead();
	startFlame();
	startTable();
	startSearch();
	showSections();
	setTheme(THEMES.includes(keptTheme()) ? keptTheme() : "system");
	if (sites.rows)
		selectRow(0, true);
	else // the warning says why; frames around nothing would say less
		document.querySelector(".work").hidden = document.querySelector(".tools").hidden = true;
	drawFlame();
	byId("theme").addEventListener("click", nextTheme);
	byId("help-open").addEventListener("click", showHelp);
	document.addEventListener("keydown", pageKey);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(document.documentElement.dataset.theme));
	window.addEventListener("beforeprint", () => toPaper(true));
	window.addEventListener("afterprint", () => toPaper(false));
	new ResizeObserver(() => {
		if (table.all)
			return;
		resizeFlame();
		chooseColumns();
		redrawTable();
		redrawFlame();
	}).observe(flame.view);
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
