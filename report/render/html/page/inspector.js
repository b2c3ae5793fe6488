// SPDX-License-Identifier: GPL-3.0-or-later
// Everything known about one row or one box: beside the flame graph, or below it.

const inspector = byId("inspector");
const CHART_WIDTH = 340;

function limits(low, high) {
	return low === null && high === null ? "" : element("span", { class: "quiet-text" },
		` [${low === null ? "?" : duration(low)}, ${high === null ? "?" : duration(high)}]`);
}

function bigMean(mean, low, high) {
	const p = meanParts(mean, low, high);
	return [element("p", { class: "big" }, element("strong", {}, p.mean), ` ${p.unit} `, element("span", { class: "big-interval" }, p.interval)),
		element("p", { class: "quiet-text" }, low === null || high === null
			? "mean of a call; its error is not known" : `mean of a call, ${doc.confidence} interval`),
		intervalChart(mean, low, high, CHART_WIDTH)];
}

function head(name, module, words) {
	return [element("h2", {}, nameOf(name)), element("p", { class: "quiet-text clip" }, words, module ? [" in ", nameOf(module, "path")] : "")];
}

function noteList(row) {
	const n = notes.get(row);
	if (!n)
		return null;
	return element("ul", { class: "notes" },
		n.doubts.map((d) => element("li", { class: "doubt" }, element("b", {}, "! "), `${text(d)}: the interval may not contain the true mean, see the warnings`)),
		n.findings.map((f) => element("li", {}, element("b", {}, "~ "), text(f))));
}

function pathList(row) {
	const path = pathOf(row), end = text(sites.get(row, "path_end"));
	return element("ol", { class: "path-list" }, path.map((line) => element("li", {}, nameOf(line, "path"))),
		end ? element("li", { class: "quiet-text" }, end) : "");
}

// enum tail_unreliable
const TAIL_DOUBTS = ["", "unknown dependence", "too few independent bursts"];

function percentile(row, p, name = p) {
	const of = latencies.get(row);
	if (!of)
		return "";
	const doubt = TAIL_DOUBTS[of[`${p}_doubt`]];
	return fact(name, duration(of[p]), limits(of[`${p}_low`], of[`${p}_high`]), doubt ? element("span", { class: "quiet-text" }, ` ! ${doubt}`) : "");
}

function slowFact(row) {
	const mean = hasSlow ? sites.get(row, "slow_mean") : null;

	if (mean === null && (!hasSlow || sites.get(row, "slow_high") === null))
		return "";
	if (mean === null)
		return fact("slow clock", slowText(row));
	return fact("slow clock", slowText(row),
		sites.get(row, "slow_covers") ? ", agrees" : ", DISAGREES: its interval does not contain the fast mean");
}

// What a call costs by displacement, or why that is not known.
function costFacts(row) {
	const get = (field) => sites.get(row, field), state = hasCosts ? text(get("displacement")) : "";
	if (!state)
		return "";
	if (state !== "known")
		return fact("by displacement", `not known: ${NO_COST[state] || state}`);
	const partners = [];
	for (let other = 0; get("together") >= 0 && other < sites.rows; other++)
		if (other !== row && sites.get(other, "together") === get("together"))
			partners.push(other);
	const known = (name, of) => (get(of) === null ? "" : fact(name, meanText(get(of), get(`${of}_low`), get(`${of}_high`))));
	return [known("charged", "charged"), fact("uncharged", meanText(get("uncharged"), get("uncharged_low"), get("uncharged_high")),
		isSignificant(row) ? " *, significant" : ", may be zero"),
	known("charged and uncharged", "both"),
	fact("true cost", meanText(get("true_cost"), get("true_low"), get("true_high"))),
	partners.length ? fact("together with", partners.slice(0, 8).map((other, i) => [i ? ", " : "", nameOf(siteName(other))]),
		partners.length > 8 ? `, ${partners.length - 8} more` : "", ": the cost is the mean over their calls") : ""];
}

// Total, share, calls and bytes: of a box what its width says, of a row its own, as its box may hold others, too.
const lead = (words) => element("p", { class: "lead" }, totalWords(words));
const rowTotals = (row) => ({ time: duration(sites.get(row, "total")), calls: count(sites.get(row, "calls")), bytes: bytes(sites.get(row, "bytes")),
	share: `${share(sites.get(row, "share"))} ${OF_THREADS}` });

// Why a row's mean times its calls is not its total, and what of its time is that of other rows.
function sumFacts(row) {
	const get = (field) => sites.get(row, field), calls = get("calls");
	return [get("aside") > 0 ? fact("the mean is of", `${count(calls - get("aside"))} calls, without the warm-up`) : "",
		get("nested") > 0 ? fact("inside", `${count(get("nested"))} of the calls are inside those of other rows`) : "",
		get("inner") > 0 ? fact("contains", `${count(get("inner"))} calls of other rows${get("self") === null ? "" : `; its own is ${duration(get("self"))}`}`) : "",
		get("paths") > 1 ? fact("stands for", `${count(get("paths"))} call paths through these functions`) : ""];
}

function inspectRow(row) {
	const get = (field) => sites.get(row, field), outcome = text(get("outcome"));
	const chart = histogram(row, CHART_WIDTH, 170);
	replace(inspector,
		head(siteName(row), siteLibrary(row), outcome ? `timed call, outcome ${outcome},` : "timed call"),
		lead(rowTotals(row)),
		bigMean(get("mean"), get("low"), get("high")),
		keptMean(row), stateDetails(row),
		chart ? [element("h3", {}, "Latencies of single calls"), chart, kindsLegend(row)] : element("p", { class: "note" }, latencies.size ? "No histogram was kept of this row." : "No histograms: the clock is too slow to see single calls."),
		noteList(row),
		element("dl", {}, sumFacts(row), get("per_byte") !== null ? fact("a byte", `${plain(get("per_byte"))} ns`) : "",
			percentile(row, "p50"), percentile(row, "p90"), percentile(row, "p99"), percentile(row, "p999", "p99.9"), latencies.has(row) ? fact("longest", duration(latency(row, "max"))) : "",
			slowFact(row), costFacts(row), doc.overhead === null ? "" : fact("subtracted", `${duration(doc.overhead)} a call`), fact("interval by", text(get("method")))),
		element("h3", {}, "Called from"), pathList(row),
		element("p", { class: "actions" }, button("Zoom in", () => zoomTo(get("box")))));
}

function inspectBox(box) {
	const row = boxes.get(box, "row");
	if (row >= 0 && boxKind(box) === KIND.call) {
		table.selected = row;
		inspectRow(row);
		drawTable();
		return;
	}
	const w = boxWords(box), rows = boxRows(box), computing = tree.computing[box];
	replace(inspector,
		head(w.name, w.module, w.kind),
		lead(w),
		computing > 0 ? element("p", { class: "note" }, element("b", {}, duration(computing)), ` of CPU time outside of calls, by samples${rows ? "; the numbers below are of its calls" : ": no timed call lies below"}.`) : "",
		!rows ? element("p", { class: "actions" }, button("Zoom in", () => zoomTo(box))) : [bigMean(boxNumber(box, "mean"), boxNumber(box, "low"), boxNumber(box, "high")),
		element("p", { class: "note" }, rows > 1
			? `Over the calls of ${count(rows)} rows, without warm-ups. An interval is a row's own.` : "One row lies below this box: its numbers."),
		rows > 1 && boxNumber(box, "doubts") >= 0 ? element("ul", { class: "notes" }, element("li", { class: "doubt" }, element("b", {}, "! "),
			`${text(boxNumber(box, "doubts"))}, in some of its rows: the interval may not contain the true mean, see the warnings`)) : "",
		row >= 0 ? noteList(row) || "" : "",
		rows > 1 && boxNumber(box, "aside") > 0 ? element("ul", { class: "notes" }, element("li", {}, element("b", {}, "~ "),
			`warm-up: ${count(boxNumber(box, "aside"))} of the calls are not in the mean`)) : "",
		boxStates(box),
		element("p", { class: "actions" },
			button("Zoom in", () => zoomTo(box)),
			button(rows > 1 ? `Show its ${count(rows)} rows` : "Show its row", () => {
				onlyRowsOf(box);
				byId("rows").scrollIntoView({ block: "start" });
			}))]);
}
