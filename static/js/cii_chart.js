// Chart of monthly carbon intensity over the rating bands, with the year to date.

import { element, emptyNote, shape } from "./dom.js";
import { MONTHS, number } from "./format.js";

const EDGE = { left: 44, right: 34, top: 10, foot: 36 };
const MOST_BARS = 24;

/** Axis step of 1, 2 or 5 times a power of ten, for about six lines. */
function niceStep(span) {
    const rough = span / 6;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
}

class Plot {
    constructor(place, months, boundaries) {
        Object.assign(this, { place, months, boundaries });
        [this.width, this.height] = [place.clientWidth, place.clientHeight];
        this.svg = shape("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true" });
        this.required = months.at(-1).cii.required;
        const attained = months.flatMap(({ cii, yearSoFar }) => [cii.attained, yearSoFar.attained]);
        this.bands = boundaries.map((share) => share * this.required);
        // Bars start at zero, so that their lengths compare like their values.
        this.low = 0;
        this.high = 1.06 * Math.max(...attained, this.bands.at(-1));
    }

    add(...drawn) {
        this.svg.append(shape(...drawn));
    }

    x(i) {
        const room = this.width - EDGE.left - EDGE.right;
        return EDGE.left + ((i + 0.5) * room) / this.months.length;
    }

    y(value) {
        const room = this.height - EDGE.top - EDGE.foot;
        return EDGE.top + room * (1 - (value - this.low) / (this.high - this.low));
    }

    drawBands() {
        const edges = [this.low, ...this.bands, this.high];
        const right = this.width - EDGE.right;
        [..."ABCDE"].forEach((letter, i) => {
            const [top, foot] = [this.y(edges[i + 1]), this.y(edges[i])];
            if (i % 2 === 0) this.add("rect", { class: "cii__band", x: EDGE.left, y: top, width: right - EDGE.left, height: Math.max(0, foot - top) });
            this.add("text", { class: `cii__letter cii__letter--${letter.toLowerCase()}`, x: this.width - 14, y: (top + foot) / 2 + 4 }, letter);
        });
        const step = niceStep(this.high - this.low);
        for (let value = Math.ceil(this.low / step) * step; value < this.high; value += step) {
            this.add("text", { class: "cii__axis", x: EDGE.left - 8, y: this.y(value) + 4 }, number(value, step < 1 ? 1 : 0));
        }
    }

    drawBars() {
        const wide = Math.min(34, ((this.width - EDGE.left - EDGE.right) / this.months.length) * 0.66);
        const foot = this.y(this.low);
        this.months.forEach(({ month, cii }, i) => {
            const top = this.y(cii.attained);
            this.add("rect", { class: `cii__bar cii__bar--${cii.rating.toLowerCase()}`, x: this.x(i) - wide / 2, y: top, width: wide, height: Math.max(1, foot - top) });
            if (wide > 24 && foot - top > 18) this.add("text", { class: "cii__value", x: this.x(i), y: foot - 6 }, number(cii.attained, 2));
            const name = MONTHS[Number(month.slice(5, 7)) - 1];
            this.add("text", { class: "cii__month", x: this.x(i), y: this.height - 20 }, wide > 16 ? name : name[0]);
            const year = month.slice(0, 4);
            if (year !== this.months[i - 1]?.month.slice(0, 4)) this.add("text", { class: "cii__month", x: this.x(i), y: this.height - 6 }, year);
        });
    }

    drawLines() {
        const [left, right, level] = [EDGE.left, this.width - EDGE.right, this.y(this.required)];
        this.add("path", { class: "cii__required", d: `M${left} ${level}H${right}` });
        this.add("text", { class: "cii__label", x: right - 4, y: level - 5 }, `required ${number(this.required, 2)}`);
        let before;
        const points = this.months.map(({ month, yearSoFar }, i) => {
            const pen = month.slice(0, 4) === before ? "L" : "M";
            before = month.slice(0, 4);
            return `${pen}${this.x(i)} ${this.y(yearSoFar.attained)}`;
        });
        this.add("path", { class: "cii__year", d: points.join("") });
        const last = this.months.length - 1;
        this.add("circle", { class: "cii__year-end", cx: this.x(last), cy: this.y(this.months[last].yearSoFar.attained), r: 4 });
    }

    draw() {
        this.drawBands();
        this.drawBars();
        this.drawLines();
        this.place.replaceChildren(this.svg, this.table());
    }

    /** Create a table of the values for screen readers. */
    table() {
        const rows = this.months.map(({ month, cii, yearSoFar }) => {
            const cells = [month.slice(0, 7), number(cii.attained, 2), cii.rating, number(yearSoFar.attained, 2)];
            return element("tr", "", ...cells.map((cell) => element("td", "", cell)));
        });
        const heads = ["Month", "Attained", "Rating", "Year so far"].map((name) => element("th", "", name));
        const caption = element("caption", "", `Required ${number(this.required, 2)}`);
        return element("table", "visually-hidden", caption, element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...rows));
    }
}

export function showCii(place, months, boundaries) {
    const rated = months.filter(({ cii, yearSoFar }) => cii && yearSoFar).slice(-MOST_BARS);
    place.removeAttribute("aria-busy");
    if (!rated.length || !boundaries) {
        const words = boundaries ? "No month of this period has enough time under way." : "Not rated: the vessel's type is not given or has no reference line, its capacity is not known, or it is below 5,000 GT.";
        place.replaceChildren(emptyNote("div", "Not rated", words));
        return;
    }
    // The width is zero while another tab is open.
    const draw = () => place.clientWidth && new Plot(place, rated, boundaries).draw();
    new ResizeObserver(draw).observe(place);
}
