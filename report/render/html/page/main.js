// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the page; keys, printing.

const KEYS = [
	["/", "search"],
	["f", "to the flame graph"],
	["r", "to the rows"],
	["← → ↑ ↓", "in the flame graph: to the box beside, above, below; in the table: to the next row"],
	["Enter", "zoom to the selected box; in the table: show the row in the flame graph; in the search: to the first row found"],
	["Esc, Backspace", "one step out; in the search: clear it"],
	["Home", "all"],
	["w", "work, waiting, all"],
	["m", "width of boxes: calls, computing, both"],
	["c", "colour by kind, or by certainty"],
	["t", "theme: system, light, dark"],
	["?", "this list"],
];

const showHelp = () => showKeys(KEYS, "The width of a box is its estimated time; callers stand above, the timed calls at the bottom. A box says its total time and share; the panel has the mean of a call and how precise that is. Hatched: many boxes too narrow to draw.");

// A fixed width, and nothing to scroll.
function toPaper(paper) {
	unfold(paper);
	table.all = paper;
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
	startTheme(() => {
		readColours();
		redrawFlame();
	});
	if (sites.rows)
		selectRow(0, true);
	else // the warning says why; frames around nothing would say less
		document.querySelector(hasComputing ? "#rows" : ".work").hidden = document.querySelector(".tools").hidden = true;
	if (!sites.rows && hasComputing)
		selectBox(0);
	drawFlame();
	byId("help-open").addEventListener("click", showHelp);
	startPaper(toPaper);
	pageKeys({
		"/": () => byId("search").focus(),
		"?": showHelp,
		t: nextTheme,
		w: nextHalf,
		m: nextWidths,
		c: () => colourFlame(!flame.certainty),
		f: () => flame.canvas.focus(),
		r: () => table.view.focus(),
		Escape: () => zoomTo(Math.max(tree.parent[flame.zoomed], 0)),
	});
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
