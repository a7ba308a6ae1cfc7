// Voyage under way on the chart: plan, track made good and ship.

import { Chart } from "./chart/chart.js";
import { OwnShip, addRouteMarks } from "./chart/route_marks.js";
import { fillProgress } from "./dom.js";
import { courseDeg, unwrap } from "./geo.js";
import { refreshLiveParts } from "./live_refresh.js";
import { pageData } from "./page_data.js";
import { parseTime, writeTime } from "./times.js";
import "./confirm.js";

const chart = new Chart(document.querySelector(".chart"));
const madeGood = L.layerGroup().addTo(chart.map);

/** The ship points where it heads, or else along its track; it has no direction at its first position. */
function showShip({ sailed, headingDeg }) {
    madeGood.clearLayers();
    if (!sailed.length) return;
    const line = unwrap(sailed);
    for (const className of ["line-halo", "line-sailed"]) L.polyline(line, { className, interactive: false }).addTo(madeGood);
    const last = line.at(-1);
    const before = line.findLast(([lat, lng]) => lat !== last[0] || lng !== last[1]);
    new OwnShip(madeGood, [last], [headingDeg ?? (before && courseDeg(before, last))]).show(0);
}

const showShare = () => fillProgress(document.querySelector("#voyage-body .progress"));

const { waypoints, areas, ...reported } = pageData();
addRouteMarks(chart.map, { lat: [], lng: [] }, waypoints);
chart.showAreas(areas);
showShip(reported);
showShare();
refreshLiveParts((fresh) => {
    showShip(pageData(fresh));
    showShare();
});
document.addEventListener("click", ({ target }) => target.closest("[data-print]") && window.print());
document.addEventListener("change", ({ target: input }) => {
    if (input.name !== "at") return;
    const time = parseTime(input.value);
    input.setCustomValidity(time ? "" : "Enter the departure, like 14 Jan 2026 18:00.");
    if (time) input.value = writeTime(time);
    input.reportValidity();
});
