// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graph: callers above, what they call below, width by estimated time. Drawn on a canvas
// no larger than its window; a frame walks only boxes that are wide enough to see, so its cost
// depends on the window, not on the profile.

const flame = {
	canvas: byId("flame-canvas"),
	view: byId("flame-view"),
	size: byId("flame-size"),
	zoomed: workBox,
	skip: workBox ? 1 : 0, // rows that are not drawn: everything, while half of it is shown
	from: tree.x[workBox], // ns, the part of the whole that is shown; moves while zooming
	to: tree.x[workBox] + (tree.width[workBox] || 1),
	hover: -1,
	selected: -1,
	matched: null, // of each box, 1 where the search found it; null: nothing is searched
	callers: null, // of each box, 1 where it found something below
	certainty: false,
	colours: null,
	width: 0,
	height: 0,
};

const CERTAINTY = [[0.01, "±1 % or less"], [0.05, "to ±5 %"], [0.2, "to ±20 %"], [Infinity, "wider"]];

function certaintyOf(box) {
	const u = uncertainty(boxNumber(box, "below"), boxNumber(box, "above"));
	return u === null ? CERTAINTY.length : CERTAINTY.findIndex(([most]) => u <= most);
}

function readColours() {
	const ctx = flame.canvas.getContext("2d");
	const pair = (name) => ({ fill: css(`--${name}`), ink: css(`--${name}-ink`) });
	const unsure = { fill: hatch(ctx, css("--surface"), css("--line-strong")), ink: css("--ink") };
	flame.colours = {
		waits: { fill: css("--t-asleep"), ink: css("--t-asleep-ink") },
		kinds: ["f-top", "f-program", "f-library", "f-inlined", "f-unknown", "f-call", "f-top", "f-top"].map(pair),
		other: pair("f-other"),
		certainty: [...["c-1", "c-2", "c-3", "c-4"].map(pair), unsure],
		rest: hatch(ctx, css("--raised"), css("--line")),
		ink: css("--ink"),
		dimmed: css("--dimmed-ink"),
		accent: css("--accent"),
		match: css("--match"),
		surface: css("--surface"),
	};
}

function colourOf(box) {
	const c = flame.colours;
	if (flame.certainty)
		return c.certainty[certaintyOf(box)];
	if (boxWaits(box) && boxKind(box) === KIND.call)
		return c.waits;
	return labels.get(tree.label[box], "outcome") >= 0 ? c.other : c.kinds[boxKind(box)];
}

// `paper`: a width and a resolution for it, instead of the window's.
function resizeFlame(paper) {
	flame.width = paper || flame.view.clientWidth;
	flame.size.style.height = `${flameDepth() * FLAME_ROW}px`;
	flame.height = Math.min(flameDepth() * FLAME_ROW, paper ? 1400 : flame.view.clientHeight || Infinity);
	Object.assign(flame, sizeCanvas(flame.canvas, flame.width, flame.height, paper ? 3 : window.devicePixelRatio || 1));
}

function walkFlame(from, to, deepest, visit, rest) {
	walkBoxes({ tree, from, to, pixels: flame.width }, deepest, visit, rest);
}

// Rows that the zoomed part needs.
function flameDepth() {
	const { x, width } = tree;
	let deepest = 0;
	const box = flame.zoomed;
	walkFlame(x[box], x[box] + (width[box] || 1), Infinity, (i) => { deepest = Math.max(deepest, tree.depth[i]); }, () => {});
	return deepest + 1 - flame.skip;
}

const flameTop = (box) => (tree.depth[box] - flame.skip) * FLAME_ROW;

function drawLabel(box, left, top, width, ink) {
	const outcome = boxOutcome(box), part = share(boxShare(box)), total = duration(tree.width[box]);
	drawWords(flame, left, top, width, outcome ? `${boxName(box)} · ${outcome}` : boxName(box),
		ink ? [box ? `${total} ${part.padStart(7)}` : total, part] : [], ink || flame.colours.dimmed);
}

function drawBox(ctx, box, left, top, width) {
	const colour = colourOf(box);
	const dim = flame.matched && !flame.matched[box] && !flame.callers[box];
	const w = Math.max(width - (width > 3 ? 1 : 0), 0.3);
	ctx.globalAlpha = dim ? 0.28 : 1;
	ctx.fillStyle = colour.fill;
	ctx.fillRect(left, top, w, FLAME_ROW - 1);
	ctx.globalAlpha = 1;
	if (width > 28)
		drawLabel(box, left, top, w, dim ? null : colour.ink);
	ctx.globalAlpha = 1;
	if (flame.matched && flame.matched[box]) {
		ctx.fillStyle = flame.colours.match;
		ctx.fillRect(left, top, w, 3);
	}
	if (box === flame.hover || box === flame.selected) {
		ctx.strokeStyle = box === flame.selected ? flame.colours.ink : flame.colours.accent;
		ctx.lineWidth = 2;
		ctx.strokeRect(left + 1, top + 1, Math.max(w - 2, 1), FLAME_ROW - 3);
	}
}

function drawFlame() {
	const ctx = flame.ctx, scroll = flame.view.scrollTop;
	const deepest = Math.ceil((scroll + flame.height) / FLAME_ROW) + flame.skip;
	ctx.clearRect(0, 0, flame.width, flame.height);
	walkFlame(flame.from, flame.to, deepest, (box, left, width) => {
		const top = flameTop(box) - scroll;
		if (top > -FLAME_ROW)
			drawBox(ctx, box, left, top, width);
	}, (depth, left, width) => {
		ctx.fillStyle = flame.colours.rest;
		ctx.fillRect(left, (depth - flame.skip) * FLAME_ROW - scroll, width, FLAME_ROW - 1);
	});
}

let flameWaiting = false;
function redrawFlame() {
	if (flameWaiting)
		return;
	flameWaiting = true;
	requestAnimationFrame(() => {
		flameWaiting = false;
		drawFlame();
	});
}

// Moves the shown part to that of a box, in a fifth of a second; `then` is called when it is there.
function zoomTo(box, then) {
	if (hasComputing && !(tree.width[box] > 0))
		layWidths("both"); // where every box has its place
	const from = flame.from, to = flame.to, began = performance.now();
	const left = tree.x[box], right = left + (tree.width[box] || 1);
	flame.zoomed = box;
	flame.skip = box && waitBox ? 1 : 0;
	showCrumbs();
	showHalf();
	const step = (now) => {
		if (flame.zoomed !== box)
			return;
		const t = calm.matches ? 1 : clamp((now - began) / 200, 0, 1), ease = 1 - (1 - t) ** 3;
		flame.from = t < 1 ? from + (left - from) * ease : left;
		flame.to = t < 1 ? to + (right - to) * ease : right;
		if (t >= 1)
			resizeFlame();
		drawFlame();
		if (t < 1)
			requestAnimationFrame(step);
		else if (then)
			then();
	};
	requestAnimationFrame(step);
}

// The box at a place of the canvas; -1: none.
function boxAt(px, py) {
	const depth = Math.floor((py + flame.view.scrollTop) / FLAME_ROW) + flame.skip;
	return boxBelow({ tree, from: flame.from, to: flame.to, pixels: flame.width }, depth, px);
}
