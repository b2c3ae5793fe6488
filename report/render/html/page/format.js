// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as the text report prints them (report/wording/numbers.c): four significant digits, the unit by
// size, a mean with as many digits as its interval supports.

const SCALES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

// As printf: a tie goes to the even digit, where toFixed always goes up. Asked for more digits,
// toFixed shows the number as it is.
const unsigned = (digits) => (/^-[0.]*$/.test(digits) ? digits.slice(1) : digits); // no -0

function fixed(value, digits) {
	const tie = Number.isInteger(2 * value * 10 ** digits) && /^50*$/.test(value.toFixed(digits + 40).slice(-40));
	const up = value.toFixed(digits);
	if (!tie || !(/[13579]$/.test(up)))
		return unsigned(up);
	return unsigned((Math.sign(value) * (Math.abs(Number(up)) - 10 ** -digits)).toFixed(digits));
}

function scaleOf(ns) {
	const size = Math.abs(ns) * 1.00005; // 999.96 would round up to 1000
	return SCALES.find(([least]) => size >= least) || SCALES[3];
}

const wholeDigits = (value) => (Math.abs(value) < 10 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function duration(ns) {
	if (ns === null)
		return "–";
	if (ns === 0)
		return "0 s";
	if (Math.abs(ns) < 0.0005)
		return "<0.001 ns";
	const [size, unit] = scaleOf(ns);
	const value = ns / size;
	return `${fixed(value, clamp(4 - wholeDigits(value), 0, 3))} ${unit}`;
}

const count = (n) => (n === null ? "–" : String(n).replace(/\B(?=(\d{3})+$)/g, ","));

function bytes(n) {
	const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
	let i = 0;
	if (n === null || n < 0)
		return "";
	for (; n >= 999.5 && i < 6; i++)
		n /= 1000;
	return `${i ? fixed(n, clamp(3 - wholeDigits(n), 0, 2)) : n} ${units[i]}`;
}

function share(part) {
	if (part === null)
		return "–";
	return part !== 0 && Math.abs(part) < 0.0005 ? "<0.1 %" : `${fixed(100 * part, 1)} %`;
}

function plain(value) {
	if (value !== 0 && Math.abs(value) < 0.001)
		return value.toExponential(1);
	if (Math.abs(value) >= 999.5)
		return count(Number(value.toPrecision(3)));
	return fixed(value, clamp(3 - wholeDigits(value), 0, 3));
}

function decimalsFor(mean, half) {
	const most = clamp(4 - wholeDigits(mean), 0, 3);
	return half > 0 ? clamp(1 - Math.floor(Math.log10(half)), 0, most) : most;
}

// { mean: "2.42", interval: "[2.28, 2.66]" or "±0.12", unit: "µs" }
function meanParts(mean, low, high) {
	if (mean === null)
		return { mean: "–", interval: "", unit: "" };
	const bounded = low !== null && high !== null;
	const beyond = bounded ? Math.max(mean - low, high - mean) : 0;
	const [size, unit] = scaleOf(beyond > 1000 * Math.abs(mean) ? beyond : mean);
	const m = mean / size, l = low / size, h = high / size;
	if (!bounded)
		return { mean: fixed(m, decimalsFor(m, 0)), interval: "±?", unit };
	const half = Math.max(m - l, h - m);
	const decimals = decimalsFor(m, half);
	if (low >= 0 && high > low && !(m > 0.5 * 10 ** -decimals)) { // no digit of it is known
		const [of, its] = scaleOf(high);
		return { mean: `< ${high / of >= 9.95 ? fixed(high / of, 0) : fixed(high / of, 1)}`, interval: "", unit: its };
	}
	const shown = fixed(m, decimals);
	if (Math.abs(h - m - (m - l)) > 0.1 * (h - l))
		return { mean: shown, interval: `[${fixed(l, decimals)}, ${fixed(h, decimals)}]`, unit };
	const step = 10 ** -decimals;
	return { mean: shown, interval: `±${fixed(half > 0 && half < step / 2 ? step : half, decimals)}`, unit };
}

function meanText(mean, low, high) {
	const p = meanParts(mean, low, high);
	return `${p.mean} ${p.unit} ${p.interval}`.trim();
}
