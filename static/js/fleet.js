// Fleet page: list of vessels, fuel curve, carbon intensity and track of a vessel.

import uPlot from "uplot";

import { showCii } from "./cii_chart.js";
import { drawDots, markDeclared, plotAxis } from "./plots.js";
import { FleetList } from "./fleet_list.js";
import { number } from "./format.js";
import { token } from "./palette.js";
import { openPerformance } from "./performance.js";
import { pageData } from "./page_data.js";
import { RequestFailed, request } from "./request.js";
import { openTabs } from "./tabs.js";
import { toast } from "./toast.js";
import { TrackChart } from "./track_chart.js";

const { curve, recorded, declared, serviceSpeedKn, focMtPerDay, records, summaries } = pageData();
const place = document.getElementById("curve");
let plot;

function markService(drawn) {
    const { ctx } = drawn;
    const ratio = uPlot.pxRatio;
    const [x, y] = [drawn.valToPos(serviceSpeedKn, "x", true), drawn.valToPos(focMtPerDay, "y", true)];
    ctx.save();
    ctx.beginPath();
    ctx.arc(x, y, 5 * ratio, 0, 2 * Math.PI);
    ctx.fillStyle = token("panel");
    ctx.fill();
    ctx.lineWidth = 2 * ratio;
    ctx.strokeStyle = token("ink");
    ctx.stroke();
    ctx.font = `600 ${12 * ratio}px ${token("font")}`;
    ctx.fillStyle = token("ink");
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    ctx.fillText("service speed", x - 10 * ratio, y - 2 * ratio);
    ctx.restore();
}

const marked = [...recorded, ...declared];

/** Range of the speed axis over the curve and the points. */
function speedRange(_plot, low, high) {
    const speeds = marked.map(([speed]) => speed);
    return [Math.min(low, ...speeds) - 0.2, Math.max(high, ...speeds) + 0.2];
}

function build() {
    plot?.destroy();
    const axis = plotAxis();
    plot = new uPlot(
        {
            width: place.clientWidth,
            height: place.clientHeight,
            padding: [12, 16, 0, 0],
            legend: { show: false },
            scales: { x: { time: false, range: speedRange }, y: { range: (_plot, _low, high) => [0, Math.max(high, ...marked.map(([, fuel]) => fuel)) * 1.1] } },
            series: [{}, { stroke: token("accent"), width: 2, points: { show: false } }],
            axes: [
                { ...axis, values: (_plot, splits) => splits.map((speed) => `${number(speed, speed % 1 ? 1 : 0)} kn`) },
                { ...axis, size: 40, values: (_plot, splits) => splits.map((fuel) => number(fuel)) },
            ],
            cursor: { y: false, points: { size: 7, fill: token("panel"), stroke: token("accent"), width: 2 } },
            hooks: { draw: [(drawn) => drawDots(drawn, recorded, 3), markDeclared(declared), markService] },
        },
        [curve.speedKn, curve.focMtPerDay],
        place,
    );
}

if (curve.speedKn.length > 1) {
    build();
    document.addEventListener("palettechange", build);
    new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: place.clientHeight })).observe(place);
} else {
    place.textContent = "The particulars are outside the range of the resistance method, so there is no curve.";
}

async function showRecords() {
    const place = document.getElementById("cii");
    if (!place) return;
    let found;
    try {
        found = await request(records);
    } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        place.removeAttribute("aria-busy");
        place.textContent = "The records could not be loaded.";
        toast(`The vessel's records could not be loaded. ${error.message}`, { act: "Try again", onAct: showRecords });
        return;
    }
    const { months, boundaries, track } = found;
    showCii(place, months, boundaries);
    // Noon reports alone have no track.
    const section = document.querySelector(".ship__part--chart");
    section.hidden = !track.length;
    if (section.hidden) return;
    const chart = new TrackChart(document.querySelector(".chart"), track);
    chart.show("speedKn");
    for (const choice of document.querySelectorAll("[name=track-by]")) {
        choice.addEventListener("change", () => chart.show(choice.value));
    }
}

openPerformance(curve, declared, openTabs(document.querySelector("[role=tablist]")));
showRecords();
new FleetList().load(summaries);
