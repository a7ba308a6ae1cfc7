// Constraints page: list and chart of the constraints, and the form of the open one.

import { Desk } from "./area/desk.js";
import { areaRow, matchesFilters } from "./area/list.js";
import { areaNm2, cornersOf, covers, geometryOf, polygonsOf } from "./area/outline.js";
import { takeCorners } from "./area/corner_text.js";
import { importFile, remove, save } from "./area/saving.js";
import { AreaStore } from "./area/store.js";
import { Chart } from "./chart/chart.js";
import { emptyNote } from "./dom.js";
import { clock } from "./format.js";
import { stepOf } from "./history.js";
import { pageData } from "./page_data.js";
import { toast } from "./toast.js";
import { askBeforeLeaving } from "./unsaved.js";

const NUDGES = { ArrowUp: [0.1, 0], ArrowDown: [-0.1, 0], ArrowRight: [0, 0.1], ArrowLeft: [0, -0.1] };

const data = pageData();
const byId = (id) => document.getElementById(id);
const chart = new Chart(document.querySelector(".chart"));
const { map } = chart;
const filters = byId("filters");
const store = new AreaStore(data.constraints, data.address);
const desk = new Desk(map, store, data, draw);
const { editor, form } = desk;

function draw() {
    drawList();
    drawAreas();
}

function drawAreas() {
    const own = store.areas
        .filter(({ id }) => id !== desk.chosen?.id)
        .map(({ name, geometry, is_active: isActive }) => ({
            name,
            avoided: isActive,
            isOff: !isActive,
            rings: polygonsOf(geometry).flat().map((ring) => [...ring, ring[0]]),
        }));
    chart.showAreas([...data.zones, ...own]);
}

function drawList() {
    const asked = Object.fromEntries(new FormData(filters));
    const shown = store.areas.filter((constraint) => matchesFilters(constraint, asked));
    const rows = shown.map((constraint) =>
        areaRow(constraint, {
            isChosen: constraint.id === desk.chosen?.id,
            isUnsaved: desk.isDirty && constraint.id === desk.chosen?.id,
            onChoose: () => desk.choose(constraint),
        }),
    );
    byId("areas").replaceChildren(...(rows.length ? rows : [emptyRow()]));
    document.querySelector("[data-count]").textContent = store.areas.length;
}

function emptyRow() {
    if (store.areas.length) return emptyNote("li", "No constraint matches", "Clear the filters.");
    const words = data.mayDraw ? "Draw an area on the chart and save it." : "Planners draw them on the chart.";
    return emptyNote("li", "No constraints yet", words);
}

/** Open a new area with the corners of a pasted text. */
function paste() {
    const taken = takeCorners(form.form, byId("pasted"));
    if (!taken) return;
    desk.openNew({ geometry: geometryOf([[taken.ring]]) });
    desk.showWhole();
    if (taken.note) toast(`${taken.ring.length} corners read. ${taken.note}.`);
}

function bindKeys() {
    document.addEventListener("keydown", (event) => {
        if (event.target.closest("input, textarea, select, dialog")) return;
        const step = stepOf(event);
        if (step && editor.isOpen && editor.editable) {
            event.preventDefault();
            editor.history[step]();
        }
    });
    // In the capture phase, before Leaflet moves the chart.
    map.getContainer().addEventListener(
        "keydown",
        (event) => {
            const nudge = NUDGES[event.key];
            if (nudge && editor.nudge(...nudge)) {
                event.preventDefault();
                event.stopPropagation();
            }
        },
        { capture: true },
    );
}

function bindForm() {
    form.form.addEventListener("submit", (event) => {
        event.preventDefault();
        save(desk);
    });
    form.form.addEventListener("input", ({ target }) => {
        if (target.closest("#circle, #paste-area") || target.id === "ring") return;
        form.showVesselTypes();
        desk.keep();
        if (target.closest("[data-field=start_date], [data-field=end_date], [data-field=level], #vessel-types")) desk.check();
    });
    form.form.addEventListener("change", ({ target }) => "day" in target.dataset && form.writeOut(target));
    form.circle.addEventListener("change", () => {
        desk.markDirty(true);
        form.typeCircle();
    });
    const acts = {
        "add-pasted": paste,
        discard: () => desk.close(),
        delete: () => remove(desk),
        undo: () => editor.history.undo(),
        redo: () => editor.history.redo(),
        "remove-ring": () => editor.removeRing(),
        "add-corner": () => desk.corners.add([map.getCenter().lat, map.getCenter().lng]),
        split: () => desk.split(),
    };
    for (const [id, act] of Object.entries(acts)) byId(id)?.addEventListener("click", act);
    byId("import")?.addEventListener("change", ({ target }) => {
        if (target.files[0]) importFile(desk, data.importAddress, target.files[0]);
        target.value = "";
    });
    askBeforeLeaving(() => desk.isDirty);
}

/** Offer to continue with the stored draft. */
function offerDraft() {
    const kept = desk.drafts.find();
    if (!kept || !data.mayDraw) return;
    const words = `${kept.name || "A new constraint"} was not saved at ${clock(kept.keptAt)} UTC.`;
    toast(words, { act: "Continue", onAct: () => desk.openDraft(kept) });
}

/** Open the smallest area under a click, unless the user is drawing or measuring. */
function chooseAt({ lat, lng }) {
    if (desk.drawing.kind || chart.measure.active || covers(editor.polygons, [lat, lng])) return;
    const under = store.areas
        .map((constraint) => ({ constraint, polygons: polygonsOf(constraint.geometry) }))
        .filter(({ polygons }) => covers(polygons, [lat, lng]))
        .sort((a, b) => areaNm2(a.polygons) - areaNm2(b.polygons));
    if (under.length) desk.choose(under[0].constraint);
}

/** Draw the planned voyages that have not ended. */
function drawRoutes() {
    const layer = L.layerGroup().addTo(map);
    for (const line of data.routes) {
        for (const turn of [0, -360, 360]) {
            const places = line.map(([lat, lng]) => [lat, lng + turn]);
            for (const className of ["line-halo", "line-route line-route--thin"]) L.polyline(places, { className, interactive: false, pmIgnore: true }).addTo(layer);
        }
    }
    chart.element.querySelector("[data-legend=routes]").hidden = !data.routes.length;
    chart.showLegend();
}

map.on("click", ({ latlng }) => chooseAt(latlng));
filters.addEventListener("input", drawList);
filters.addEventListener("submit", (event) => event.preventDefault());
bindForm();
bindKeys();
desk.clear();
drawRoutes();
offerDraft();
const everywhere = store.areas.flatMap(({ geometry }) => cornersOf(polygonsOf(geometry)));
if (everywhere.length) {
    chart.bounds = L.latLngBounds(everywhere);
    chart.fit();
}
