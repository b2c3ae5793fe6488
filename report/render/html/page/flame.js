// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graph: callers above, what they call below, width by estimated time. Drawn on a canvas
// no larger than its window; a frame walks only boxes that are wide enough to see, so its cost
// depends on the window, not on the profile.

const FLAME_ROW = 23;
const FLAME_LEAST = 0.4; // px; narrower boxes are drawn together, hatched
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

function hatch(ctx, ground, ink) {
	const tile = document.createElement("canvas");
	tile.width = tile.height = 6;
	const c = tile.getContext("2d");
	c.fillStyle = ground;
	c.fillRect(0, 0, 6, 6);
	c.strokeStyle = ink;
	c.beginPath();
	for (const x of [-6, 0, 6]) {
		c.moveTo(x, 6);
		c.lineTo(x + 6, 0);
	}
	c.stroke();
	return ctx.createPattern(tile, "repeat");
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
	const ratio = paper ? 3 : window.devicePixelRatio || 1;
	flame.width = paper || flame.view.clientWidth;
	flame.size.style.height = `${flameDepth() * FLAME_ROW}px`;
	flame.height = Math.min(flameDepth() * FLAME_ROW, paper ? 1400 : flame.view.clientHeight || Infinity);
	flame.canvas.width = Math.round(flame.width * ratio);
	flame.canvas.height = Math.round(flame.height * ratio);
	flame.canvas.style.height = `${flame.height}px`;
	flame.ctx = flame.canvas.getContext("2d");
	flame.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	flame.ctx.font = `12px ${css("--mono")}`;
	flame.ctx.textBaseline = "middle";
	flame.ctx.direction = "ltr";
	flame.charWidth = flame.ctx.measureText("0".repeat(20)).width / 20;
}

// Calls visit(box, left, width) for each visible box, in preorder, and rest(depth, left, width) for
// children too narrow to distinguish. Siblings come longest first: after one such, all are.
function walkFlame(from, to, deepest, visit, rest) {
	const { x, width, depth, next, parent, n } = tree;
	const scale = flame.width / (to - from);
	for (let i = 0; i < n;) {
		if (depth[i] > deepest || x[i] >= to || x[i] + width[i] <= from) {
			i = next[i];
			continue;
		}
		const left = (Math.max(x[i], from) - from) * scale;
		const w = (Math.min(x[i] + width[i], to) - from) * scale - left;
		if (width[i] * scale < FLAME_LEAST && i) {
			const all = parent[i];
			rest(depth[i], left, (Math.min(x[all] + width[all], to) - from) * scale - left);
			i = next[all];
			continue;
		}
		visit(i, left, w);
		i++;
	}
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

function fit(words, chars) {
	return words.length <= chars ? words : `${words.slice(0, Math.max(chars - 1, 0))}…`;
}

// `ink`: null for a dimmed box, which has its name only.
function drawLabel(ctx, box, left, top, width, ink) {
	const room = Math.floor((width - 10) / flame.charWidth);
	if (room < 3)
		return;
	const outcome = boxOutcome(box);
	const words = fit(outcome ? `${boxName(box)} · ${outcome}` : boxName(box), room);
	const y = top + FLAME_ROW / 2;
	ctx.fillStyle = ink || flame.colours.dimmed;
	ctx.fillText(words, left + 6, y);
	if (!ink)
		return;
	const part = share(boxNumber(box, "share")), total = duration(tree.width[box]);
	const said = [box ? `${total} ${part.padStart(7)}` : total, part].find((s) => room - words.length >= s.length + 3);
	if (!said)
		return;
	ctx.globalAlpha = 0.9;
	ctx.fillText(said, left + width - 7 - said.length * flame.charWidth, y);
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
		drawLabel(ctx, box, left, top, w, dim ? null : colour.ink);
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

const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

// Moves the shown part to that of a box, in a fifth of a second; `then` is called when it is there.
function zoomTo(box, then) {
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
	const ns = flame.from + (px / flame.width) * (flame.to - flame.from);
	let at = 0;
	while (tree.depth[at] < depth) {
		let child = at + 1;
		while (child < tree.next[at] && tree.x[child] + tree.width[child] <= ns)
			child = tree.next[child];
		if (child >= tree.next[at] || tree.x[child] > ns)
			return -1;
		at = child;
	}
	const wide = (tree.width[at] / (flame.to - flame.from)) * flame.width >= FLAME_LEAST;
	return wide || at === 0 ? at : -1;
}
