// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings at the top of a page.

// One line a warning, its text behind it; beyond some they are one line.
const WARNINGS_SEEN = 4;
const warningLine = ([code, words, brief]) => element("details", { class: "warning" },
	element("summary", {}, element("b", { class: "mark-warning", "aria-hidden": "true" }, "!"), element("strong", {}, code),
		element("span", { class: "quiet-text" }, nameOf(brief || words, "words"))),
	element("p", {}, nameOf(words, "words")));

// `open`: a lone warning is open, as nothing else is to be read.
function showWarnings(open) {
	const box = byId("warnings"), all = doc.warnings, seen = all.length > WARNINGS_SEEN ? WARNINGS_SEEN - 1 : all.length;
	box.hidden = !all.length;
	box.classList.toggle("few", all.length <= 2);
	replace(box, all.slice(0, seen).map(warningLine), seen === all.length ? "" : element("details", { class: "warning more" },
		element("summary", {}, element("strong", {}, `${all.length - seen} more`), element("span", { class: "quiet-text" }, all.slice(seen).map(([code]) => code).join(", "))),
		all.slice(seen).map(warningLine)));
	if (open && all.length === 1)
		box.querySelector("details").open = true;
	if (open && byId("more"))
		byId("more").open = true;
}
