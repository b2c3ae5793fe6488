// SPDX-License-Identifier: GPL-3.0-or-later
// The report's data, as report/render/html/html*.c wrote it. No estimate is computed here, only positions.
const functions = new Flat(doc.functions, doc.function_fields);
const labels = new Flat(doc.labels, doc.label_fields);
const boxes = new Flat(doc.boxes, doc.box_fields);
const sums = new Flat(doc.sums, doc.sum_fields);
const latencies = new Map(doc.latencies.map((values) => [values[0],
	Object.fromEntries(doc.latency_fields.map((name, i) => [name, values[i]]))]));
const notes = new Map(doc.notes.map(([row, doubts, findings]) => [row, { doubts, findings }]));

const KIND = { top: 0, program: 1, library: 2, inlined: 3, unknown: 4, call: 5, work: 6, waiting: 7 };
const KIND_WORDS = ["everything", "program", "library", "inlined", "no name known", "timed call", "what works", "what waits"];

// Boxes, unpacked once: they are walked at every frame. `next` is the first box that is not below.
const tree = (() => {
	const n = boxes.rows;
	const t = {
		n,
		longestFirst: true,
		what: "both", // of calls and computing, that widths are of
		depth: new Uint16Array(n),
		label: new Int32Array(n),
		parent: new Int32Array(n),
		next: new Int32Array(n),
		x: new Float64Array(n), // in ns from the left of everything
		width: new Float64Array(n),
		calls: new Float64Array(n), // ns, in calls, and of CPU time that was computed
		computing: new Float64Array(n),
	};
	const open = []; // the box at each depth that contains the current one
	for (let i = 0; i < n; i++) {
		const depth = boxes.get(i, "depth");
		const row = boxes.get(i, "row");
		while (open.length > depth)
			t.next[open.pop()] = i;
		t.depth[i] = depth;
		t.label[i] = boxes.get(i, "label");
		t.parent[i] = depth ? open[depth - 1] : -1;
		t.calls[i] = row >= 0 ? Math.max(sites.get(row, "total"), 0) : sums.get(-1 - row, "value");
		open.push(i);
	}
	while (open.length)
		t.next[open.pop()] = n;
	for (let i = 0; i < doc.box_computing.length; i += 2)
		t.computing[doc.box_computing[i]] = doc.box_computing[i + 1];
	return t;
})();
const hasComputing = tree.n > 0 && tree.computing[0] > 0;

// Boxes as wide as `what`: "calls", "computing" or "both". Siblings come in the order of both.
function layBoxes(what) {
	const used = new Float64Array(tree.n); // how far a box's children reach
	tree.what = what;
	tree.longestFirst = !hasComputing || what === "both";
	for (let i = 0; i < tree.n; i++) {
		const above = tree.parent[i];
		tree.width[i] = (what === "computing" ? 0 : tree.calls[i]) + (what === "calls" ? 0 : tree.computing[i]);
		tree.x[i] = used[i] = i ? used[above] : 0;
		if (i)
			used[above] += tree.width[i];
	}
}
layBoxes("both");

const siteName = (row) => text(functions.get(sites.get(row, "function"), "name"));
const siteLibrary = (row) => text(functions.get(sites.get(row, "function"), "library"));

const boxKind = (box) => labels.get(tree.label[box], "kind");
const boxModule = (box) => text(labels.get(tree.label[box], "module"));
const boxOutcome = (box) => text(labels.get(tree.label[box], "outcome"));

// The numbers of a box: a row's where it holds one row, else its own.
function boxNumber(box, field) {
	const row = boxes.get(box, "row");
	return row >= 0 ? sites.get(row, field) : sums.get(-1 - row, field);
}

function boxRows(box) {
	const row = boxes.get(box, "row");
	return row >= 0 ? 1 : sums.get(-1 - row, "rows");
}

const HALVES = { [KIND.work]: "work", [KIND.waiting]: "waiting" };
const boxName = (box) => (box === 0 ? (hasComputing ? "all timed calls, and computing" : "all timed calls") : HALVES[boxKind(box)] || text(labels.get(tree.label[box], "name")));

// Work is shown first, where what waits has a tree of its own. 0: there is no such box.
const halfOf = (kind) => [1, tree.next[1]].find((box) => box < tree.n && boxKind(box) === kind) || 0;
const workBox = halfOf(KIND.work), waitBox = halfOf(KIND.waiting);
const boxWaits = (box) => waitBox > 0 && box >= waitBox && box < tree.next[waitBox];

// The program of a row where the report has several; "": of none, or there is one.
const programs = doc.programs && doc.programs.of > 1 && sites.has("program") ? new Flat(doc.programs.rows, doc.programs.fields) : null;
const programOf = (row) => (programs && sites.get(row, "program") >= 0 ? text(programs.get(sites.get(row, "program"), "name")) : "");

const isWaiting = (row) => sites.get(row, "waits") === 1;
const OF_THREADS = "of the threads' time";
// Of the threads' time; of what was computed where only that is shown. Samples are of whole processes, which may have
// computed for longer than their threads were recorded: then all that is shown is the whole.
const wholeTime = () => (tree.what === "computing" ? tree.width[0] : Math.max(doc.time.threads, tree.width[0]));
const boxShare = (box) => (tree.what === "calls" || !hasComputing ? boxNumber(box, "share") : tree.width[box] / wholeTime());
const ofWhole = () => (tree.what === "computing" ? "of the CPU time outside of calls" : tree.what === "both" && tree.width[0] > doc.time.threads && hasComputing ? "of all shown" : OF_THREADS);
const shareOfBox = (box) => `${share(boxShare(box))} ${ofWhole()}`;
// All of its calls are inside those of other rows: its time is theirs, too.
const isInside = (row) => sites.get(row, "nested") > 0 && sites.get(row, "nested") === sites.get(row, "calls");
const shareText = (row) => (isInside(row) ? "inside " : "") + (isWaiting(row) ? "waits " : "") + share(sites.get(row, "share"));

