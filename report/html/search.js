// SPDX-License-Identifier: GPL-3.0-or-later
// One search for both: rows whose function, library or path holds the words, and boxes whose name
// does. Each text is looked at once, however many rows share it.

const search = { words: "", rows: null, boxes: null };

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

function searchFor(words) {
	const hit = words ? findTexts(words) : null;
	search.words = words;
	search.rows = hit && findRows(hit);
	flame.matched = search.boxes = hit && findBoxes(hit);
	filterTable();
	redrawFlame();
	const found = (of) => of.reduce((n, one) => n + one, 0);
	byId("found").textContent = hit ? `${count(found(search.rows))} rows, ${count(found(search.boxes))} boxes` : "";
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
			field.value = "";
			searchFor("");
			flame.canvas.focus({ preventScroll: true });
			event.stopPropagation();
		} else if (event.key === "Enter" && table.shown.length) {
			showInTable(table.shown[0]);
		}
	});
}
