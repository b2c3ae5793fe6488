// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison's head; keys, printing; builds the page.

function showHead() {
	const programs = [...new Set(doc.profiles.map(([, program]) => program || "?"))];
	const name = (side) => {
		const files = doc.profiles.slice(side ? doc.bases : 0, side ? undefined : doc.bases).map(([file]) => baseName(file));
		return files.length > 1 ? `${files[0]} … ${files[files.length - 1]}` : files[0];
	};
	const title = `${programs.map(baseName).join(", ")}: ${name(0)} against ${name(1)}`;
	document.title = `scprof diff: ${fit(title, 80)}`;
	replace(byId("title"), nameOf(title));
	byId("title").title = title;
	const lead = doc.sides || doc.verdict;
	replace(byId("verdict"), element("p", { class: "lead" }, nameOf(lead, "words")),
		lead === doc.verdict ? "" : element("p", {}, nameOf(doc.verdict, "words")), doc.per_words ? element("p", {}, nameOf(doc.per_words, "words")) : "");
	byId("verdict").classList.toggle("changed", doc.status === 1);
	const clocks = [...new Set(doc.profiles.map(([, , clock]) => clock))];
	replace(byId("figures"), SIDES.map((side, i) => element("span", { class: "figure" }, element("strong", {}, runWords(i)), i ? " new" : " base")),
		element("span", { class: "figure" }, element("span", { class: "quiet-text" }, `clock ${clocks.join(", ")}; of the changes reported, at most ${doc.false_share} are expected to be none`)));
	replace(byId("facts"), doc.profiles.map(([file, program, clock, tick], i) => fact(i < doc.bases ? "base" : "new", nameOf(file || "?", "path"), " of ", nameOf(program || "?"), `, clock ${clock}, tick ${duration(tick)}`)),
		doc.facts.map(([what, words]) => fact(what, nameOf(words, "words"))));
	replace(byId("sections"), [["flame", "flame-title"], ["rows", "rows-title"], ["computing", "computing-title"]].filter(([id]) => (id === "computing" ? doc.computing : sites.rows)).map(([id, words]) => element("a", { href: `#${id}` }, byId(words).textContent)));
	byId("foot").textContent = "Made by scprof. The colours are those of Okabe and Ito (2008), which people with any form of colour blindness can distinguish. Each verdict has a sign, too: no information is in colour alone.";
}

// Functions that compute, with their verdicts.
const STATUSES = ["slower", "faster", "no-change-seen", "not-compared", "only-in-base", "only-in-new"];

function showComputing() {
	const of = doc.computing;
	if (!of)
		return;
	append(byId("computing"), [element("p", { class: "reading" }, `CPU time outside of calls, of an average run: ${duration(of.base_cpu_ns)}, then ${duration(of.new_cpu_ns)}. ${of.few || ""}`)]);
	const both = (get, field, format) => SIDES.map((name) => element("span", { class: `two ${name}` }, known(format)(get(name)[field])));
	const mark = (get, status = STATUSES.indexOf(get("status"))) => verdictMark(VERDICTS[status >= GONE && !get("counts") ? UNKNOWN : OF_STATUS[status]]);
	sectionTable("computing", { rows: of.rows, of: of.rows.length }, [
		["Function", "", (get) => {
			const name = nameOf(get("function"));
			name.title = get("module");
			return name;
		}],
		["Verdict", "", (get) => element("span", { class: "verdict-cell" }, mark(get), element("span", {}, get("verdict")))],
		["Change", "number", (get) => (get("ratio") ? ratioWords(get("ratio")) : "–")],
		["Share of it", "number", (get) => both(get, "share", share)],
		["CPU time", "number", (get) => both(get, "cpu_ns", duration)],
		["Samples", "number", (get) => both(get, "samples", calls)],
	]);
}

const KEYS = [
	["/", "search"],
	["f", "to the flame graphs"],
	["r", "to the rows"],
	["← → ↑ ↓", "in a flame graph: to the box beside, above, below; in the table: to the next row"],
	["Enter", "zoom to the selected box; in the table: show the row in the flame graphs"],
	["Esc, Backspace", "one step out; in the search: clear it"],
	["Home", "all"],
	["w", "work, waiting, all"],
	["t", "theme: system, light, dark"],
	["?", "this list"],
];

function toPaper(paper) {
	unfold(paper);
	table.all = pair.paper = paper;
	readColours();
	resizePair();
	drawPair();
	chooseColumns();
	redrawTable();
}

function start() {
	showHead();
	showWarnings(!sites.rows);
	startTable();
	startPair();
	showComputing();
	startTheme(() => {
		readColours();
		redrawPair();
	});
	if (sites.rows)
		selectRow(0, true);
	else
		document.querySelector(".work").hidden = byId("flame").hidden = true;
	drawPair();
	byId("help-open").addEventListener("click", () => showKeys(KEYS, DIFF_HELP));
	startPaper(toPaper);
	pageKeys({
		"/": () => byId("search").focus(),
		"?": () => showKeys(KEYS, DIFF_HELP),
		t: nextTheme,
		w: nextHalf,
		f: () => pair.sides[0].canvas.focus(),
		r: () => table.view.focus(),
		Escape: () => zoomTo(Math.max(graph.parent[pair.zoomed], 0)),
	});
	new ResizeObserver(() => {
		if (table.all)
			return;
		resizePair();
		chooseColumns();
		redrawTable();
		redrawPair();
	}).observe(byId("pair"));
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

const DIFF_HELP = "The width of a box is its estimated time; callers stand above, the timed calls at the bottom. Both sides have the same boxes in the same order, to one scale. Hatched: too little is known, or many boxes too narrow to draw.";
start();
