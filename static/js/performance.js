// Performance tab of a vessel: calibrations, and residuals of the reports.

import uPlot from "uplot";

import { drawDots, drawLevel, markDeclared, plotAxis } from "./plots.js";
import { element, fillProgress } from "./dom.js";
import { showNote, whileBusy } from "./forms.js";
import { number } from "./format.js";
import { token } from "./palette.js";
import { RequestFailed, request, willRetry } from "./request.js";

const POLL_MS = 2000;

const panel = document.getElementById("performance");
const fault = document.getElementById("performance-fault");

const cell = (words, isNumber) => element("td", isNumber ? "number" : "", words);
const row = (...cells) => element("tr", "", ...cells);

/** Draw the values of a series as translucent dots. */
function dots(plot, index) {
    const points = plot.data[0].map((x, at) => [x, plot.data[index][at]]);
    drawDots(plot, points.filter(([, y]) => y !== null && y !== undefined), 2.2, 0.55);
}

/** Draw the zero line. */
const zero = (plot) => drawLevel(plot, plot.valToPos(0, "y", true), 1.25);

/** Range of an axis of ascending values, with room for the dots at both ends. */
function withRoom(values) {
    const low = values[0] ?? 0;
    const high = values.at(-1) ?? 0;
    const room = high > low ? 0.03 * (high - low) : 0.5;
    return [low - room, high + room];
}

/** Decimals that write all values of an axis as they are, e.g. 2 for steps of 0.25. */
const decimalsOf = (splits) => [0, 1, 2].find((count) => splits.every((value) => Number(value.toFixed(count)) === value)) ?? 3;

function options(place, hooks, xs, yRange, unit) {
    const axis = plotAxis();
    return {
        width: place.clientWidth,
        height: place.clientHeight,
        padding: [8, 12, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: () => withRoom(xs) }, y: { range: yRange } },
        axes: [
            { ...axis, size: 26, values: (_plot, splits) => splits.map((value) => number(value, decimalsOf(splits))) },
            { ...axis, size: 48, values: (_plot, splits) => splits.map((value) => `${number(value)}${unit}`) },
        ],
        hooks: { draw: hooks },
    };
}

/** Range of the residual axis [%]: 98 % of the values, at least 20 %; others are drawn at its edge. */
function reachOf(residuals) {
    const sizes = residuals.map(({ residualPct }) => Math.abs(residualPct)).sort((a, b) => a - b);
    return Math.max(20, Math.ceil((sizes[Math.floor(0.98 * sizes.length)] ?? 0) / 10) * 10);
}

function residualPlot(place, residuals, column) {
    const sorted = [...residuals].sort((a, b) => a[column] - b[column]);
    const reach = reachOf(residuals);
    const held = sorted.map(({ residualPct }) => Math.max(-reach, Math.min(reach, residualPct)));
    const xs = sorted.map((each) => each[column]);
    const shown = options(place, [zero, (plot) => dots(plot, 1)], xs, () => [-reach, reach], " %");
    return new uPlot({ ...shown, series: [{}, { stroke: "transparent", points: { show: false } }] }, [xs, held], place);
}

function curvePlot(place, residuals, curve, declared) {
    const marks = residuals.map(({ speedKn, focMtPerDay }) => [speedKn, null, focMtPerDay]);
    const squares = declared.map(([speed, fuel]) => [speed, null, null, fuel]);
    const line = curve.speedKn.map((speed, at) => [speed, curve.focMtPerDay[at]]);
    const all = [...marks, ...squares, ...line].sort((a, b) => a[0] - b[0]);
    const xs = all.map(([speed]) => speed);
    const shown = options(place, [(plot) => dots(plot, 2), markDeclared(declared)], xs, (_plot, _low, high) => [0, high * 1.05], "");
    const hidden = { stroke: "transparent", points: { show: false } };
    const series = [{}, { stroke: token("accent"), width: 2, spanGaps: true, points: { show: false } }, hidden, hidden];
    return new uPlot({ ...shown, series }, [0, 1, 2, 3].map((column) => all.map((each) => each[column] ?? null)), place);
}

class Plots {
    constructor(curve, declared) {
        this.curve = curve;
        this.declared = declared;
        this.plots = [];
        this.residuals = [];
        document.addEventListener("palettechange", () => this.draw());
        new ResizeObserver(() => this.fit()).observe(document.getElementById("plots"));
    }

    show(residuals) {
        this.residuals = residuals;
        this.draw();
        document.getElementById("plots").removeAttribute("aria-busy");
    }

    draw() {
        for (const plot of this.plots) plot.destroy();
        this.plots = [...panel.querySelectorAll("[data-plot]")].map((place) => {
            const column = place.dataset.plot;
            return column === "curve" ? curvePlot(place, this.residuals, this.curve, this.declared) : residualPlot(place, this.residuals, column);
        });
    }

    fit() {
        for (const plot of this.plots) {
            const place = plot.root.parentElement;
            if (place.clientWidth) plot.setSize({ width: place.clientWidth, height: place.clientHeight });
        }
    }
}

function showEvidence({ number: version, residuals, leftOut, weather, estimates }) {
    document.getElementById("fit-note").textContent = `calibration ${version}; fuel reported over expected, %`;
    document.getElementById("estimates").replaceChildren(
        ...estimates.map(([name, value, error, isMeasured]) =>
            row(
                cell(name),
                cell(name.endsWith("exponent") ? number(value, 2) : `${number(100 * Math.expm1(value), 1)} %`, true),
                cell(name.endsWith("exponent") ? number(error, 2) : `${number(100 * error, 1)} %`, true),
                cell(isMeasured ? "reports" : "usual"),
            ),
        ),
    );
    const rows = leftOut.map(([reason, count]) => row(cell(reason), cell(number(count), true)));
    document.getElementById("left-out").replaceChildren(...(rows.length ? rows : [row(cell("Nothing"), cell("", true))]));
    const { fromRecords, fromForecasts, fromClimatology } = weather;
    document.getElementById("weather-note").textContent =
        `; weather of ${number(fromRecords)} reports by records, ${number(fromForecasts)} by forecasts, ${number(fromClimatology)} by monthly averages`;
    return residuals;
}

/** Reload the page, on this tab if it is open. */
function reload() {
    if (!panel.hidden) location.hash = "performance";
    location.reload();
}

/** Send a button's request; null, with the error shown, if it fails. */
async function send(button, address) {
    showNote(fault, "");
    try {
        return await whileBusy(button, () => request(address, { method: "POST" }));
    } catch (error) {
        showNote(fault, error.message);
        return null;
    }
}

/** Progress of a running calibration, with its buttons to start and cancel. */
class CalibrationRun {
    constructor() {
        this.shown = document.getElementById("calibration-run");
        this.button = document.getElementById("calibrate");
        this.address = this.shown.dataset.address;
        this.button?.addEventListener("click", async () => this.take(await send(this.button, this.button.dataset.calibrate)));
        this.shown.addEventListener("click", async ({ target }) => {
            const button = target.closest("[data-cancel-calibration]");
            if (button) this.take(await send(button, button.dataset.cancelCalibration));
        });
        this.showProgress(Boolean(this.address));
    }

    /** Show the state of the run; the page is reloaded when the fit is complete. */
    take(answer) {
        if (!answer) return;
        // Each of the buttons to start and cancel takes the place of the other.
        const hadFocus = this.shown.contains(document.activeElement) || document.activeElement === this.button;
        this.address = answer.address;
        this.shown.innerHTML = answer.html;
        if (answer.isFitted) reload();
        else this.showProgress(answer.isActive);
        if (hadFocus) (this.shown.querySelector("button") ?? this.button)?.focus({ preventScroll: true });
    }

    showProgress(isActive) {
        fillProgress(this.shown.querySelector("[role=progressbar]"));
        if (this.button) this.button.hidden = isActive;
        clearTimeout(this.timer);
        if (isActive) this.timer = setTimeout(() => this.poll(), POLL_MS);
    }

    async poll() {
        try {
            this.take(await request(this.address));
        } catch (error) {
            this.showProgress(willRetry(error, () => this.poll()));
        }
    }
}

export function openPerformance(curve, declared, select) {
    for (const button of panel.querySelectorAll("[data-performance]")) {
        button.addEventListener("click", async () => {
            if (await send(button, button.dataset.performance)) reload();
        });
    }
    new CalibrationRun();
    const choices = [...panel.querySelectorAll("[name=version]")];
    let plots;
    let asking;
    const show = async () => {
        asking?.abort();
        asking = new AbortController();
        showNote(fault, "");
        const chosen = choices.find(({ checked }) => checked) ?? choices[0];
        try {
            const residuals = chosen ? showEvidence(await request(chosen.value, { signal: asking.signal })) : [];
            plots ??= new Plots(curve, declared);
            plots.show(residuals);
        } catch (error) {
            if (error instanceof RequestFailed) showNote(fault, error.message);
            else if (error.name !== "AbortError") throw error;
        }
    };
    for (const choice of choices) choice.addEventListener("change", show);
    const tab = document.getElementById("tab-performance");
    tab.addEventListener("tabopen", () => {
        if (!plots && document.getElementById("plots")) show();
    });
    if (location.hash === "#performance") select(tab);
}
