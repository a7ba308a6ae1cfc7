// Profiles of waves, wind and speed along the voyage, on the time axis of the slider.

import uPlot from "uplot";

import { haloText } from "./chart/graticule.js";
import { element } from "./dom.js";
import { axisTime, number, shortTime } from "./format.js";
import { token } from "./palette.js";
import { drawLevel, plotAxis, tzDate } from "./plots.js";

const KNOTS = 1.943844;
const LEFT = 38;
const RIGHT = 64;
const AXIS = 22;
const NAMES = 66;
/** Height of a label in a plot [px]. */
const LABEL = 14;

const PLOTS = [
    { name: "Waves", unit: "m", column: "waveHeightM", decimals: 1, limit: ({ waveM }) => waveM, fill: "wave-1", from: 0 },
    { name: "Wind", unit: "kn", column: "windSpeedMs", factor: KNOTS, decimals: 0, limit: ({ windMs }) => windMs && windMs * KNOTS, from: 0 },
    { name: "Speed", unit: "kn", column: "speedKn", second: "speedThroughWaterKn", decimals: 1 },
    { name: "Power", unit: "kW", column: "powerKw", decimals: 0, spare: true, from: 0 },
    { name: "Depth", unit: "m", column: "depthM", decimals: 0, spare: true, from: 0 },
];

const known = (values) => values.some((value) => value !== null && value !== undefined);

/** Choose the plots: weather if there is any, else power and depth. */
function choosePlots(track) {
    const shown = PLOTS.filter(({ column, spare }) => !spare && known(track[column]));
    const spare = PLOTS.filter(({ column, spare }) => spare && known(track[column]));
    return [...shown, ...spare.slice(0, 3 - shown.length)];
}

const scaled = (values, factor = 1) => values.map((value) => (value === null ? null : value * factor));

function drawLimit(plot, limit, unit, decimals) {
    const { ctx, bbox } = plot;
    const y = Math.round(plot.valToPos(limit, "y", true)) + 0.5;
    const ratio = uPlot.pxRatio;
    drawLevel(plot, y, 1.5);
    ctx.save();
    ctx.font = `600 ${12 * ratio}px ${token("font")}`;
    ctx.fillStyle = token("ink");
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.fillText(`max ${number(limit, decimals)}`, bbox.left + bbox.width + 6 * ratio, y);
    ctx.restore();
}

/** Return a test whether a value is above a limit; null is no limit. */
export function isOver(limit) {
    return (value) => limit !== null && limit !== undefined && value !== null && value > limit;
}

/** Draw the values of an alternative at its own times, red above the limit. */
function drawOther(plot, { times, values, limit }) {
    const { ctx, bbox } = plot;
    const over = isOver(limit);
    const [usual, broken] = [token("alt"), token("danger")];
    const at = (i) => [plot.valToPos(times[i], "x", true), plot.valToPos(values[i], "y", true)];
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (let i = 1; i < times.length; i += 1) {
        if (values[i - 1] === null || values[i] === null) continue;
        const isBroken = over(values[i - 1]) || over(values[i]);
        ctx.beginPath();
        ctx.strokeStyle = isBroken ? broken : usual;
        ctx.lineWidth = (isBroken ? 3 : 1.75) * uPlot.pxRatio;
        ctx.moveTo(...at(i - 1));
        ctx.lineTo(...at(i));
        ctx.stroke();
    }
    ctx.restore();
}

/** Write a label in the plot, below `top` from `from` on or at its bottom right. */
function writeLabel(plot, words, colour, from, top) {
    const { ctx, bbox } = plot;
    const gap = 4 * uPlot.pxRatio;
    const isTop = from !== undefined;
    ctx.save();
    ctx.font = `400 ${11 * uPlot.pxRatio}px ${token("font")}`;
    ctx.textAlign = "left";
    ctx.textBaseline = isTop ? "top" : "bottom";
    const last = bbox.left + bbox.width - gap - ctx.measureText(words).width;
    const x = isTop ? Math.min(from + gap, last) : last;
    const y = isTop ? top + gap / 2 : bbox.top + bbox.height - gap / 2;
    haloText(ctx, words, x, y, token(colour), token("panel"), uPlot.pxRatio);
    ctx.restore();
}

/** Name the hatched time, below a limit at the top, and the alternative that arrives later, over all that is drawn. */
function drawLabels(plot, [first], other, limit) {
    const { top } = plot.bbox;
    const line = limit ? plot.valToPos(limit, "y", true) : top;
    const isInWay = line - top < LABEL * uPlot.pxRatio;
    if (first) writeLabel(plot, "climatology", "ink-2", plot.valToPos(first.from, "x", true), isInWay ? Math.max(line, top) : top);
    const end = other?.times.at(-1);
    if (end > plot.scales.x.max) writeLabel(plot, `alternative continues to ${shortTime(end * 1000, plot.scales.x.min * 1000)}`, "alt");
}

/** List the spans of time in which the weather is climatology, most often one after the forecast. */
function climatologySpans(times, source) {
    const spans = [];
    for (const [i, name] of source.entries()) {
        const [is, was] = [name, source[i - 1]].map((each) => each === "CLIMATOLOGY");
        if (is && !was) spans.push({ from: times[i], to: times.at(-1) });
        if (was && !is) spans.at(-1).to = times[i];
    }
    return spans;
}

/** Hatch a span of climatology. */
function hatch(plot, { from, to }) {
    const { ctx, bbox } = plot;
    const [left, right] = [from, to].map((time) => Math.min(plot.valToPos(time, "x", true), bbox.left + bbox.width));
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, right - left, bbox.height);
    ctx.clip();
    ctx.strokeStyle = token("line");
    ctx.lineWidth = uPlot.pxRatio;
    for (let x = left - bbox.height; x < right; x += 8 * uPlot.pxRatio) {
        ctx.moveTo(x, bbox.top + bbox.height);
        ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
}

function yRange(kind, limit, others) {
    const known = others.filter((value) => value !== null);
    return (_plot, low, high) => {
        const top = known.reduce((most, value) => Math.max(most, value), Math.max(high ?? 1, limit ?? 0));
        const least = known.reduce((found, value) => Math.min(found, value), low ?? 0);
        const bottom = kind.from ?? Math.max(0, Math.floor(least - 1));
        return [bottom, top + (top - bottom) * 0.12 + 0.1];
    };
}

export class Profile {
    constructor(container, timeCursor, limits) {
        Object.assign(this, { container, timeCursor, limits });
        this.kinds = choosePlots(timeCursor.track);
        this.plots = [];
        this.build();
        new ResizeObserver(() => this.resize()).observe(container);
        document.addEventListener("palettechange", () => this.build());
        container.addEventListener("mouseleave", () => timeCursor.release());
        timeCursor.watch((at) => this.show(at));
    }

    /** Overlay the track of an alternative, or none. */
    compare(track) {
        this.other = track && { track, times: track.time.map((time) => Date.parse(time) / 1000) };
        this.build();
    }

    build() {
        for (const { plot } of this.plots) plot.destroy();
        this.container.replaceChildren();
        this.plots = this.kinds.map((kind, i) => this.add(kind, i === this.kinds.length - 1, i === 0));
        this.resize();
        this.show(this.timeCursor.at);
    }

    add(kind, last, first) {
        const shown = element("b");
        const body = element("div");
        const name = element("div", "plot__name", `${kind.name} ${kind.unit}`, shown);
        const row = element("div", last ? "plot plot--last" : "plot", name, body);
        this.container.append(row);
        const values = scaled(this.timeCursor.track[kind.column], kind.factor);
        const data = [this.timeCursor.times, values];
        if (kind.second) data.push(scaled(this.timeCursor.track[kind.second]));
        const plot = new uPlot(this.options(kind, last, first), data, body);
        plot.over.addEventListener("click", () => this.timeCursor.pin());
        return { plot, body, values, kind, shown };
    }

    options(kind, last, first) {
        const { times, track } = this.timeCursor;
        const limit = kind.limit?.(this.limits);
        const other = this.other && {
            times: this.other.times,
            values: scaled(this.other.track[kind.column], kind.factor),
            limit,
        };
        const spans = climatologySpans(times, track.source);
        const [ink, quiet, line] = [token("ink"), token("ink-2"), token("line")];
        const axis = plotAxis();
        const series = [{}, { stroke: ink, width: 1.5, fill: kind.fill && token(kind.fill), points: { show: false } }];
        if (kind.second) series.push({ stroke: quiet, width: 1.25, dash: [2, 3], points: { show: false } });
        return {
            width: 300,
            height: 60,
            padding: [6, RIGHT, last ? 0 : 7, 0],
            legend: { show: false },
            tzDate,
            scales: { x: { time: true }, y: { range: yRange(kind, limit, other?.values ?? []) } },
            series,
            axes: [
                { ...axis, size: last ? AXIS : 0, space: 76, gap: 2, values: (_plot, splits) => (last ? splits.map((s) => axisTime(s, splits)) : []) },
                { ...axis, size: LEFT, space: 22, gap: 4, grid: { show: false }, border: { show: true, stroke: line, width: 1 }, values: (_plot, splits) => splits.map((s) => number(s, s % 1 ? 1 : 0)) },
            ],
            cursor: { x: true, y: false, points: { size: 7, stroke: ink, fill: token("panel"), width: 1.5 }, drag: { x: false, y: false } },
            hooks: {
                setCursor: [(plot) => this.onCursor(plot)],
                drawAxes: spans.map((span) => (plot) => hatch(plot, span)),
                draw: [
                    ...(limit ? [(plot) => drawLimit(plot, limit, kind.unit, kind.decimals)] : []),
                    ...(other ? [(plot) => drawOther(plot, other)] : []),
                    ...(first ? [(plot) => drawLabels(plot, spans, other, limit)] : []),
                ],
            },
        };
    }

    onCursor(plot) {
        // Ignore cursor changes that `show` makes itself.
        if (this.leading || plot.cursor.idx === null || plot.cursor.event === undefined) return;
        if (plot.cursor.event) this.timeCursor.show(plot.cursor.idx);
    }

    show(at) {
        this.leading = true;
        for (const { plot, values, kind, shown } of this.plots) {
            shown.textContent = number(values[at], kind.decimals);
            plot.setCursor({ left: plot.valToPos(this.timeCursor.times[at], "x"), top: 10 }, false);
        }
        this.leading = false;
    }

    resize() {
        for (const { plot, body } of this.plots) {
            const { clientWidth: width, clientHeight: height } = body.parentElement;
            if (width > 120 && height > 20) plot.setSize({ width: width - NAMES, height });
        }
        this.show(this.timeCursor.at);
    }
}
