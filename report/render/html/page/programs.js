// SPDX-License-Identifier: GPL-3.0-or-later
// The list of programs, what was asked for first, and a way to see one of them alone: its rows in
// the table, its boxes in the flame graph.

const ofProgram = (row, program) => sites.get(row, "program") === program;

// Boxes of that program's rows, and with `callers` all that lead there.
function findProgramBoxes(program, callers) {
	const found = new Uint8Array(tree.n);
	for (let i = tree.n - 1; i > 0; i--) {
		const row = boxes.get(i, "row");
		if (row >= 0 && ofProgram(row, program))
			found[i] = 1;
		if (callers && found[i])
			found[tree.parent[i]] = 1;
	}
	return found;
}

function onlyProgram(program) {
	const chip = byId("only-program");
	search.program = program;
	chip.hidden = program < 0;
	if (program >= 0)
		replace(chip, "only ", nameOf(fit(text(programs.get(program, "name")), 40)), " ×");
	searchFor(search.words);
	speak(program < 0 ? "all programs" : `only ${text(programs.get(program, "name"))}`);
}

function programName(get, program) {
	const name = nameOf(text(get("name"))), path = text(get("exe"));
	const one = button(name, () => {
		onlyProgram(program);
		byId("rows").scrollIntoView();
	});
	one.className = "link";
	one.title = "show only this program";
	return [programs && get("rows") > 0 ? one : name, element("span", { class: "caller" }, nameOf(path, "path"))];
}

function showPrograms() {
	if (doc.programs.of < 2)
		return;
	let program = 0;
	sectionTable("programs", doc.programs, [
		["Program", "", (get) => programName(get, program++)],
		["Processes", "number", (get) => count(get("processes"))],
		["Wall time", "number", (get) => duration(get("wall"))],
		["CPU time", "number", (get) => duration(get("cpu"))],
		["Threads", "number", (get) => count(get("threads"))],
		["Calls", "number", (get) => count(get("calls"))],
		["In calls", "number", (get) => duration(get("time"))],
		["Of it waiting", "number", (get) => duration(get("waiting"))],
	]);
	if (programs)
		byId("only-program").addEventListener("click", () => onlyProgram(-1));
}
