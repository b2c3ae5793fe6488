// SPDX-License-Identifier: GPL-3.0-or-later
// A page's data as it was written: flat arrays whose columns are named by *_fields, texts by number.
"use strict";

const doc = JSON.parse(document.getElementById("data").textContent);
document.getElementById("data").remove();
const texts = doc.strings;
const text = (n) => (n >= 0 ? texts[n] : "");

// Rows of a flat array: get(i, "mean"). What is not known is null.
class Flat {
	constructor(values, fields) {
		this.values = values;
		this.stride = fields.length;
		this.rows = Math.floor(values.length / this.stride);
		this.place = Object.fromEntries(fields.map((name, i) => [name, i]));
	}

	get(row, field) {
		return this.values[row * this.stride + this.place[field]];
	}

	has(field) {
		return field in this.place;
	}
}

const sites = new Flat(doc.sites, doc.site_fields);
const lines = new Flat(doc.lines, doc.line_fields);

// The line that a line is called from; -1: none.
function lineAbove(line) {
	const back = lines.get(line, "back");
	return back ? line - back : -1;
}

// Call path of a row as lines, innermost first.
function pathOf(row) {
	const path = [];
	for (let at = sites.get(row, "path"); at >= 0; at = lineAbove(at))
		path.push(text(lines.get(at, "text")));
	return path;
}

// The larger side of an interval, as a share of the mean; null: nothing is known of it.
function uncertainty(below, above) {
	return below === null || above === null ? null : Math.max(-below, above);
}
