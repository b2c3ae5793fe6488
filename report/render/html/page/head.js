// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page: program, figures, warnings, how it was measured, how to read an interval.

function showTitle() {
	document.title = doc.title ? `scprof: ${fit(doc.title, 80)}` : "scprof";
	replace(byId("title"), nameOf(doc.title || "a profile"));
	replace(byId("figures"), doc.figures.map(([name, value, more]) => element("div", { class: "figure" },
		element("span", { class: "figure-name" }, name), element("strong", {}, value), element("span", { class: "quiet-text" }, more))));
	replace(byId("facts"), doc.facts.map(([name, words]) => fact(name, nameOf(words, "words"))));
}

function showWarnings() {
	const box = byId("warnings");
	box.hidden = !doc.warnings.length;
	const many = doc.warnings.length > 1;
	const list = element("dl", {}, doc.warnings.map(([code, words]) => [element("dt", {}, code), element("dd", {}, nameOf(words, "words"))]));
	const codes = [...new Set(doc.warnings.map(([code]) => code))];
	replace(box, element("details", { open: doc.warnings.length <= 2 },
		element("summary", {}, element("b", { class: "mark-warning", "aria-hidden": "true" }, "!"),
			element("strong", {}, `${doc.warnings.length} warning${many ? "s" : ""}`), element("span", { class: "codes" }, codes.join(", "))), list));
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
