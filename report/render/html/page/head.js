// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page: program, figures, how it was measured, how to read an interval.

function showTitle() {
	document.title = doc.title ? `scprof: ${fit(doc.title, 80)}` : "scprof";
	replace(byId("title"), nameOf(doc.title || "a profile"));
	byId("title").title = doc.title;
	replace(byId("figures"), doc.figures.map(([name, value, more]) => element("span", { class: "figure" },
		element("strong", {}, value), ` ${name}`, element("span", { class: "quiet-text" }, `, ${more}`))));
	replace(byId("facts"), doc.facts.map(([name, words]) => fact(name, nameOf(words, "words"))));
}

// What stands behind the line beside the title.
function showMore() {
	const warned = doc.warnings.length, words = [doc.next.length ? "what to do next" : "", "figures"].filter((part) => part).join(", ");
	replace(byId("more-title"), warned ? [element("b", { class: "mark-warning", "aria-hidden": "true" }, "!"),
		element("strong", {}, `${warned} warning${warned === 1 ? "" : "s"}`), `, ${words}`] : words);
}

// A line each: what was found, and the command that tells more.
function showNext() {
	const box = byId("next"), told = doc.next.some(([words]) => words.includes("would record"));
	const line = (name, ...parts) => element("p", { class: "step" }, element("span", { class: "quiet-text" }, name), ...parts);
	box.hidden = !doc.next.length && !doc.elsewhere;
	replace(box, doc.elsewhere && !told ? line("elsewhere", nameOf(doc.elsewhere, "words")) : "",
		doc.next.map(([words, command]) => line("next", nameOf(words, "words"), element("code", {}, nameOf(command, "path")))));
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
	showWarnings(!sites.rows);
	showNext();
	showMore();
	showReading();
	showFlameNote();
	byId("foot").textContent = "Made by scprof. The colours are those of Okabe and Ito (2008), which people with any form of colour blindness can distinguish. Certainty is the lightness of one blue. No information is in colour alone.";
}
