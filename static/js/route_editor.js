// Route editor: waypoints, legs and speeds; each change is checked on the server.

import { ask } from "./dialog.js";
import { Chart } from "./chart/chart.js";
import { countFindings, showDifferences, showFindings, showPlanned, showTotals } from "./edit/findings.js";
import { RouteLayer } from "./edit/route_layer.js";
import { RouteModel, unwrapWaypoints } from "./edit/route_model.js";
import { WaypointTable } from "./edit/waypoint_table.js";
import { wrapLng } from "./format.js";
import { whileBusy } from "./forms.js";
import { pair } from "./geo.js";
import { stepOf } from "./history.js";
import { loadAgain, pageData } from "./page_data.js";
import { request } from "./request.js";
import { toast } from "./toast.js";
import { askBeforeLeaving } from "./unsaved.js";

const NEAR_ZOOM = 9;
/** Response to a check that failed. */
const UNKNOWN = { findings: [], summary: null, waypoints: [] };

let data = pageData();
const chart = new Chart(document.querySelector(".chart"));
const form = document.getElementById("edit");
const status = document.getElementById("edit-status");
const retry = document.getElementById("check-again");
const planned = document.getElementById("planned");

const model = new RouteModel(unwrapWaypoints(data.waypoints), changed);
if (data.isRestored) model.saved = null;
const layer = new RouteLayer(chart.map, model);
const table = new WaypointTable(document.getElementById("waypoints"), model, (index) => layer.choose(index));
const [undo, redo, save] = ["undo", "redo", "save"].map((id) => document.getElementById(id));

let checking;
let answer = null;
let { opened } = data;

function changed() {
    // the index chosen may be another waypoint now
    if (table.body.rows.length !== model.waypoints.length) layer.choose(null);
    layer.draw();
    table.draw();
    check();
}

function showButtons() {
    undo.disabled = !model.history.canUndo;
    redo.disabled = !model.history.canRedo;
    save.disabled = !model.isChanged || !answer?.summary;
    document.getElementById("unsaved").hidden = !model.isChanged;
}

const sent = () => ({ waypoints: model.waypoints.map((waypoint) => ({ ...waypoint, lng: wrapLng(waypoint.lng) })) });

/** Request findings and totals; the response to an earlier state is ignored. */
async function check() {
    checking?.abort();
    checking = new AbortController();
    const { signal } = checking;
    answer = null;
    showButtons();
    let failure = "";
    form.setAttribute("aria-busy", "true");
    status.textContent = "Checking";
    try {
        answer = await request(data.checkAddress, { method: "POST", isPreview: true, body: sent(), signal });
    } catch (fault) {
        if (fault.name === "AbortError") return;
        failure = fault.message;
    }
    form.removeAttribute("aria-busy");
    show(answer ?? UNKNOWN);
    if (failure) status.textContent = failure;
    retry.hidden = !failure;
    showButtons();
}

function show({ findings, summary, waypoints }) {
    table.showFigures(waypoints);
    layer.showFindings(findings);
    showFindings(document.getElementById("findings"), findings, goTo);
    status.textContent = countFindings(findings);
    showTotals(summary);
    // one speed a leg is a little less exact than the plan: compared are figures of the same kind
    if (summary && !model.isChanged) {
        opened = summary;
        showPlanned(planned, data.opened, opened);
    }
    showDifferences(summary, opened);
}

function goTo({ lat, lng, waypointIndex, legIndex }) {
    if (lat !== null && lat !== undefined) {
        chart.map.setView([lat, layer.near(lng)], Math.max(chart.map.getZoom(), NEAR_ZOOM), { animate: false });
    }
    layer.choose(waypointIndex ?? (legIndex ?? -1) + 1);
}

layer.onChoose = (index) => {
    for (const row of table.body.rows) row.classList.toggle("is-current", Number(row.dataset.waypoint) === index);
    table.body.rows[index]?.scrollIntoView({ block: "nearest" });
};

/** Save the route; findings of severity danger require a reason, which the passage plan prints. */
async function saveRoute() {
    // an entry that cannot be read is not in the route
    const unread = table.body.querySelector("input:invalid");
    if (unread) {
        unread.focus();
        unread.reportValidity();
        return;
    }
    const dangers = answer.findings.filter(({ severity }) => severity === "danger");
    const dialog = document.getElementById("save-dialog");
    const reason = dialog.querySelector("textarea");
    dialog.querySelector("[data-dangers]").hidden = !dangers.length;
    dialog.querySelector("[data-count]").textContent = countFindings(dangers);
    reason.required = dangers.length > 0;
    if ((await ask(dialog)) !== "save") return;
    try {
        const send = () => request(data.saveAddress, { method: "POST", body: { ...sent(), reason: reason.value } });
        const { address } = await whileBusy(save, send);
        model.saved = JSON.stringify(model.waypoints);
        window.location.assign(address);
    } catch (fault) {
        if (fault.data?.revision) await goOnWithNewest(fault.message);
        else {
            status.textContent = fault.message;
            toast(fault.message);
        }
    }
}

/** Base the edit on the newest revision, so that it can be saved as the one after it. */
async function goOnWithNewest(words) {
    const dialog = document.getElementById("newer");
    dialog.querySelector("[data-words]").textContent = words;
    const page = await loadAgain();
    if (page) {
        data = pageData(page);
        for (const id of ["save", "save-title", "planned"]) document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
        planned.hidden = false;
        chart.showAreas(data.areas);
        layer.showBase(data.base);
        ({ opened } = data);
        check();
    }
    await ask(dialog);
}

undo.addEventListener("click", () => model.history.undo());
redo.addEventListener("click", () => model.history.redo());
save.addEventListener("click", saveRoute);
retry.addEventListener("click", check);
for (const [target, event] of [[window, "online"], [document, "signedin"]]) {
    target.addEventListener(event, () => !retry.hidden && check());
}
document.addEventListener("keydown", (event) => {
    const step = stepOf(event);
    const field = event.target.closest("input, textarea");
    const isTyping = field && field.value !== field.defaultValue; // the browser undoes it
    if (step && !isTyping && !event.target.closest("dialog")) {
        event.preventDefault();
        model.history[step]();
    }
    const isOnChart = event.target.closest(".leaflet-container") || event.target === document.body;
    if (event.key === "Delete" && isOnChart) model.remove(layer.chosen);
});
askBeforeLeaving(() => model.isChanged);

chart.line = model.waypoints.map(pair);
chart.bounds = L.latLngBounds(chart.line);
chart.showAreas(data.areas);
layer.showBase(data.base);
chart.fit();
showButtons();
check();
