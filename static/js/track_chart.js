// Chart of a vessel's track, coloured by speed or fuel.

import { Chart } from "./chart/chart.js";
import { element } from "./dom.js";
import { fullTime, number } from "./format.js";
import { unwrap } from "./geo.js";

const WORDS = { speedKn: "speed over ground, kn", fuelMtPerDay: "main engine's fuel, mt/day" };
const UNITS = { speedKn: "kn", fuelMtPerDay: "mt/day" };
const NEAR_PX = 24;

/** Three round values that divide the recorded values into four classes. */
function thresholds(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
    const step = at(0.9) - at(0.1) > 4 ? 1 : 0.5;
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => Math.round(at(share) / step) * step);
    return [low, Math.max(middle, low + step), Math.max(high, middle + step, low + 2 * step)];
}

export class TrackChart {
    constructor(element, parts) {
        this.chart = new Chart(element);
        this.parts = parts.map((part) => ({ ...part, line: unwrap(part.lats.map((lat, i) => [lat, part.lngs[i]])) }));
        this.layer = L.layerGroup().addTo(this.chart.map);
        this.chart.bounds = L.latLngBounds(this.parts.flatMap(({ line }) => line));
        this.chart.fit();
        this.reading = element.parentElement.querySelector("[data-reading=logged]");
        this.chart.map.on("mousemove", ({ containerPoint }) => this.read(containerPoint));
    }

    show(by) {
        this.by = by;
        this.limits = thresholds(this.parts.flatMap((part) => part[by]));
        this.layer.clearLayers();
        for (const part of this.parts) this.drawPart(part, part[by].map((value) => this.classOf(value)));
        document.getElementById("track-note").textContent = WORDS[by];
        this.showLegend();
    }

    classOf(value) {
        return this.limits.filter((limit) => value >= limit).length + 1;
    }

    /** Draw one line for each run of points in the same class. */
    drawPart({ line }, classes) {
        L.polyline(line, { className: "track-halo", interactive: false }).addTo(this.layer);
        let begun = 0;
        for (let i = 1; i < line.length; i += 1) {
            if (i < line.length - 1 && classes[i] === classes[begun]) continue;
            L.polyline(line.slice(begun, i + 1), { className: `track track-${classes[begun]}`, interactive: false }).addTo(this.layer);
            begun = i;
        }
    }

    showLegend() {
        const [low, middle, high] = this.limits.map((value) => number(value, value % 1 ? 1 : 0));
        const texts = [`< ${low}`, low, middle, `${high} +`];
        const rows = texts.map((text, i) => element("li", "", element("span", `track-swatch track-swatch-${i + 1}`), text));
        document.getElementById("track-legend").replaceChildren(...rows);
    }

    /** Show the record nearest to the cursor. */
    read(cursor) {
        const { map } = this.chart;
        let best = { apart: NEAR_PX };
        for (const part of this.parts) {
            part.line.forEach((place, i) => {
                const apart = map.latLngToContainerPoint(place).distanceTo(cursor);
                if (apart < best.apart) best = { apart, part, i };
            });
        }
        const { part, i } = best;
        const words = part && `${fullTime(part.times[i] * 1000)}, ${number(part[this.by][i], 1)} ${UNITS[this.by]}`;
        this.reading.textContent = words ?? "–";
    }
}
