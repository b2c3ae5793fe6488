// SPDX-License-Identifier: GPL-3.0-or-later
// Two flame graphs of the same boxes: BASE's on the left, NEW's on the right, to one scale. Boxes are
// coloured by verdict; what is pointed at or selected is so on both sides.

const pair = { half: 0, zoomed: 0, hover: -1, selected: -1, colours: null, shared: null, sides: [], depth: 1, paper: false };
const PAPER_SIDE = 500;
const ofBox = (box, side) => graph.trees[side].width[box];

// A function and not a constant: what is shown changes.
const runWords = (side) => {
	const n = side ? doc.profiles.length - doc.bases : doc.bases;
	return `${count(n)} run${n === 1 ? "" : "s"}`;
};

function readColours() {
	const ctx = pair.sides[0].canvas.getContext("2d");
	const of = (name) => ({ fill: css(`--${name}`), ink: css(`--${name}-ink`) });
	pair.colours = {
		verdicts: [...VERDICTS.slice(0, UNKNOWN).map(([, name]) => of(name)),
			{ fill: hatch(ctx, css("--surface"), css("--line")), ink: css("--v-unknown-ink") }],
		caller: of("f-top"),
		rest: hatch(ctx, css("--raised"), css("--line")),
		ink: css("--ink"),
		accent: css("--accent"),
	};
}

// What a box is coloured by: callers, too, where all below them is gone, or new.
function boxVerdict(box) {
	const shared = pair.shared[box];
	return boxSite(box) >= 0 || (shared >= 0 && /gone|new/.test(VERDICTS[shared][1])) ? shared : CALLER;
}

// The part of a side that is shown: both have the scale of the larger.
function shown(side) {
	const tree = graph.trees[side], box = pair.zoomed, width = tree.width[box];
	const span = Math.max(ofBox(box, 0), ofBox(box, 1)) || 1;
	return { tree, from: tree.x[box], to: tree.x[box] + width, pixels: pair.sides[side].width * (width / span) };
}

function pairDepth() {
	let deepest = 0;
	for (let side = 0; side < 2; side++) {
		const of = shown(side);
		if (of.to > of.from)
			walkBoxes(of, Infinity, (box) => { deepest = Math.max(deepest, graph.depth[box]); }, (depth) => { deepest = Math.max(deepest, depth); });
	}
	return deepest + 1;
}

function resizePair() {
	for (const s of pair.sides)
		s.width = pair.paper ? PAPER_SIDE : s.view.clientWidth;
	const height = pairDepth() * FLAME_ROW;
	for (const s of pair.sides)
		s.size.style.height = `${height}px`;
	for (const s of pair.sides) {
		s.height = Math.min(height, pair.paper ? 1400 : s.view.clientHeight || Infinity);
		Object.assign(s, sizeCanvas(s.canvas, s.width, s.height, pair.paper ? 3 : window.devicePixelRatio || 1));
	}
}

function drawPairBox(side, box, left, top, width) {
	const s = pair.sides[side], ctx = s.ctx, verdict = boxVerdict(box), c = pair.colours;
	const colour = verdict === CALLER ? c.caller : c.verdicts[verdict];
	const w = Math.max(width - (width > 3 ? 1 : 0), 0.3);
	ctx.fillStyle = colour.fill;
	ctx.fillRect(left, top, w, FLAME_ROW - 1);
	if (width > 28) {
		const total = duration(ofBox(box, side)), part = share(ofBox(box, side) / (ofBox(0, side) || 1));
		drawWords(s, left, top, w, verdict === CALLER || boxSite(box) < 0 ? boxName(box) : `${VERDICTS[verdict][0]} ${boxName(box)}`,
			[box ? `${total} ${part.padStart(7)}` : total, total], colour.ink);
	}
	if (box === pair.hover || box === pair.selected) {
		ctx.strokeStyle = box === pair.selected ? c.ink : c.accent;
		ctx.lineWidth = 2;
		ctx.strokeRect(left + 1, top + 1, Math.max(w - 2, 1), FLAME_ROW - 3);
	}
}

function drawSide(side) {
	const s = pair.sides[side], of = shown(side), scroll = s.view.scrollTop;
	s.ctx.clearRect(0, 0, s.width, s.height);
	if (!(of.to > of.from))
		return;
	walkBoxes(of, Math.ceil((scroll + s.height) / FLAME_ROW), (box, left, width) => {
		const top = graph.depth[box] * FLAME_ROW - scroll;
		if (top > -FLAME_ROW)
			drawPairBox(side, box, left, top, width);
	}, (depth, left, width) => {
		s.ctx.fillStyle = pair.colours.rest;
		s.ctx.fillRect(left, depth * FLAME_ROW - scroll, width, FLAME_ROW - 1);
	});
}

function drawPair() {
	drawSide(0);
	drawSide(1);
}

let pairWaiting = false;
function redrawPair() {
	if (pairWaiting)
		return;
	pairWaiting = true;
	requestAnimationFrame(() => {
		pairWaiting = false;
		drawPair();
	});
}

function zoomTo(box) {
	pair.zoomed = box;
	showCrumbs();
	resizePair();
	drawPair();
}

function showCrumbs() {
	const names = [];
	for (let at = pair.zoomed; at > 0; at = graph.parent[at])
		names.unshift(at);
	byId("zoom-out").disabled = byId("zoom-out").hidden = !names.length;
	const more = names.length > 4 ? element("span", { class: "quiet-text" }, " › …") : "";
	replace(byId("crumb"), names.length ? more : element("span", { class: "quiet-text" },
		`One scale for both: a box is as wide as its time ${doc.per ? EACH.trim() : "in an average run"}. Callers in a row are one box. Click one to zoom on both sides.`),
	names.slice(-4).map((box) => {
		const b = element("button", { type: "button", class: "quiet" }, nameOf(fit(boxName(box), 40)));
		b.addEventListener("click", () => zoomTo(box));
		return [element("span", { class: "quiet-text" }, " › "), b];
	}));
}

const boxKindWords = (box) => (boxSite(box) >= 0 ? text(sites.get(boxSite(box), "verdict")) : box ? "calls what is below" : "all that is shown");
const sidesWords = (box) => SIDES.map((name, side) => `${name} ${duration(ofBox(box, side))}`).join(", ");

function showTip(box, x, y, side) {
	const tip = byId("tip"), row = box < 0 ? -1 : boxSite(box);
	tip.hidden = box < 0;
	if (box < 0)
		return;
	const line = (name, of) => [element("span", { class: "quiet-text" }, name), element("span", {}, duration(of(0))), element("span", {}, duration(of(1)))];
	replace(tip,
		element("strong", {}, nameOf(fit(boxName(box), 200))),
		element("span", { class: "quiet-text" }, boxKindWords(box)),
		element("div", { class: "sides" }, element("span"), SIDES.map((name) => element("span", { class: "quiet-text" }, name)),
			line(doc.per ? "time" : "total", (of) => ofBox(box, of)),
			row >= 0 ? line("mean", (of) => sites.get(row, `${SIDES[of]}_mean`)) : ""));
	placeTip(tip, x, y, pair.sides[side].view.getBoundingClientRect(), byId("inspector").getBoundingClientRect());
}

function selectBox(box, speakIt) {
	pair.selected = box;
	if (boxSite(box) >= 0)
		selectRow(boxSite(box), true);
	else
		inspectBox(box);
	if (speakIt)
		speak(`${fit(boxName(box), 100)}: ${sidesWords(box)}; ${boxKindWords(box)}`);
	redrawPair();
}

// Scrolls to a box, and zooms out until it is in the part that is shown.
function keepInView(box) {
	const s = pair.sides[0], top = graph.depth[box] * FLAME_ROW;
	if (box < pair.zoomed || box >= graph.next[pair.zoomed])
		zoomTo(Math.max(graph.parent[box], 0));
	if (top < s.view.scrollTop || top + FLAME_ROW > s.view.scrollTop + s.height)
		s.view.scrollTop = Math.max(top - s.height / 2, 0);
}

function pairKey(event) {
	const at = pair.selected < 0 ? pair.zoomed : pair.selected;
	if (event.key.startsWith("Arrow")) {
		const to = neighbour(graph, at, event.key);
		if (to >= 0) {
			selectBox(to, true);
			keepInView(to);
		}
	} else if (event.key === "Enter") {
		zoomTo(at);
	} else if (event.key === "Backspace" || event.key === "Escape") {
		zoomTo(Math.max(graph.parent[pair.zoomed], 0));
	} else if (event.key === "Home") {
		zoomTo(0);
	} else {
		return;
	}
	event.preventDefault();
	event.stopPropagation();
}

function showHalf(half) {
	const selected = pair.selected >= 0 ? graph.node[pair.selected] : -1;
	graph = treesOf(half);
	pair.half = half;
	pair.shared = sharedVerdicts();
	pair.hover = -1;
	pair.selected = selected >= 0 ? graph.boxOf[selected] : -1;
	onlyRowsOf(-1);
	for (const [side, s] of pair.sides.entries())
		s.time.textContent = `${HALVES[half] === "All" ? "" : `${HALVES[half].toLowerCase()} `}${duration(ofBox(0, side))}`;
	const radio = byId("half").querySelector(`input[value="${half}"]`);
	if (radio)
		radio.checked = true;
	zoomTo(0);
}

// Work first; the switch has what there is, and is hidden where there is one kind only.
const HALF_ORDER = [1, 2, 0];
function startHalves() {
	const times = [0, 1, 2].map((half) => SIDES.map((_, side) => timesOf(side, half)[0]));
	const both = [1, 2].every((half) => times[half][0] + times[half][1] > 0);
	byId("half").hidden = !both;
	append(byId("half"), HALF_ORDER.map((half) => {
		const radio = element("input", { type: "radio", name: "half", value: String(half) });
		radio.addEventListener("change", () => showHalf(half));
		return element("label", {}, radio, element("span", {}, HALVES[half], element("b", {}, ` ${times[half].map(duration).join(" → ")}`)));
	}));
	showHalf(both ? 1 : 0);
}

function nextHalf() {
	if (!byId("half").hidden)
		showHalf(HALF_ORDER[(HALF_ORDER.indexOf(pair.half) + 1) % HALF_ORDER.length]);
}

function listen(side) {
	const s = pair.sides[side];
	const at = (event) => {
		const r = s.canvas.getBoundingClientRect();
		return boxBelowSide(side, event.clientX - r.left, event.clientY - r.top);
	};
	s.canvas.addEventListener("pointermove", (event) => {
		const box = at(event);
		showTip(box, event.clientX, event.clientY, side);
		if (box !== pair.hover) {
			pair.hover = box;
			redrawPair();
		}
	});
	s.canvas.addEventListener("pointerleave", () => {
		pair.hover = -1;
		showTip(-1);
		redrawPair();
	});
	s.canvas.addEventListener("click", (event) => {
		const box = at(event);
		if (box < 0)
			return;
		selectBox(box);
		zoomTo(box);
	});
	s.canvas.addEventListener("keydown", pairKey);
	s.view.addEventListener("scroll", () => {
		pair.sides[1 - side].view.scrollTop = s.view.scrollTop;
		redrawPair();
	}, { passive: true });
}

function boxBelowSide(side, px, py) {
	const s = pair.sides[side], of = shown(side), depth = Math.floor((py + s.view.scrollTop) / FLAME_ROW);
	return of.to > of.from && px < of.pixels ? boxBelow(of, depth, px) : -1;
}

function startPair() {
	for (const name of ["Base", "New"]) {
		const canvas = element("canvas", { tabindex: "0", role: "application", "aria-roledescription": "flame graph",
			"aria-label": `Flame graph of ${name}. Arrow keys move on both sides, Enter zooms, Escape goes back.` });
		const size = element("div", {}, canvas), view = element("div", { class: "flame-view" }, size), time = element("b");
		const files = doc.profiles.filter((_, i) => (i >= doc.bases) === (pair.sides.length > 0)).map(([file]) => baseName(file));
		byId("pair").append(element("div", { class: "side" }, element("h3", {}, name, element("span", { class: "quiet-text" }, `${runWords(pair.sides.length)}: `, nameOf(files.join(", "))), time), view));
		pair.sides.push({ canvas, size, view, time, width: 0, height: 0 });
		listen(pair.sides.length - 1);
	}
	readColours();
	replace(byId("legend"), element("span", { class: "key" }, element("i", { class: "swatch f-top" }), "calls others"),
		VERDICTS.map((v) => element("span", { class: "key" }, verdictMark(v), v[2])));

	byId("zoom-out").addEventListener("click", () => zoomTo(0));
	startHalves();
}
