// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark, or as the system has it; the list of keys; going to paper and back.

const THEMES = ["system", "light", "dark"];
const theme = { changed: () => {} };

function setTheme(name) {
	document.documentElement.dataset.theme = name;
	byId("theme").textContent = `Theme: ${name}`;
	theme.changed();
}

function keepTheme(name) {
	setTheme(name);
	try { // a page from a file may have no storage
		localStorage.setItem("scprof-theme", name);
	} catch { /* then it lasts as long as the page */ }
}

function keptTheme() {
	try {
		return localStorage.getItem("scprof-theme");
	} catch {
		return null;
	}
}

const nextTheme = () => keepTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);

// `changed` is called with each theme, the first one, too.
function startTheme(changed) {
	theme.changed = changed;
	setTheme(THEMES.includes(keptTheme()) ? keptTheme() : "system");
	byId("theme").addEventListener("click", nextTheme);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(document.documentElement.dataset.theme));
}

function showKeys(keys, words) {
	const dialog = byId("help");
	replace(dialog, element("h2", { id: "help-title" }, "Keys"),
		element("dl", { class: "keys" }, keys.map(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)])),
		element("p", { class: "note" }, words),
		button("Close", () => dialog.close()));
	dialog.showModal();
}

// Calls what a key of `actions` does, unless it is typed into a field.
function pageKeys(actions) {
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "radio")
			return;
		if (!actions[event.key] || byId("help").open)
			return;
		event.preventDefault();
		actions[event.key]();
	});
}

// For printing: light colours, and all that opens is open.
function unfold(paper) {
	document.documentElement.classList.toggle("paper", paper);
	for (const d of document.querySelectorAll(paper ? "details:not([open])" : "details.for-paper")) {
		d.open = paper;
		d.classList.toggle("for-paper", paper);
	}
}

function startPaper(toPaper) {
	window.addEventListener("beforeprint", () => toPaper(true));
	window.addEventListener("afterprint", () => toPaper(false));
}
