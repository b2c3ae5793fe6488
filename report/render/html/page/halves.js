// SPDX-License-Identifier: GPL-3.0-or-later
// Work and waiting are apart: the flame graph shows one of them, or both, and what waits is one bar
// while work is shown. Boxes are as wide as their calls, what was computed in them, or both.

const boxHalf = (box) => (waitBox && box ? (boxWaits(box) ? waitBox : workBox) : 0);
const HALF_NAMES = [[workBox, "Work"], [waitBox, "Waiting"], [0, "All"]];

const WIDTHS = ["calls", "computing", "both"];

function startWidths() {
	const choice = byId("what");
	choice.hidden = !hasComputing || !sites.rows;
	append(choice, WIDTHS.map((what) => {
		const radio = element("input", { type: "radio", name: "what", value: what, checked: what === tree.what });
		radio.addEventListener("change", () => showWidths(what));
		return element("label", {}, radio, element("span", {}, what));
	}));
}

function layWidths(what) {
	layBoxes(what);
	document.querySelector(`input[name=what][value=${what}]`).checked = true;
	startHalves();
}

function showWidths(what) {
	layWidths(what);
	zoomTo(tree.width[flame.zoomed] > 0 ? flame.zoomed : tree.width[workBox] > 0 ? workBox : 0);
	if (flame.selected >= 0)
		inspectBox(flame.selected);
	if (search.words)
		searchFor(search.words);
}

function nextWidths() {
	const all = byId("what").querySelectorAll("input"), at = [...all].findIndex((radio) => radio.checked);
	if (!byId("what").hidden)
		all[(at + 1) % all.length].click();
}

function startHalves() {
	const choice = byId("half");
	choice.hidden = !waitBox || !workBox || tree.what === "computing";
	if (!waitBox || !workBox)
		return;
	replace(choice, element("legend", {}, "Show"), HALF_NAMES.map(([box, name]) => {
		const radio = element("input", { type: "radio", name: "half", value: name.toLowerCase() });
		radio.addEventListener("change", () => zoomTo(box));
		return element("label", {}, radio, element("span", {}, name, element("b", {}, ` ${duration(tree.width[box])}`)));
	}));
	showHalf();
	showWaits();
}

// After each zoom: which half is in sight.
function showHalf() {
	const half = HALF_NAMES.findIndex(([box]) => box === boxHalf(flame.zoomed));
	const radio = byId("half").querySelectorAll("input")[half];
	if (radio)
		radio.checked = true;
	byId("waits").hidden = !radio || boxWaits(flame.zoomed) || tree.what === "computing";
}

// [[function, share of all threads' time]], the longest first, of the rows that wait.
function waitsByFunction() {
	const by = new Map();
	for (let row = 0; row < sites.rows; row++)
		if (isWaiting(row))
			by.set(siteName(row), (by.get(siteName(row)) || 0) + (sites.get(row, "share") || 0));
	return [...by].sort((a, b) => b[1] - a[1]);
}

const WAITS_NAMED = 4;
function showWaits() {
	const all = boxNumber(waitBox, "share"), named = waitsByFunction().slice(0, WAITS_NAMED);
	const parts = named.map(([name, part], i) => [i ? ", " : " ", nameOf(fit(name, 40)), ` ${share(part)}`]);
	const words = button("", () => zoomTo(waitBox));
	const bar = element("span", { class: "l-bar", "aria-hidden": "true" }, named.map(([, part]) => {
		const piece = element("span", { class: "t-waits" });
		piece.style.flexGrow = String(part);
		return piece;
	}));
	const rest = element("span");
	rest.style.flexGrow = String(Math.max(1 - named.reduce((sum, [, part]) => sum + part, 0), 0));
	bar.append(rest);
	words.title = "Show what waits";
	replace(words, element("span", { class: "waits-words" }, element("b", {}, `Waiting ${share(all)}`), " of the threads' time:", parts), bar);
	replace(byId("waits"), words);
}

function nextHalf() {
	const at = HALF_NAMES.findIndex(([box]) => box === boxHalf(flame.zoomed));
	if (!byId("half").hidden)
		zoomTo(HALF_NAMES[(at + 1) % HALF_NAMES.length][0]);
}
