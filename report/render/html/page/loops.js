// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of each thread: a pass as one bar, and below it a table of its calls and of the gaps
// between them. Shares add up to 100.0 %.

const LOOP = { state: 0, edge: 1, others: 2, scprof: 3, outside: 4 };
const LOOP_CLASS = ["l-state", "l-edge", "l-rest", "l-scprof", "l-rest"];
const permille = (n, some = false) => (n === null ? "–" : n === 0 && some ? "<0.1 %" : `${(n / 10).toFixed(1)} %`);

// As report/render/text/text_loop.c prints them.
function times(n) {
	if (n === null || n === 1)
		return n === null ? "" : "1";
	return n < 0.0005 ? "<0.001" : n < 0.1 ? fixed(n, 3) : plain(n);
}

function loopMean(get) {
	if (get("mean") === null)
		return "";
	const p = meanParts(get("mean"), get("low"), get("high"));
	// a mean over several sites has no interval: it would describe none of them
	return meanCell(get("kind") <= LOOP.edge ? p : { ...p, interval: "" });
}

function loopName(get) {
	switch (get("kind")) {
	case LOOP.state:
		return gapEnd(get("from"), text(get("from_name")));
	case LOOP.edge:
		return element("span", { class: "l-to" }, "→ ", get("chance") < 1000 ? `(${permille(get("chance"))}) ` : "", nameOf(text(get("to_name"))));
	case LOOP.others:
		return `rarer: ${count(get("states"))} steps, ${count(get("edges"))} gaps`;
	default:
		return get("kind") === LOOP.scprof ? "scprof in the calls" : "outside the loop";
	}
}

function loopTitle(get) {
	const name = get("kind") === LOOP.state ? text(get("from_name")) : get("kind") === LOOP.edge ? `${text(get("from_name"))} → ${text(get("to_name"))}`
		: ["", "", "rarer", "scprof in the calls", "outside the loop"][get("kind")];
	return `${name}: ${get("pass") === null ? "" : `${duration(get("pass"))} a pass, `}${permille(get("permille"))}`;
}

// One bar as long as the thread's time; steps are numbered as in the table.
function loopBar(rows, outside) {
	const bar = element("div", { class: "l-bar", role: "img", "aria-label": "shares of the parts of a pass, as in the table below" });
	let step = 0;
	for (let row = 0; row < rows.rows; row++) {
		const get = (f) => rows.get(row, f);
		const number = get("kind") === LOOP.state ? String(++step) : "";
		const part = element("span", { class: LOOP_CLASS[get("kind")], title: loopTitle(get) }, get("permille") >= 20 ? number : "");
		part.style.flexGrow = String(get("permille"));
		bar.append(part);
	}
	if (outside > 0) {
		const part = element("span", { class: "l-rest", title: `outside the loop: ${permille(outside)}` });
		part.style.flexGrow = String(outside);
		bar.append(part);
	}
	return bar;
}

const loopClass = (i) => ["", "", "number", "number mean", "", "number", "number"][i];

function loopTable(rows, outside) {
	const body = element("tbody");
	const isKnown = (row) => rows.get(row, "kind") <= LOOP.edge;
	const scale = whiskerScale(rows.rows, (row) => (isKnown(row) ? [rows.get(row, "below"), rows.get(row, "above")] : [null, null]));
	let step = 0;
	const line = (...cells) => body.append(element("tr", {}, cells.map((cell, i) => element("td", { class: loopClass(i) }, cell))));
	for (let row = 0; row < rows.rows; row++) {
		const get = (f) => rows.get(row, f), kind = get("kind");
		line(kind === LOOP.state ? element("b", { class: "l-number" }, String(++step)) : "", loopName(get),
			times(get("per_pass")), loopMean(get),
			isKnown(row) ? whisker(scale, get("below"), get("above"), 134, 22) : "",
			duration(get("pass")), permille(get("permille"), get("pass") > 0));
	}
	if (outside > 0)
		line("", "outside the loop", "", "", "", "", permille(outside));
	return element("div", { class: "scroll-x" }, element("table", { class: "plain" }, element("thead", {}, element("tr", {},
		["", "Step, and what follows it", "Times a pass", "Mean", ["Interval, relative", whiskerAxis(scale, 134)], "A pass", "Share"]
			.map((name, i) => element("th", { scope: "col", class: loopClass(i) }, name)))), body));
}

// All of the thread's time is elsewhere: what repeats is no answer.
const isNothing = (loop, cycle) => cycle.permille === 0 && loop.cycles.length === 1;

function loopHead(loop, cycle) {
	const [mean, low, high] = cycle.mean;
	const passes = `${count(cycle.passes)} pass${cycle.passes === 1 ? "" : "es"}`;
	return element("p", {}, "Thread ", nameOf(text(loop.thread)), ` (${loop.tid})${loop.others ? ` and ${count(loop.others)} more like it` : ""}, ${duration(loop.time)}: `,
		isNothing(loop, cycle) ? "no loop that takes time"
			: ["a loop, ", passes, " of ", element("strong", {}, meanText(mean, low, high)), `, ${permille(cycle.permille, true)} of its time`]);
}

// All loops of all threads by their own time, not the thread's: a thread that only waits lives long, too.
function loopParts() {
	const parts = doc.loops.flatMap((loop) => loop.cycles.map((cycle, i) => ({ loop, cycle,
		outside: i === loop.cycles.length - 1 ? loop.outside : 0,
		time: loop.time * cycle.permille,
		negligible: cycle.permille < 10 })));
	return parts.sort((a, b) => b.time - a.time);
}

function loopPart({ loop, cycle, outside }) {
	if (isNothing(loop, cycle))
		return element("div", { class: "loop" }, loopHead(loop, cycle));
	const rows = new Flat(cycle.rows, doc.loop_fields);
	return element("div", { class: "loop" }, loopHead(loop, cycle), loopBar(rows, outside), loopTable(rows, outside));
}

function showLoops() {
	const section = byId("loops");
	if (!doc.loops.length)
		return;
	section.hidden = false;
	section.append(element("div", { class: "legend" }, [["l-state", "in a call (numbered as below)"], ["l-edge", "between calls"], ["l-scprof", "scprof's own part"], ["l-rest", "rarer, or outside"]]
		.map(([kind, words]) => element("span", { class: "key" }, element("i", { class: `swatch ${kind}` }), words))));
	append(section, [firstCalls()]);
	const parts = loopParts(), shown = parts.filter((part) => !part.negligible), rest = parts.filter((part) => part.negligible);
	section.append(...shown.map(loopPart));
	if (rest.length)
		section.append(element("details", { class: "loops-rest" }, element("summary", {},
			`${count(rest.length)} more, ${rest.length === 1 ? "" : "each "}less than 1 % of its thread's time`), rest.map(loopPart)));
	if (doc.loops_of > doc.loops.length)
		section.append(element("p", { class: "note" }, `The first ${doc.loops.length} of ${count(doc.loops_of)}; --by gap has all.`));
}
