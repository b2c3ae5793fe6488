// SPDX-License-Identifier: GPL-3.0-or-later
// Elements from texts. Names of symbols are data: they reach the page as text nodes only, here, and
// as text on a canvas.

const byId = (id) => document.getElementById(id);

function element(tag, properties, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(properties || {})) {
		if (name in e && typeof value !== "string")
			e[name] = value;
		else
			e.setAttribute(name, value);
	}
	append(e, children);
	return e;
}

function append(parent, children) {
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== "")
			parent.append(child);
}

function replace(parent, ...children) {
	parent.textContent = "";
	append(parent, children);
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
	const e = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes || {}))
		e.setAttribute(name, value);
	append(e, children);
	return e;
}

// A name of any length, with a direction of its own: it cannot reorder the text next to it.
const nameOf = (value, kind) => element("bdi", { class: kind || "name", dir: "ltr" }, value);

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const ruler = document.createElement("canvas").getContext("2d");

// As wide as `svg text` of charts.css is drawn.
function wordWidth(words) {
	ruler.font = `11px ${css("--sans")}`;
	return ruler.measureText(words).width;
}

function speak(words) {
	byId("spoken").textContent = words;
}

function fact(name, ...value) {
	return [element("dt", {}, name), element("dd", {}, ...value)];
}

function button(words, action) {
	const b = element("button", { type: "button" }, words);
	b.addEventListener("click", action);
	return b;
}
