// Voyage under way on the chart: plan, advised route, areas and limits it breaks, track made good and ship.

import { Chart } from "./chart/chart.js";
import { OwnShip, addRouteMarks } from "./chart/route_marks.js";
import { fillProgress } from "./dom.js";
import { duration, fullTime } from "./format.js";
import { ringFindings } from "./edit/findings.js";
import { legLine, unwrapWaypoints } from "./edit/route_model.js";
import { courseDeg, lngNear, unwrap } from "./geo.js";
import { refreshLiveParts } from "./live_refresh.js";
import { pageData } from "./page_data.js";
import { parseTime } from "./times.js";
import "./confirm.js";
import "./time_fields.js";

const chart = new Chart(document.querySelector(".chart"));
const advice = L.layerGroup().addTo(chart.map);
const rings = L.layerGroup().addTo(chart.map);
const madeGood = L.layerGroup().addTo(chart.map);

/** The ship points where it heads, or else along its track; it has no direction at its first position. */
function showShip({ sailed, headingDeg }) {
    madeGood.clearLayers();
    if (!sailed.length) return;
    const track = unwrap(sailed);
    const turn = lngNear(track.at(-1)[1], middleLng) - track.at(-1)[1];
    const line = track.map(([lat, lng]) => [lat, lng + turn]);
    for (const className of ["line-halo", "line-sailed"]) L.polyline(line, { className, interactive: false }).addTo(madeGood);
    const last = line.at(-1);
    const before = line.findLast(([lat, lng]) => lat !== last[0] || lng !== last[1]);
    new OwnShip(madeGood, [last], [headingDeg ?? (before && courseDeg(before, last))]).show(0);
    chart.bounds = L.latLngBounds([...route, last]);
}

/** Draw the areas in force, where the plan breaks a limit or enters one, and the advised route. */
function showOutlook({ areas, breaches, advised }) {
    chart.showAreas(areas);
    const near = (lng) => lngNear(lng, middleLng);
    ringFindings(rings, breaches, near);
    advice.clearLayers();
    if (!advised.length) return;
    const [first, ...rest] = advised;
    const places = unwrapWaypoints([{ ...first, lng: near(first.lng) }, ...rest]);
    const line = places.slice(1).flatMap((to, i) => legLine(places[i], to));
    for (const className of ["line-alt-halo", "line-alt line-alt-0"]) L.polyline(line, { className, interactive: false }).addTo(advice);
}

const showShare = () => fillProgress(document.querySelector("#voyage-body .progress"));

function show(data) {
    showOutlook(data);
    showShip(data);
    showShare();
}

const data = pageData();
const route = addRouteMarks(chart.map, { lat: [], lng: [] }, data.waypoints);
/** Middle longitude of the route as drawn, which may lie beyond 180. */
const middleLng = route[Math.floor(route.length / 2)][1];
chart.bounds = L.latLngBounds(route);
show(data);
refreshLiveParts((fresh) => show(pageData(fresh)));
document.addEventListener("click", ({ target }) => target.closest("[data-print]") && window.print());
/** A departure further from the plan is confirmed first. */
const USUAL_MS = 6 * 3600_000;

/** Ask before a voyage is started far from its planned departure; a time to come is refused without. */
function askFarStart(form, time) {
    const off = time - new Date(form.dataset.planned);
    if (Math.abs(off) <= USUAL_MS || time > Date.now()) {
        delete form.dataset.confirm;
        return;
    }
    const length = duration(Math.abs(off) / 3600_000);
    Object.assign(form.dataset, {
        confirm: `This is ${length} ${off < 0 ? "before" : "after"} the planned departure, ${fullTime(form.dataset.planned)}.`,
        confirmTitle: "Start this voyage?",
        confirmAction: "Start",
    });
}

document.addEventListener("submit", ({ target: form }) => {
    const time = form.dataset.planned && parseTime(form.at.value);
    if (time) askFarStart(form, time);
}, { capture: true });
