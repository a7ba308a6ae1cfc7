// Trade-off curve of fuel against arrival, from which an arrival can be chosen and planned.

import uPlot from "uplot";

import { axisTime, number } from "./format.js";
import { whileBusy } from "./forms.js";
import { plotAxis, tzDate } from "./plots.js";
import { request } from "./request.js";

const LEFT = 38;
const BELOW = 22;
/** Padding for the points at the edges, and for half of the last label at the right [px]. */
const EDGE = 12;
const RIGHT = 28;
const MARGIN = 0.12;
/** Distance of ticks up the axis of fuel [px]; a quarter of a low axis, so that it has two of them. */
const BETWEEN = 26;

/** Range of an axis, with room for the points at its ends. */
function roomy(_plot, low, high) {
    const room = Math.max(high - low, 1) * MARGIN;
    return [low - room, high + room];
}

export class FuelFront {
    constructor(form) {
        this.form = form;
        this.points = [...form.elements.arrival].map((input) => ({
            input,
            time: Date.parse(input.value) / 1000,
            fuel: Number(input.dataset.fuel),
        }));
        this.curve = form.querySelector(".front__curve");
        this.draw();
        new ResizeObserver(() => this.resize()).observe(this.curve);
        document.addEventListener("palettechange", () => this.draw());
        this.bind();
        this.describe();
    }

    get height() {
        return this.curve.parentElement.clientHeight;
    }

    draw() {
        this.plot?.destroy();
        const data = [this.points.map(({ time }) => time), this.points.map(({ fuel }) => fuel)];
        this.plot = new uPlot(this.options(), data, this.curve);
        this.place();
    }

    options() {
        const axis = plotAxis();
        return {
            width: this.curve.clientWidth,
            height: this.height,
            padding: [EDGE, RIGHT, 0, 0],
            legend: { show: false },
            cursor: { show: false },
            tzDate,
            scales: { x: { time: true, range: roomy }, y: { range: roomy } },
            series: [{}, { stroke: axis.stroke, width: 1.25, points: { show: false } }],
            axes: [
                { ...axis, size: BELOW, space: 76, gap: 4, grid: { show: false }, values: (_plot, splits) => splits.map((second) => axisTime(second, splits)) },
                { ...axis, size: LEFT, space: (_plot, _axis, _low, _high, height) => Math.min(BETWEEN, height / 4), gap: 6, values: (_plot, splits) => splits.map((mt) => number(mt, mt % 1 ? 1 : 0)) },
            ],
        };
    }

    resize() {
        this.plot.setSize({ width: this.curve.clientWidth, height: this.height });
        this.place();
    }

    /** Place the points, which are inputs of the form, over the curve. */
    place() {
        const { plot } = this;
        for (const { input, time, fuel } of this.points) {
            input.style.left = `${plot.over.offsetLeft + plot.valToPos(time, "x")}px`;
            input.style.top = `${plot.over.offsetTop + plot.valToPos(fuel, "y")}px`;
        }
    }

    bind() {
        for (const { input } of this.points) {
            input.addEventListener("mouseenter", () => this.describe(input));
            input.addEventListener("mouseleave", () => this.describe());
            input.addEventListener("change", () => this.describe());
        }
        this.curve.parentElement.addEventListener("click", (event) => this.chooseNearest(event));
        this.form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.order(event.submitter);
        });
    }

    /** Choose the arrival nearest to where the plot was pressed: the points are too small for a thumb. */
    chooseNearest({ clientX, detail }) {
        // A key's click has no place.
        if (!detail) return;
        const offX = ({ left, width }) => Math.abs(clientX - left - width / 2);
        const off = ({ input }) => offX(input.getBoundingClientRect());
        const { input } = this.points.reduce((best, point) => (off(point) < off(best) ? point : best));
        input.checked = true;
        this.describe();
    }

    get chosen() {
        return this.points.find(({ input }) => input.checked).input;
    }

    /** Describe a point; only an arrival other than the plan's can be planned. */
    describe(input = this.chosen) {
        this.form.querySelector("[data-front=words]").textContent = input.dataset.words;
        const button = this.form.querySelector("[type=submit]");
        if (button) button.hidden = this.chosen.dataset.planned !== undefined;
    }

    async order(button) {
        const fault = this.form.querySelector(".field__error");
        fault.textContent = "";
        const body = { endDate: this.chosen.value };
        try {
            await whileBusy(button, () => request(this.form.dataset.address, { method: "POST", body }));
            window.location.reload();
        } catch (error) {
            fault.textContent = error.faults?.map(({ detail }) => detail).join(" ") || error.message;
        }
    }
}
