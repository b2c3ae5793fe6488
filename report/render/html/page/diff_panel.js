// SPDX-License-Identifier: GPL-3.0-or-later
// All that is known of one site on both sides, or of one box.

const inspector = byId("inspector");

const side = (words, ...cells) => element("tr", {}, element("td", {}, words), cells.flat().map((c) => element("td", { class: "number" }, c)));
const sidesTable = (heads, rows) => element("table", { class: "numbers" },
	element("thead", {}, element("tr", {}, heads.map((words, i) => element("th", { scope: "col", class: i ? "number" : "" }, words)))), element("tbody", {}, rows));

function sideRows(row) {
	const of = (words, field, format) => (SIDES.some((name) => sites.get(row, `${name}_${field}`) !== null)
		? side(words, SIDES.map((name) => known(format)(sites.get(row, `${name}_${field}`)))) : "");
	return [of("calls", "calls", calls), doc.per ? of(`calls each`, "rate", each) : "", of("mean of a call", "mean", duration),
		of("mean, CPU kept", "cpu", duration), of("total", "total", duration)];
}

// Each run: the mean of a call and its standard error.
function runRows(row) {
	return doc.profiles.map(([file], i) => {
		const get = (field) => runs.get(row * doc.profiles.length + i, field);
		const error = get("error");
		return side([i < doc.bases ? "base " : "new ", nameOf(fit(baseName(file), 22))], calls(get("calls")),
			duration(get("mean")), duration(error));
	});
}

const ratioWords = (r) => (r === null ? "?" : r >= 3 ? `×${plain(r)}` : `${r < 1 ? "−" : "+"}${percentWords(Math.abs(r - 1))} %`);
const chance = (p) => (p < 0.0001 ? "below 0.0001" : plain(p));

function changeFacts(row) {
	const get = (field) => sites.get(row, field);
	return element("dl", {},
		get("ratio") === null ? "" : fact("change", text(get("change")), element("span", { class: "quiet-text" }, ` [${ratioWords(get("low"))}, ${ratioWords(get("high"))}]`)),
		get("detectable") === null ? "" : fact("would be found", `a change of ${ratioWords(get("detectable"))}`),
		get("q") === null ? "" : fact("false discovery rate", chance(get("q"))),
		get("rate_ratio") === null ? "" : fact("calls each", ratioWords(get("rate_ratio")), element("span", { class: "quiet-text" }, ` [${ratioWords(get("rate_low"))}, ${ratioWords(get("rate_high"))}]`)),
		get("effect") === null ? "" : fact("effect on a run", `${get("effect") > 0 ? "+" : get("effect") < 0 ? "−" : ""}${duration(Math.abs(get("effect")))}`));
}

function panelHead(name, module, words) {
	return [element("h2", {}, nameOf(name)), element("p", { class: "quiet-text clip" }, words, module ? [" in ", nameOf(module, "path")] : "")];
}

function inspectRow(row) {
	const outcome = siteOutcome(row), other = text(sites.get(row, "other"));
	const path = pathOf(row);
	replace(inspector,
		panelHead(siteName(row), siteLibrary(row), [sites.get(row, "waits") ? "timed call that waits" : "timed call", outcome ? [", outcome ", nameOf(outcome)] : ""]),
		element("p", { class: "lead verdict-cell" }, verdictMark(VERDICTS[verdictOf(row)]), element("strong", {}, text(sites.get(row, "verdict")))),
		other ? element("p", { class: "quiet-text" }, other) : "",
		rateWords(row) ? element("p", { class: "quiet-text" }, rateWords(row)) : "",
		sidesTable(["", "base", "new"], sideRows(row)),
		changeFacts(row),
		sites.get(row, "moved") ? element("p", { class: "note" }, "Its lines moved within their functions.") : "",
		element("h3", {}, "Called from"),
		path.length ? element("ol", { class: "path-list" }, path.map((line) => element("li", {}, nameOf(line, "path")))) : element("p", { class: "note" }, "The path is not part of this comparison."),
		element("h3", {}, "Each run"), sidesTable(["", "calls", "mean", "std. error"], runRows(row)),
		graph.boxOf[FIRST_SITE + row] >= 0 ? element("p", { class: "actions" }, button("Show in the graphs", () => rowEntered(row))) : "");
}

function inspectBox(box) {
	const of = new Array(VERDICTS.length).fill(0);
	for (let at = box; at < graph.next[box]; at++)
		if (boxSite(at) >= 0)
			of[verdictOf(boxSite(at))]++;
	const total = of.reduce((a, b) => a + b, 0), names = boxCallers(box);
	replace(inspector, panelHead(boxName(box), boxModule(box), box ? "calls what is below," : "all that is shown"),
		sidesTable(["", "base", "new"], [side(doc.per ? "time each" : "total of a run", SIDES.map((_, s) => duration(ofBox(box, s)))),
			side("share", SIDES.map((_, s) => share(ofBox(box, s) / (ofBox(0, s) || 1))))]),
		names.length > 1 ? [element("h3", {}, `${count(names.length)} functions, each called by the next`),
			element("ol", { class: "path-list" }, names.map((name) => element("li", {}, nameOf(name, "path"))))] : "",
		element("h3", {}, `${count(total)} site${total === 1 ? "" : "s"} below`),
		element("ul", { class: "notes" }, VERDICTS.map((v, i) => (of[i] ? element("li", {}, verdictMark(v), ` ${count(of[i])} ${v[2]}`) : ""))),
		element("p", { class: "actions" }, button("Zoom in", () => zoomTo(box)), button("Only these rows", () => {
			onlyRowsOf(box);
			byId("rows").scrollIntoView({ block: "start" });
		})));
}
