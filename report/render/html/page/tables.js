// SPDX-License-Identifier: GPL-3.0-or-later
// A section with a table of rows as they come, longest first: flat ones, or objects. Without rows it stays hidden.

const SECTION_ROWS = 25;

function sectionTable(id, part, columns) {
	const rows = part.fields ? new Flat(part.rows, part.fields) : { rows: part.rows.length, get: (row, field) => part.rows[row][field] }, section = byId(id);
	if (!rows.rows)
		return;
	const body = element("tbody");
	const fill = (from, to) => {
		for (let row = from; row < to; row++)
			body.append(element("tr", {}, columns.map(([, kind, draw]) => element("td", { class: kind }, draw((f) => rows.get(row, f))))));
	};
	fill(0, Math.min(rows.rows, SECTION_ROWS));
	section.hidden = false;
	if (id === "gaps")
		append(section, [firstCalls()]);
	section.append(element("div", { class: "scroll-x" }, element("table", { class: id === "gaps" ? "plain two-names" : "plain" },
		element("thead", {}, element("tr", {}, columns.map(([name, kind]) => element("th", { scope: "col", class: kind }, name)))), body)));
	if (rows.rows > SECTION_ROWS) {
		const more = button(`Show all ${count(rows.rows)}`, () => {
			fill(SECTION_ROWS, rows.rows);
			more.remove();
		});
		section.append(more);
	}
	if (part.of > rows.rows)
		section.append(element("p", { class: "note" }, `The first ${count(rows.rows)} of ${count(part.of)}; --format json has all.`));
}
