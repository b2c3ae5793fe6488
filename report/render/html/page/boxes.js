// SPDX-License-Identifier: GPL-3.0-or-later
// What flame graphs share: they are drawn on canvases no larger than their windows, and a frame walks only
// boxes that are wide enough to see. A tree has boxes in preorder: depth, parent, next (the first box
// that is not below), x and width, and whether siblings come longest first.

const FLAME_ROW = 23;
const FLAME_LEAST = 0.4; // px; narrower boxes are drawn together, hatched
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

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

function fit(words, chars) {
	return words.length <= chars ? words : `${words.slice(0, Math.max(chars - 1, 0))}…`;
}

// A canvas for `width` x `height` px, and the width of its letters.
function sizeCanvas(canvas, width, height, ratio) {
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.height = `${height}px`;
	const ctx = canvas.getContext("2d");
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.font = `12px ${css("--mono")}`;
	ctx.textBaseline = "middle";
	ctx.direction = "ltr";
	return { ctx, charWidth: ctx.measureText("0".repeat(20)).width / 20 };
}

// A box's name, and at its right edge the first of `numbers` that has room. On what sizeCanvas gave.
function drawWords({ ctx, charWidth }, left, top, width, name, numbers, ink) {
	const room = Math.floor((width - 10) / charWidth);
	if (room < 3)
		return;
	const words = fit(name, room), y = top + FLAME_ROW / 2;
	ctx.fillStyle = ink;
	ctx.fillText(words, left + 6, y);
	const said = numbers.find((s) => room - words.length >= s.length + 3);
	if (!said)
		return;
	ctx.globalAlpha = 0.9;
	ctx.fillText(said, left + width - 7 - said.length * charWidth, y);
	ctx.globalAlpha = 1;
}

// `of`: { tree, from, to, pixels }, the part that is shown. Calls visit(box, left, width) for each visible
// box, in preorder, and rest(depth, left, width) for children too narrow to distinguish.
function walkBoxes(of, deepest, visit, rest) {
	const { x, width, depth, next, parent, n, longestFirst } = of.tree;
	const { from, to } = of, scale = of.pixels / (to - from);
	for (let i = 0; i < n;) {
		if (depth[i] > deepest || x[i] >= to || x[i] + width[i] <= from) {
			i = next[i];
			continue;
		}
		const left = (Math.max(x[i], from) - from) * scale;
		if (width[i] * scale < FLAME_LEAST && i) {
			const all = parent[i], after = next[all];
			let last = i;
			while (!longestFirst && next[last] < after && width[next[last]] * scale < FLAME_LEAST)
				last = next[last];
			const end = longestFirst ? x[all] + width[all] : x[last] + width[last];
			rest(depth[i], left, (Math.min(end, to) - from) * scale - left);
			i = longestFirst ? after : next[last];
			continue;
		}
		visit(i, left, (Math.min(x[i] + width[i], to) - from) * scale - left);
		i++;
	}
}

// The box at a depth and a place; -1: none.
function boxBelow({ tree, from, to, pixels }, depth, px) {
	const place = from + (px / pixels) * (to - from);
	let at = 0;
	if (place >= tree.x[0] + tree.width[0])
		return -1;
	while (tree.depth[at] < depth) {
		let child = at + 1;
		while (child < tree.next[at] && tree.x[child] + tree.width[child] <= place)
			child = tree.next[child];
		if (child >= tree.next[at] || tree.x[child] > place)
			return -1;
		at = child;
	}
	const wide = (tree.width[at] / (to - from)) * pixels >= FLAME_LEAST;
	return wide || at === 0 ? at : -1;
}

// The box that an arrow key leads to; -1: there is none.
function neighbour(tree, box, key) {
	const above = tree.parent[box];
	switch (key) {
	case "ArrowUp":
		return above;
	case "ArrowDown":
		return box + 1 < tree.next[box] ? box + 1 : -1;
	case "ArrowRight":
		return above >= 0 && tree.next[box] < tree.next[above] ? tree.next[box] : -1;
	default: {
		let before = -1;
		for (let at = above + 1; above >= 0 && at < box; at = tree.next[at])
			before = at;
		return before;
	}
	}
}

// Beside the pointer, within the flame graph's width, and never on the panel.
function placeTip(tip, x, y, around, panel) {
	tip.style.maxWidth = `${around.width}px`;
	const room = tip.getBoundingClientRect();
	const left = clamp(x + 14, around.left, Math.max(around.right - room.width, around.left));
	const beside = panel.left >= around.right || panel.height === 0;
	const end = beside ? window.innerHeight : Math.min(window.innerHeight, panel.top);
	tip.style.left = `${left}px`;
	tip.style.top = `${y + 18 + room.height > end ? y - room.height - 12 : y + 18}px`;
}
