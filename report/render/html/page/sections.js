// SPDX-License-Identifier: GPL-3.0-or-later
// The smaller tables: gaps, what was computed, threads, processes.

// Why a mean here differs from that of the call site above; empty where no warm-up was excluded.
function firstCalls() {
	return doc.warnings.some(([code]) => code === "warm-up")
		? element("p", { class: "note first-calls" }, "Means here include the first calls (warm-up); the call sites above exclude them.") : "";
}

// In a narrow window on two lines, broken only before the interval.
const meanCell = (p) => [element("span", { class: "whole" }, `${p.mean} ${p.unit}`.trim()), p.interval ? " " : "", element("span", { class: "whole" }, p.interval)];

function gapEnd(row, name) {
	if (row < 0)
		return nameOf(name);
	const b = element("button", { type: "button", class: "link" }, nameOf(name));
	b.addEventListener("click", () => showInTable(row));
	return [b, element("span", { class: "caller" }, nameOf(callerOf(row), "path"))];
}

function showGaps() {
	const gaps = new Flat(doc.gaps.rows, doc.gaps.fields);
	const scale = whiskerScale(gaps.rows, (gap) => [gaps.get(gap, "below"), gaps.get(gap, "above")]);
	sectionTable("gaps", doc.gaps, [
		["From the end of", "", (get) => gapEnd(get("from"), text(get("from_name")))],
		["to the start of", "", (get) => gapEnd(get("to"), text(get("to_name")))],
		["Times", "number", (get) => count(get("calls"))],
		["Mean", "number mean", (get) => meanCell(meanParts(get("mean"), get("low"), get("high")))],
		[["Interval, relative", whiskerAxis(scale, 134)], "", (get) => whisker(scale, get("below"), get("above"), 134, 22)],
		["Longest", "number", (get) => duration(get("max"))],
		["Total", "number", (get) => duration(get("total"))],
		["Share of the threads' time", "number", (get) => share(get("share"))],
	]);
}

const percent = (part) => (100 * part).toFixed(1);

// What was computed between the calls, and what led there.
function showComputing() {
	const of = doc.computing;
	if (!of)
		return;
	append(byId("computing"), [element("p", { class: "reading" }, of.title, of.recording ? `; ${of.recording}` : "")]);
	const cell = (get) => {
		const own = get("path"), caller = own >= 0 ? lineAbove(own) : -1, name = nameOf(text(get("function")));
		name.title = text(get("module"));
		return [name, caller >= 0 ? element("span", { class: "caller" }, nameOf(text(lines.get(caller, "text")), "path")) : ""];
	};
	sectionTable("computing", of, [
		["Function", "", cell],
		["Share of it", "number", (get) => share(get("share"))],
		["Interval, %", "number", (get) => `${percent(get("low"))} to ${percent(get("high"))}`],
		["CPU time", "number", (get) => duration(get("cpu"))],
		["Samples", "number", (get) => count(get("samples"))],
	]);
}

function showThreads() {
	sectionTable("threads", doc.threads, [
		["Thread", "", (get) => nameOf(text(get("name")))],
		["Process id", "number", (get) => String(get("pid"))],
		["Thread id", "number", (get) => String(get("tid"))],
		["Threads", "number", (get) => count(get("served"))],
		["Time", "number", (get) => duration(get("time"))],
		["In calls", "number", (get) => duration(get("in_calls"))],
		["Of it waiting", "number", (get) => duration(get("waiting"))],
		["Between", "number", (get) => duration(get("between"))],
		["Nested", "number", (get) => duration(get("nested"))],
		["Recording", "number", (get) => duration(get("recording"))],
		["Left over", "number", (get) => duration(get("left_over"))],
		["Calls", "number", (get) => count(get("calls"))],
	]);
}

function showProcesses() {
	sectionTable("processes", doc.processes, [
		["Process id", "number", (get) => String(get("pid"))],
		["Program", "", (get) => nameOf(text(get("program")))],
		["Processes", "number", (get) => count(get("processes"))],
		["Wall time", "number", (get) => duration(get("wall"))],
		["Ended", "", (get) => text(get("ended"))],
		["Threads", "number", (get) => count(get("threads"))],
		["Calls", "number", (get) => count(get("calls"))],
		["In calls", "number", (get) => duration(get("time"))],
	]);
}

function showSections() {
	showComputing();
	showPrograms();
	showLoops();
	showDisplaced();
	showGaps();
	showThreads();
	showProcesses();
	replace(byId("sections"), [...document.querySelectorAll("main section[aria-labelledby]")].filter((s) => !s.hidden && (sites.rows || !s.closest(".work") || (hasComputing && s.id === "flame")))
		.map((s) => element("a", { href: `#${s.id}` }, byId(s.getAttribute("aria-labelledby")).textContent)));
}
