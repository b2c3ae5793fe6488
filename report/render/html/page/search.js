// SPDX-License-Identifier: GPL-3.0-or-later
// One search for rows (function, library or path contains the words) and boxes (name contains
// them). Each text is searched once, however many rows share it.

const search = { words: "", rows: null, program: -1 };

function findTexts(words) {
	const lower = words.toLowerCase();
	return Uint8Array.from(texts, (t) => t.toLowerCase().includes(lower));
}

// A line counts for all paths below it: lines come after what they are called from.
function findLines(hit) {
	const found = new Uint8Array(lines.rows);
	for (let i = 0; i < lines.rows; i++) {
		const above = lineAbove(i);
		found[i] = hit[lines.get(i, "text")] || (above >= 0 && found[above]) ? 1 : 0;
	}
	return found;
}

function findRows(hit) {
	const found = new Uint8Array(sites.rows), paths = findLines(hit);
	for (let row = 0; row < sites.rows; row++) {
		const path = sites.get(row, "path"), outcome = sites.get(row, "outcome"), f = sites.get(row, "function");
		found[row] = hit[functions.get(f, "name")] || hit[functions.get(f, "library")]
			|| (path >= 0 && paths[path]) || (outcome >= 0 && hit[outcome]) ? 1 : 0;
	}
	return found;
}

function findBoxes(hit) {
	const found = new Uint8Array(tree.n);
	for (let i = 1; i < tree.n; i++)
		found[i] = hit[labels.get(tree.label[i], "name")] ? 1 : 0;
	return found;
}

// Callers of what was found keep their colours: they lead there.
function findCallers(found) {
	const callers = new Uint8Array(tree.n);
	for (let i = tree.n - 1; i > 0; i--)
		if (found[i] || callers[i])
			callers[tree.parent[i]] = 1;
	return callers;
}

// Scrolls to the first box found, unless one is visible already.
function showFound() {
	const first = flame.matched.indexOf(1), top = flame.view.scrollTop;
	let inside = first < 0;
	walkFlame(flame.from, flame.to, Infinity, (i) => {
		const y = flameTop(i);
		inside = inside || (flame.matched[i] && y >= top && y + FLAME_ROW <= top + flame.height);
	}, () => {});
	if (!inside)
		flame.view.scrollTop = flameTop(first) - flame.height / 2;
}

const rowsAndBoxes = (rows, all) => `${count(rows)} ${rows === 1 ? "row" : "rows"}, ${count(all)} ${all === 1 ? "box" : "boxes"}`;

// What was found of work and of waiting: time and share, each box once, without those below it.
function foundTime() {
	const sum = { work: 0, waiting: 0 };
	for (let i = 1; i < tree.n;) {
		const half = boxWaits(i) ? "waiting" : "work";
		sum[half] += flame.matched[i] ? tree.width[i] : 0;
		i = flame.matched[i] ? tree.next[i] : i + 1;
	}
	const part = (ns, box) => share(tree.width[box] > 0 ? (ns / tree.width[box]) * (boxShare(box) ?? 0) : 0);
	return [sum.work > 0 ? `${duration(sum.work)}, ${part(sum.work, workBox)} ${ofWhole()}` : "",
		sum.waiting > 0 ? `waits ${duration(sum.waiting)}, ${part(sum.waiting, waitBox)} ${ofWhole()}` : ""].filter((t) => t).join("; ");
}

function searchFor(words) {
	const hit = words ? findTexts(words) : null;
	search.words = words;
	search.rows = hit && findRows(hit);
	flame.matched = hit && findBoxes(hit);
	if (search.program >= 0) {
		const own = findProgramBoxes(search.program, hit !== null);
		flame.matched = hit ? flame.matched.map((found, i) => found && own[i]) : own;
	}
	flame.callers = flame.matched && findCallers(flame.matched);
	filterTable();
	if (hit)
		showFound();
	redrawFlame();
	const found = (of) => of.reduce((n, one) => n + one, 0);
	byId("found").textContent = hit ? [rowsAndBoxes(found(search.rows), found(flame.matched)), foundTime()].filter((t) => t).join(": ") : "";
	return hit ? found(search.rows) : sites.rows;
}

function startSearch() {
	const field = byId("search");
	let waiting = 0;
	field.addEventListener("input", () => {
		clearTimeout(waiting);
		waiting = setTimeout(() => searchFor(field.value.trim()), 60);
	});
	field.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			clearTimeout(waiting);
			field.value = "";
			searchFor("");
			flame.canvas.focus({ preventScroll: true });
			event.stopPropagation();
		} else if (event.key === "Enter") {
			clearTimeout(waiting);
			if (field.value.trim() !== search.words)
				searchFor(field.value.trim());
			if (table.shown.length)
				showInTable(table.shown[0]);
		}
	});
}
