// SPDX-License-Identifier: GPL-3.0-or-later
// Input for the flame graph: pointer, keys, breadcrumbs; and its legend.

function boxWords(box) {
	const outcome = boxOutcome(box), moved = boxNumber(box, "bytes");
	return {
		name: boxName(box) + (outcome ? ` · ${outcome}` : ""),
		kind: KIND_WORDS[boxKind(box)],
		module: boxModule(box),
		mean: meanText(boxNumber(box, "mean"), boxNumber(box, "low"), boxNumber(box, "high")),
		calls: tree.what === "computing" || !boxRows(box) ? "" : count(boxNumber(box, "calls")),
		computing: tree.what === "both" && tree.computing[box] > 0 && tree.computing[box] < tree.width[box] ? `${duration(tree.computing[box])} of it computing` : "",
		bytes: bytes(moved),
		time: duration(tree.width[box]),
		share: shareOfBox(box),
	};
}

// `${w.calls} calls` and the like; what a box lacks is left out.
const totalWords = (w) => [w.time, w.share, w.computing, w.calls ? `${w.calls} call${w.calls === "1" ? "" : "s"}` : "", w.bytes].filter((part) => part).join(", ");

function showTip(box, x, y) {
	const tip = byId("tip");
	tip.hidden = box < 0;
	if (box < 0)
		return;
	const w = boxWords(box), around = flame.view.getBoundingClientRect();
	replace(tip,
		element("strong", {}, nameOf(fit(w.name, 200))),
		element("span", { class: "quiet-text" }, w.kind + (w.module ? ` in ${fit(w.module, 80)}` : "")),
		element("span", {}, totalWords(w)),
		w.calls ? element("span", {}, `mean of a call: ${w.mean}`) : "");
	placeTip(tip, x, y, around, byId("inspector").getBoundingClientRect());
}

function selectBox(box, speakIt) {
	flame.selected = box;
	inspectBox(box);
	if (speakIt) {
		const w = boxWords(box);
		speak(`${fit(w.name, 100)}: ${totalWords(w)}${w.calls ? `; mean ${w.mean}` : ""}`);
	}
	redrawFlame();
}

function showCrumbs() {
	const names = [];
	for (let at = flame.zoomed; at > 0 && !HALVES[boxKind(at)]; at = tree.parent[at])
		names.unshift(at);
	byId("zoom-out").disabled = byId("zoom-out").hidden = !names.length;
	if (!names.length) {
		replace(byId("crumb"), element("span", { class: "quiet-text" }, `A box is as wide as its time in all${hasComputing ? "; what no box below covers is computing" : ""}${doc.boxes_left_out ? `, or ${count(doc.boxes_left_out)} narrower boxes that the page leaves out` : ""}. Click one to zoom; its mean and interval are in the panel.`));
		return;
	}
	const last = names.slice(-4);
	replace(byId("crumb"), names.length > 4 ? element("span", { class: "quiet-text" }, " › …") : "", last.map((box) => {
		const b = element("button", { type: "button", class: "quiet" }, nameOf(fit(boxName(box), 40)));
		b.addEventListener("click", () => zoomTo(box));
		return [element("span", { class: "quiet-text" }, " › "), b];
	}));
}

function scrollFlameTo(box) {
	const top = Math.max(flameTop(box), 0);
	if (top < flame.view.scrollTop)
		flame.view.scrollTop = top;
	else if (top + FLAME_ROW > flame.view.scrollTop + flame.height)
		flame.view.scrollTop = top + FLAME_ROW - flame.height;
}

function keepInView(box) {
	scrollFlameTo(box);
	if (tree.depth[box] < flame.skip || tree.x[box] < tree.x[flame.zoomed] || tree.x[box] >= tree.x[flame.zoomed] + tree.width[flame.zoomed])
		zoomTo(Math.max(tree.parent[box], 0));
}

// Scrolls the flame graph to a box and zooms until it can be distinguished from others;
// `then` is called when it is there.
const SEEN_LEAST = 12; // px
function bringBox(box, then) {
	const { x, width, parent } = tree;
	const inside = x[box] >= x[flame.zoomed] && box >= flame.zoomed && box < tree.next[flame.zoomed];
	let to = inside ? flame.zoomed : boxHalf(box);
	if (width[box] * flame.width < SEEN_LEAST * (width[to] || 1))
		for (to = box; parent[to] > 0 && width[box] * flame.width >= SEEN_LEAST * width[parent[to]];)
			to = parent[to];
	const end = () => {
		scrollFlameTo(box);
		then();
	};
	if (to === flame.zoomed)
		end();
	else
		zoomTo(to, end);
}

function flameKey(event) {
	const at = flame.selected < 0 ? flame.zoomed : flame.selected;
	if (event.key.startsWith("Arrow")) {
		const beside = event.key === "ArrowDown" ? "ArrowRight" : event.key;
		let to = neighbour(tree, at, event.key);
		while (to > 0 && hasComputing && !(tree.width[to] > 0))
			to = neighbour(tree, to, beside);
		if (to >= 0) {
			selectBox(to, true);
			keepInView(to);
		}
	} else if (event.key === "Enter") {
		zoomTo(at);
	} else if (event.key === "Backspace" || event.key === "Escape") {
		zoomTo(Math.max(tree.parent[flame.zoomed], 0));
	} else if (event.key === "Home") {
		zoomTo(0);
	} else {
		return;
	}
	event.preventDefault();
	event.stopPropagation();
}

function showLegend() {
	const entry = (name, words) => element("span", { class: "key" }, element("i", { class: `swatch ${name}` }), words);
	const present = new Set();
	let other = false;
	for (let i = 0; i < labels.rows; i++) {
		present.add(labels.get(i, "kind"));
		other = other || labels.get(i, "outcome") >= 0;
	}
	replace(byId("legend"), flame.certainty
		? [CERTAINTY.map(([, words], i) => entry(`c-${i + 1}`, words)), entry("hatched", "not known")]
		: [entry("f-call", "timed call"), waitBox ? entry("t-asleep", "timed call that waits") : "", other ? entry("f-other", "timed call, not completed (its outcome stands behind the name)") : "",
			present.has(KIND.program) ? entry("f-program", "program") : "", present.has(KIND.library) ? entry("f-library", "library") : "",
			present.has(KIND.inlined) ? entry("f-inlined", "inlined") : "", present.has(KIND.unknown) ? entry("f-unknown", "no name known") : ""]);
}

function startFlame() {
	const at = (event) => {
		const r = flame.canvas.getBoundingClientRect();
		return boxAt(event.clientX - r.left, event.clientY - r.top);
	};
	flame.canvas.addEventListener("pointermove", (event) => {
		const box = at(event);
		showTip(box, event.clientX, event.clientY);
		if (box !== flame.hover) {
			flame.hover = box;
			redrawFlame();
		}
	});
	flame.canvas.addEventListener("pointerleave", () => {
		flame.hover = -1;
		showTip(-1);
		redrawFlame();
	});
	flame.canvas.addEventListener("click", (event) => {
		const box = at(event);
		if (box < 0)
			return;
		selectBox(box);
		zoomTo(box);
	});
	flame.canvas.addEventListener("keydown", flameKey);
	flame.view.addEventListener("scroll", redrawFlame, { passive: true });
	byId("zoom-out").addEventListener("click", () => zoomTo(boxHalf(flame.zoomed)));
	byId("colour-by").addEventListener("change", (event) => colourFlame(event.target.value === "certainty"));
	readColours();
	resizeFlame();
	showLegend();
	showCrumbs();
	startHalves();
	startWidths();
}

function colourFlame(certainty) {
	flame.certainty = certainty;
	document.querySelector(`input[name=colour][value=${certainty ? "certainty" : "kind"}]`).checked = true;
	showLegend();
	redrawFlame();
}
