// A voyage under way on the chart: the plan, the track made good, the ship.

import { Chart } from "./chart/chart.js";
import { OwnShip, addRouteMarks, runOn } from "./chart/route_marks.js";
import { courseDeg } from "./geo.js";
import { pageData } from "./request.js";

const { waypoints, areas, sailed, progress } = pageData();
const chart = new Chart(document.querySelector(".chart"));

function showShip() {
    const lngs = runOn(sailed.map(([, lng]) => lng));
    const line = sailed.map(([lat], i) => [lat, lngs[i]]);
    L.polyline(line, { className: "line-halo", interactive: false }).addTo(chart.map);
    L.polyline(line, { className: "line-sailed", interactive: false }).addTo(chart.map);
    const at = line.length - 1;
    const courses = line.map((place, i) => (i ? courseDeg(line[i - 1], place) : 0));
    new OwnShip(chart.map, line, courses).show(at);
}

addRouteMarks(chart.map, { lat: [], lng: [] }, waypoints);
chart.showAreas(areas);
if (sailed.length) showShip();

const bar = document.querySelector(".progress");
if (bar && progress) bar.firstElementChild.style.setProperty("--share", Number(bar.getAttribute("aria-valuenow")) / 100);
