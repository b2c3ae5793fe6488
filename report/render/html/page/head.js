// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page: program, figures, warnings, how it was measured, how to read an interval.

function showTitle() {
	document.title = doc.title ? `scprof: ${fit(doc.title, 80)}` : "scprof";
	replace(byId("title"), nameOf(doc.title || "a profile"));
	byId("title").title = doc.title;
	replace(byId("figures"), doc.figures.map(([name, value, more]) => element("span", { class: "figure" },
		element("strong", {}, value), ` ${name}`, element("span", { class: "quiet-text" }, `, ${more}`))));
	replace(byId("facts"), doc.facts.map(([name, words]) => fact(name, nameOf(words, "words"))));
}

// One line a warning, its text behind it; beyond some they are one line.
const WARNINGS_SEEN = 6;
const warningLine = ([code, words]) => element("details", { class: "warning" },
	element("summary", {}, element("b", { class: "mark-warning", "aria-hidden": "true" }, "!"), element("strong", {}, code),
		element("span", { class: "quiet-text" }, nameOf(words, "words"))),
	element("p", {}, nameOf(words, "words")));

function showWarnings() {
	const box = byId("warnings"), all = doc.warnings, seen = all.length > WARNINGS_SEEN ? WARNINGS_SEEN - 1 : all.length;
	box.hidden = !all.length;
	box.classList.toggle("few", all.length <= 2);
	replace(box, all.slice(0, seen).map(warningLine), seen === all.length ? "" : element("details", { class: "warning more" },
		element("summary", {}, element("strong", {}, `${all.length - seen} more`), element("span", { class: "quiet-text" }, all.slice(seen).map(([code]) => code).join(", "))),
		all.slice(seen).map(warningLine)));
	if (!sites.rows && all.length === 1) // nothing else is to be read
		box.querySelector("details").open = true;
}

// One sentence, with a row of this report as its example.
function showReading() {
	const known = (row) => sites.get(row, "low") !== null && sites.get(row, "high") !== null;
	const doubted = (row) => notes.has(row) && notes.get(row).doubts.length > 0;
	const sure = table.order.findIndex((row) => known(row) && !doubted(row));
	const row = sure >= 0 ? sure : table.order.findIndex(known);
	if (row < 0) {
		byId("reading").hidden = true;
		return;
	}
	const get = (field) => sites.get(row, field);
	replace(byId("reading"), "How to read an interval: ", nameOf(fit(siteName(row), 60)), " ", element("strong", {}, meanText(get("mean"), get("low"), get("high"))),
		` says that the true mean cost of such a call lies between ${duration(get("low"))} and ${duration(get("high"))}, with ${doc.confidence.replace(" ", "\u00a0")} confidence. It is about the mean; single calls scatter far more, as the latencies show.`);
}

function showFlameNote() {
	const note = byId("flame-note");
	note.hidden = !doc.nested;
	if (doc.nested)
		note.textContent = `Calls made inside other timed calls took ${doc.nested}; that time is drawn under both.`;
}

function showHead() {
	showTitle();
	showThreadsTime();
	showWarnings();
	showReading();
	showFlameNote();
	byId("foot").textContent = "Made by scprof. The colours are those of Okabe and Ito (2008), which people with any form of colour blindness can distinguish; certainty is the lightness of one blue. No information is in colour alone.";
}
