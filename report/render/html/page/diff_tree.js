// SPDX-License-Identifier: GPL-3.0-or-later
// One tree of callers for both sides: the same boxes in the same order, so that each has its
// counterpart, with the time of BASE and of NEW. The ends are sites. Of an average run, or of a unit.

const boxes = new Flat(doc.boxes, doc.box_fields);
const labels = new Flat(doc.labels, doc.label_fields);
const runs = new Flat(doc.runs, doc.run_fields);
const SIDES = ["base", "new"];

// By what the model says: mark, class, words.
const VERDICTS = [["▲", "v-slower", "slower"], ["▼", "v-faster", "faster"], ["−", "v-gone", "gone"], ["+", "v-new", "new"],
	["=", "v-same", "no change seen"], ["?", "v-unknown", "cannot tell"]];
const OF_STATUS = [0, 1, 4, 5, 2, 3];
const UNKNOWN = 5, CALLER = -1;
const GONE = 4, CAME = 5; // statuses
const isOneSided = (row) => sites.get(row, "status") >= GONE;
// A rare site on one side only is no finding.
const verdictOf = (row) => (isOneSided(row) && !sites.get(row, "counts") ? UNKNOWN : OF_STATUS[sites.get(row, "status")]);

const siteName = (row) => text(sites.get(row, "function"));
const siteLibrary = (row) => text(sites.get(row, "library"));
const siteOutcome = (row) => text(sites.get(row, "outcome"));
const units = doc.units.map((n) => n || 1);
const siteTime = (row, side) => Math.max(sites.get(row, `${SIDES[side]}_total`) || 0, 0) / units[side];
const EACH = doc.per ? ` for each ${doc.per}` : "";
const halfOfSite = (row) => (sites.get(row, "waits") ? 2 : 1);
const HALVES = ["All", "Work", "Waiting"];

// Numbers of nodes: 0 everything, then callers, then sites.
const FIRST_SITE = 1 + boxes.rows;
const callerNode = (caller) => caller + 1; // -1: everything

function parentsOfNodes() {
	const parent = new Int32Array(FIRST_SITE + sites.rows).fill(-1);
	for (let i = 0; i < boxes.rows; i++)
		parent[1 + i] = boxes.get(i, "back") ? 1 + i - boxes.get(i, "back") : 0;
	for (let row = 0; row < sites.rows; row++)
		parent[FIRST_SITE + row] = callerNode(sites.get(row, "caller"));
	return parent;
}
const nodeParent = parentsOfNodes();

// Time of each node on a side, of the sites of a half (0: all).
function timesOf(side, half) {
	const time = new Float64Array(nodeParent.length);
	for (let row = 0; row < sites.rows; row++)
		if (!half || halfOfSite(row) === half)
			time[FIRST_SITE + row] = siteTime(row, side);
	for (let node = time.length - 1; node > 0; node--)
		time[nodeParent[node]] += time[node];
	return time;
}

// Children of each node that have time on either side, longest first.
function childrenOf(times) {
	const children = new Map(), size = (node) => Math.max(times[0][node], times[1][node]);
	for (let node = 1; node < nodeParent.length; node++)
		if (size(node) > 0) {
			if (!children.has(nodeParent[node]))
				children.set(nodeParent[node], []);
			children.get(nodeParent[node]).push(node);
		}
	for (const some of children.values())
		some.sort((a, b) => size(b) - size(a) || a - b);
	return children;
}

// Callers that only call one another are one box: they end where paths part, or in a site.
// { trees: [base's, new's], first, node: the first and the last node of each box, boxOf: of each node,
// -1: none }, as boxes.js has trees.
function treesOf(half) {
	const times = SIDES.map((_, side) => timesOf(side, half)), children = childrenOf(times);
	const first = [], node = [], depth = [], parent = [], open = [[0, 0, -1]], boxOf = new Int32Array(nodeParent.length).fill(-1);
	while (open.length) {
		const [from, deep, above] = open.pop(), box = node.length;
		let at = from;
		const onlyCaller = () => at && children.has(at) && children.get(at).length === 1 && children.get(at)[0] < FIRST_SITE;
		for (boxOf[at] = box; onlyCaller(); boxOf[at] = box)
			at = children.get(at)[0];
		first.push(from);
		node.push(at);
		depth.push(deep);
		parent.push(above);
		for (const child of [...(children.get(at) || [])].reverse())
			open.push([child, deep + 1, box]);
	}
	const n = node.length, next = new Int32Array(n).fill(n), inside = [];
	for (let box = 0; box < n; box++) {
		while (inside.length > depth[box])
			next[inside.pop()] = box;
		inside.push(box);
	}
	return { n, first, node, depth, parent, next, boxOf, trees: times.map((time) => placed({ n, node, depth, parent, next, longestFirst: false }, time)) };
}

function placed(shape, time) {
	const x = new Float64Array(shape.n), width = Float64Array.from(shape.node, (node) => time[node]), used = new Float64Array(shape.n);
	for (let box = 1; box < shape.n; box++) {
		const above = shape.parent[box];
		x[box] = x[above] + used[above];
		used[above] += width[box];
	}
	return { ...shape, x, width };
}

const boxSite = (box) => (graph.node[box] >= FIRST_SITE ? graph.node[box] - FIRST_SITE : -1);
const nodeLabel = (node, field) => text(labels.get(boxes.get(node - 1, "label"), field));
const boxModule = (box) => (boxSite(box) >= 0 ? siteLibrary(boxSite(box)) : box ? nodeLabel(graph.node[box], "module") : "");
const withOutcome = (row) => siteName(row) + (siteOutcome(row) ? ` · ${siteOutcome(row)}` : "");

// The callers of a box, innermost first.
function boxCallers(box) {
	const names = [];
	for (let node = graph.node[box]; boxSite(box) < 0 && node > 0 && node >= graph.first[box]; node = nodeParent[node])
		names.push(nodeLabel(node, "name"));
	return names;
}

function boxName(box) {
	if (boxSite(box) >= 0)
		return withOutcome(boxSite(box));
	const names = boxCallers(box), n = names.length;
	return n ? `${n > 1 ? `${names[n - 1]} › ${n > 2 ? "… › " : ""}` : ""}${names[0]}` : "all timed calls";
}

// Of all sites below a box: their verdict, if they share one.
function sharedVerdicts() {
	const shared = new Int8Array(graph.n).fill(-2);
	for (let box = graph.n - 1; box >= 0; box--) {
		if (boxSite(box) >= 0)
			shared[box] = verdictOf(boxSite(box));
		const above = graph.parent[box];
		if (above >= 0)
			shared[above] = shared[above] === -2 || shared[above] === shared[box] ? shared[box] : CALLER;
	}
	return shared;
}

let graph = treesOf(0);
