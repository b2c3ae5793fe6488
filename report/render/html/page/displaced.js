// SPDX-License-Identifier: GPL-3.0-or-later
// Where each CPU's time went: one bar per CPU, as long as its wall time. Unaccounted time has a
// colour of its own.

const PARTS = {
	program: "charged to the program",
	uncharged: "uncharged time of the program",
	others: "other tasks",
	scprof: "scprof",
	interrupts: "interrupts when idle, switching",
	stolen: "stolen by the hypervisor",
	idle: "idle",
	remainder: "not explained",
};

function accountOf(cpu) {
	return doc.displaced.parts.map((part, i) => ({ part, ns: cpu[2 + 2 * i], share: cpu[3 + 2 * i] }));
}

// Errors can make a part negative: it has no length, and the table has its number.
function cpuBar(cpu) {
	const bar = element("div", { class: "l-bar", role: "img", "aria-label": "shares of the CPU's time, as in the table below" });
	for (const { part, ns, share: of } of accountOf(cpu))
		if (ns > 0) {
			const span = element("span", { class: `d-${part}`, title: `${PARTS[part]}: ${duration(ns)}, ${share(of)}` }, of >= 0.07 ? share(of) : "");
			span.style.flexGrow = String(of);
			bar.append(span);
		}
	return bar;
}

const cpuName = (cpu) => (cpu[0] < 0 ? "all" : `CPU ${cpu[0]}`);

function cpuTable(cpus) {
	const head = element("tr", {}, element("th", { scope: "col" }, ""), cpus.map((cpu) => element("th", { scope: "col", class: "number" }, cpuName(cpu))));
	const line = (name, cells) => element("tr", {}, element("td", {}, name), cells.map((c) => element("td", { class: "number" }, c)));
	return element("div", { class: "scroll-x" }, element("table", { class: "plain fit" }, element("thead", {}, head), element("tbody", {},
		doc.displaced.parts.map((part, i) => line([element("i", { class: `swatch inline d-${part}` }), PARTS[part]],
			cpus.map((cpu) => `${duration(cpu[2 + 2 * i])}, ${share(cpu[3 + 2 * i])}`))),
		line("in all", cpus.map((cpu) => duration(cpu[1]))))));
}

function showDisplaced() {
	const d = doc.displaced, section = byId("displaced");
	if (!d)
		return;
	const [mean, low, high, ofRusage] = d.uncharged;
	section.hidden = false;
	append(section, [
		d.sentence ? element("p", {}, nameOf(d.sentence, "words")) : "",
		mean === null ? "" : element("p", {}, "Unaccounted: ", element("strong", {}, meanText(mean, low, high)),
			ofRusage === null ? "" : `, ${share(ofRusage)} of what getrusage reports`, d.confidence ? ` (${d.confidence} confidence).` : "."),
		d.warnings.map((w) => element("p", { class: "note" }, element("b", {}, "! "), nameOf(w, "words"))),
		element("div", { class: "cpus" }, d.cpus.map((cpu) => [element("span", {}, cpuName(cpu)), cpuBar(cpu)])),
		cpuTable(d.cpus)]);
}
