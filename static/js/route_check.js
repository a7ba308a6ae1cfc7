// Check of a route file: findings in a list and on the chart, and totals of the route.

import { Chart } from "./chart/chart.js";
import { acceptDrops } from "./file_drop.js";
import { countFindings, ringFindings, showFindings, showTotals } from "./edit/findings.js";
import { legLine, unwrapWaypoints } from "./edit/route_model.js";
import { clearFaults, readTimes, showNote, showRefusal } from "./forms.js";
import { lngNear, pair } from "./geo.js";
import { pageData } from "./page_data.js";
import { request } from "./request.js";

const NEAR_ZOOM = 9;

const data = pageData();
const chart = new Chart(document.querySelector(".chart"));
const form = document.getElementById("check");
const submit = form?.querySelector("[type=submit]");
const lines = L.layerGroup().addTo(chart.map);
const rings = L.layerGroup().addTo(chart.map);

/** Middle longitude of the route as drawn, which may lie beyond 180. */
let middleLng = 0;
const near = (lng) => lngNear(lng, middleLng);

function draw(waypoints) {
    lines.clearLayers();
    if (!waypoints.length) return;
    const places = unwrapWaypoints(waypoints);
    middleLng = places[Math.floor(places.length / 2)].lng;
    places.slice(1).forEach((to, i) => {
        L.polyline(legLine(places[i], to), { className: "edited-leg", interactive: false }).addTo(lines);
    });
    for (const { lat, lng } of places) {
        L.circleMarker([lat, lng], { radius: 3, className: "waypoint", interactive: false }).addTo(lines);
    }
    chart.line = places.map(pair);
    chart.bounds = L.latLngBounds(chart.line);
    chart.fit();
}

function goTo({ lat, lng }) {
    if (lat === null) return;
    chart.map.setView([lat, near(lng)], Math.max(chart.map.getZoom(), NEAR_ZOOM), { animate: false });
}

function show({ findings, summary, waypoints, areas }) {
    chart.showAreas(areas);
    draw(waypoints);
    ringFindings(rings, findings, near);
    showFindings(document.getElementById("findings"), findings, goTo);
    document.getElementById("check-status").textContent = countFindings(findings);
    showTotals(summary);
    document.getElementById("result").hidden = false;
}

let checking;

/** Remove what an earlier check showed, and ignore the answer to one that runs. */
function clear() {
    checking?.abort();
    submit.removeAttribute("aria-busy");
    lines.clearLayers();
    rings.clearLayers();
    document.getElementById("result").hidden = true;
}

/** Check the chosen file. */
async function check(event) {
    event?.preventDefault();
    clear();
    clearFaults(form);
    const note = document.getElementById("check-fault");
    showNote(note, "");
    const body = new FormData(form);
    body.set("startDate", readTimes(form, ["startDate"]).startDate ?? "");
    if (form.querySelector(".field--wrong")) return;
    checking = new AbortController();
    const { signal } = checking;
    submit.setAttribute("aria-busy", "true");
    try {
        show(await request(data.checkAddress, { method: "POST", isPreview: true, body, signal }));
    } catch (fault) {
        if (fault.name === "AbortError") return;
        showRefusal(form, note, fault);
    }
    submit.removeAttribute("aria-busy");
}

function chooseFile() {
    const [file] = form.elements.file.files;
    document.querySelector("[data-file]").textContent = file ? file.name : "Drop a route file here, or choose one";
    if (file) check();
}

chart.showAreas(data.areas);
if (form) {
    const { vesselId, draft, file } = form.elements;
    const takeDraft = () => {
        draft.value = data.drafts[vesselId.value] ?? "";
    };
    vesselId.addEventListener("change", takeDraft);
    takeDraft();
    file.addEventListener("change", chooseFile);
    // figures and findings belong to the entries that the form shows
    form.addEventListener("input", clear);
    form.addEventListener("submit", check);
    acceptDrops(document.getElementById("drop"), file, chooseFile);
}
