// Constraints page: list, drawing, typed corners, import, saving, deletion with undo.

import { ask } from "./dialog.js";
import { showConflict } from "./area/conflict.js";
import { CornerTable } from "./area/corner_table.js";
import { Drawing } from "./area/drawing.js";
import { Editor } from "./area/editor.js";
import { areaRow, matchesFilters, writeDay } from "./area/list.js";
import { areaNm2, circle, circleOf, cornersOf, covers, geometryOf, isAcross, polygonsOf, withHole } from "./area/outline.js";
import { readCorners } from "./area/corner_text.js";
import { AreaImpact } from "./area/impact.js";
import { Chart } from "./chart/chart.js";
import { parseAngle } from "./coordinates.js";
import { emptyNote } from "./dom.js";
import { clearFault, clearFaults, readNumber, showFault, showFaults, showNote, whileBusy } from "./forms.js";
import { clock, latitude, longitude, number } from "./format.js";
import { lngNear } from "./geo.js";
import { stepOf } from "./history.js";
import { pageData } from "./page_data.js";
import { RequestFailed, request } from "./request.js";
import { parseTime } from "./times.js";
import { toast } from "./toast.js";
import { askBeforeLeaving } from "./unsaved.js";

const FIELD_OF = { organization_ids: "level", vesselTypeIds: "vessel_type_codes", orgIds: "level" };
const NEW = { name: "", type: "USER_DEFINED", level: "ORGANIZATION", vessel_type_codes: [], is_active: true };
const NUDGES = { ArrowUp: [0.1, 0], ArrowDown: [-0.1, 0], ArrowRight: [0, 0.1], ArrowLeft: [0, -0.1] };

/** Fields of a constraint that say where it applies, and to whom. */
const OUTLINE = ["geometry", "level", "vessel_type_codes"];
const pick = (record, names) => Object.fromEntries(names.map((name) => [name, record[name]]));

const DRAFTS = "constraint-draft";
const data = pageData();
const draftKey = `${DRAFTS}:${data.draftOf}`;
const byId = (id) => document.getElementById(id);
const chart = new Chart(document.querySelector(".chart"));
const { map } = chart;
const form = byId("constraint");
const list = byId("areas");
const filters = byId("filters");
const editor = new Editor(map, changed);
const corners = new CornerTable(byId("corners"), byId("ring"), editor, () => markDirty(true));
const impact = new AreaImpact(map, byId("affected"), data.checkAddress);
const drawing = new Drawing(map, {
    prompt: byId("draw-prompt"),
    reading: document.querySelector("[data-reading=from-last]"),
    buttons: [...document.querySelectorAll("[data-draw]")],
    mayStart: async (kind) => kind === "Hole" || leave(),
    onDrawn: drawn,
});
let constraints = data.constraints;
let chosen = null;
let round = null;
/** The constraint as it was opened, for comparison after a conflict. */
let opened = null;
let isDirty = false;

function drawAreas() {
    const own = constraints
        .filter(({ id }) => id !== chosen?.id)
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
    const shown = constraints.filter((constraint) => matchesFilters(constraint, asked));
    const rows = shown.map((constraint) =>
        areaRow(constraint, {
            isChosen: constraint.id === chosen?.id,
            isUnsaved: isDirty && constraint.id === chosen?.id,
            onChoose: () => choose(constraint),
        }),
    );
    list.replaceChildren(...rows);
    document.querySelector("[data-count]").textContent = constraints.length;
    if (!rows.length) list.append(emptyRow());
}

function emptyRow() {
    if (constraints.length) return emptyNote("li", "No constraint matches", "Clear the filters.");
    const words = data.mayDraw ? "Draw an area on the chart and save it." : "Planners draw them on the chart.";
    return emptyNote("li", "No constraints yet", words);
}

function markDirty(dirty) {
    isDirty = dirty;
    byId("unsaved").hidden = !dirty;
    if (!dirty) localStorage.removeItem(draftKey);
}

/** Store the unsaved form in the browser, in case the page is closed. */
function keepDraft() {
    const { body } = collect();
    const draft = { ...body, id: chosen?.id ?? null, keptAt: new Date().toISOString() };
    localStorage.setItem(draftKey, JSON.stringify(draft));
}

/** Whether the open constraint may be closed; asks to save or discard unsaved changes. */
async function mayLeave() {
    if (!isDirty) return true;
    const dialog = byId("unsaved-changes");
    dialog.querySelector("[data-words]").textContent = `${form.name.value.trim() || "The new constraint"} has changes that are not saved.`;
    const choice = await ask(dialog);
    if (choice === "save") await save();
    return choice === "discard" || !isDirty;
}

/** Close the open constraint, unless the user continues editing; resolves to false then. */
async function leave() {
    const may = await mayLeave();
    if (may) close();
    return may;
}

async function choose(constraint) {
    if (constraint.id === chosen?.id) return;
    if (await mayLeave()) open(constraints.find(({ id }) => id === constraint.id) ?? constraint);
}

/** Update table, tools and affected voyages after a change of the outline. */
function changed(isNew) {
    clearFault(form.querySelector("[data-field=geometry]"));
    corners.draw();
    // A moved corner makes it a polygon.
    if (round && editor.isOpen) round = circleOf(editor.polygons);
    showTools();
    const cornerCount = cornersOf(editor.polygons).length;
    byId("size").textContent = cornerCount > 2 ? `${number(areaNm2(editor.polygons))} nm²` : "";
    if (isNew) {
        markDirty(true);
        keepDraft();
    }
    check();
}

function showTools() {
    const editable = editor.isOpen && editor.editable;
    byId("undo").disabled = !editable || !editor.history.canUndo;
    byId("redo").disabled = !editable || !editor.history.canRedo;
    document.querySelector("[data-draw=Hole]")?.toggleAttribute("disabled", !editable);
    byId("split").toggleAttribute("disabled", !editable || !isAcross(editor.polygons));
    byId("remove-ring").hidden = !editable || editor.polygons.flat().length < 2;
    byId("circle").hidden = !round;
}

function check() {
    if (!editor.isOpen || editor.polygons.some((rings) => rings.some((ring) => ring.length < 3))) {
        impact.clear();
        return;
    }
    impact.ask(pick(collect().body, [...OUTLINE, "start_date", "end_date"]), ({ faults }) => {
        const fault = faults.find(({ pointer }) => pointer.startsWith("/geometry"));
        if (fault) showFault(form, "geometry", fault.detail);
    });
}

function fill(constraint) {
    for (const name of ["name", "type", "level"]) form.elements[name].value = constraint[name];
    form.description.value = constraint.description ?? "";
    form.is_active.checked = constraint.is_active;
    for (const name of ["start_date", "end_date"]) {
        form[name].value = constraint[name] ? writeDay(constraint[name]) : "";
    }
    for (const tick of form.querySelectorAll("[name=vessel_type]")) {
        tick.checked = (constraint.vessel_type_codes ?? []).includes(Number(tick.value));
    }
    byId("vessel-types").hidden = constraint.level !== "VESSEL_TYPE";
}

function showForm(title, constraint) {
    const locked = constraint.readOnly || !data.mayDraw;
    byId("form-title").textContent = title;
    byId("form-empty").hidden = true;
    byId("form-body").hidden = false;
    byId("form-foot").hidden = locked;
    byId("delete").hidden = !chosen;
    for (const input of form.elements) input.disabled = locked;
    clearFaults(form);
    showFormFault("");
    fill(constraint);
    corners.forget();
    editor.open(polygonsOf(constraint.geometry), { editable: !locked });
    byId("ring").disabled = false;
    drawList();
    drawAreas();
}

function open(constraint) {
    drawing.stop();
    round = circleOf(polygonsOf(constraint.geometry));
    chosen = opened = constraint;
    markDirty(false);
    showForm(constraint.name, constraint);
    if (round) fillCircle();
    map.fitBounds(editor.bounds, { padding: [80, 80], maxZoom: 9 });
}

function openNew(constraint) {
    chosen = null;
    showForm("New constraint", { ...NEW, ...constraint });
    markDirty(true);
    keepDraft();
    form.name.focus();
}

function close() {
    markDirty(false);
    clear();
}

function clear() {
    chosen = null;
    round = null;
    editor.close();
    corners.forget();
    impact.clear();
    byId("form-title").textContent = data.mayDraw ? "New constraint" : "Constraint";
    for (const id of ["form-body", "form-foot"]) byId(id).hidden = true;
    byId("form-empty").hidden = false;
    showTools();
    drawList();
    drawAreas();
}

function drawn(kind, polygons, drawnRound) {
    if (kind === "Hole") {
        const holed = withHole(editor.polygons, polygons[0][0]);
        if (holed) editor.set(holed);
        else toast("The hole must lie within the area. Draw it again.");
        return;
    }
    round = drawnRound;
    openNew({ geometry: geometryOf(polygons) });
    if (round) fillCircle();
}

/** Open a new area with the corners of a pasted text. */
function paste() {
    const { ring, fault, note } = readCorners(byId("pasted").value);
    if (fault) {
        showFault(form, "pasted", fault);
        byId("pasted").focus();
        return;
    }
    byId("pasted").value = "";
    openNew({ geometry: geometryOf([[ring]]) });
    map.fitBounds(editor.bounds, { padding: [80, 80], maxZoom: 9 });
    if (note) toast(`${ring.length} corners read. ${note}.`);
}

function fillCircle() {
    const [lat, lng] = round.centre;
    form["circle-lat"].value = latitude(lat);
    form["circle-lng"].value = longitude(lng);
    form["circle-radius"].value = number(round.radiusNm, 1);
}

/** Read the circle from the form; null, with an error shown, if it is not valid. */
function readCircle() {
    const lat = parseAngle(form["circle-lat"].value, 90);
    const lng = parseAngle(form["circle-lng"].value, 180);
    const radiusNm = readNumber(form["circle-radius"]);
    if (Number.isNaN(lat) || Number.isNaN(lng) || !(radiusNm > 0 && radiusNm <= 1000)) {
        showFault(form, "circle", "Enter a position and a radius up to 1000 nm.");
        return null;
    }
    clearFault(form.querySelector("[data-field=circle]"));
    return { centre: [lat, lngNear(lng, round.centre[1])], radiusNm };
}

/** Redraw the circle from the typed centre and radius. */
function typeCircle() {
    const typed = readCircle();
    markDirty(true);
    if (!typed) return;
    round = typed;
    editor.set([[circle(round.centre, round.radiusNm)]]);
}

const showFormFault = (words) => showNote(byId("form-fault"), words);

/** Read the form to {body, wrong}; `wrong` has the names of invalid days. */
function collect() {
    const wrong = [];
    const readDay = (name) => {
        const text = form[name].value.trim();
        const day = text ? parseTime(text) : null;
        if (text && !day) wrong.push(name);
        return day?.toISOString().slice(0, 10) ?? null;
    };
    const ticked = [...form.querySelectorAll("[name=vessel_type]:checked")].map(({ value }) => Number(value));
    const body = {
        name: form.name.value.trim(),
        type: form.type.value,
        level: form.level.value,
        vessel_type_codes: form.level.value === "VESSEL_TYPE" ? ticked : null,
        start_date: readDay("start_date"),
        end_date: readDay("end_date"),
        is_active: form.is_active.checked,
        description: form.description.value.trim() || null,
        geometry: geometryOf(editor.polygons),
        version: chosen?.version ?? null,
    };
    return { body, wrong };
}

function read() {
    clearFaults(form);
    const { body, wrong } = collect();
    for (const name of wrong) showFault(form, name, "Enter a day, like 14 Jan 2026.");
    if (!body.name) showFault(form, "name", "Enter a name.");
    const thin = editor.polygons.flat().some((ring) => ring.length < 3);
    if (thin || !editor.polygons.length) showFault(form, "geometry", "An area needs at least three corners.");
    if (round) readCircle();
    const unread = corners.showRefused();
    return unread || form.querySelector(".field--wrong") ? null : body;
}

async function save() {
    showFormFault("");
    const body = read();
    if (!body) {
        form.querySelector(".field--wrong input")?.focus();
        return;
    }
    try {
        const [method, address] = chosen ? ["PUT", chosen.address] : ["POST", data.address];
        keep(await whileBusy(form.querySelector("[type=submit]"), () => request(address, { method, isOnce: !chosen, body })));
    } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        if (error.data?.current) await settle(error, body);
        else if (error.status === 404) await settleDeleted();
        else showRefusal(error);
    }
}

function keep(saved) {
    constraints = [saved, ...constraints.filter(({ id }) => id !== saved.id)];
    close();
    toast(saved.is_active ? "Constraint saved. Routes planned from now on avoid it." : "Constraint saved, switched off: routes do not avoid it yet.");
}

function showRefusal(error) {
    const elsewhere = showFaults(form, error.faults, FIELD_OF);
    if (elsewhere.length || !error.faults.length) showFormFault(error.message);
}

/** Resolve a conflict with another user's change; nothing is overwritten without asking. */
async function settle(error, mine) {
    const theirs = error.data.current;
    constraints = constraints.map((each) => (each.id === theirs.id ? theirs : each));
    const choice = await showConflict(byId("conflict"), error.message, mine, theirs, opened);
    if (choice === "theirs") open(theirs);
    if (choice === "copy") {
        const copy = { ...mine, name: `${mine.name} (copy)`.slice(0, 200), version: null };
        try {
            keep(await request(data.address, { method: "POST", body: copy }));
        } catch (failure) {
            showRefusal(failure);
        }
    }
}

/** Go on with a constraint that another user has deleted as with a new one. */
async function settleDeleted() {
    constraints = constraints.filter(({ id }) => id !== chosen.id);
    const dialog = byId("deleted");
    dialog.querySelector("[data-words]").textContent = `${chosen.name} was deleted after you opened it. Nothing is saved yet.`;
    chosen = null;
    byId("form-title").textContent = "New constraint";
    byId("delete").hidden = true;
    markDirty(true);
    keepDraft();
    drawList();
    drawAreas();
    const choice = await ask(dialog);
    if (choice === "new") await save();
    if (choice === "discard") close();
}

async function remove() {
    const gone = chosen;
    try {
        await request(gone.address, { method: "DELETE" });
    } catch (error) {
        if (error.status !== 404) {
            showFormFault(error.message);
            return;
        }
    }
    constraints = constraints.filter(({ id }) => id !== gone.id);
    close();
    const again = async () => {
        const body = pick(gone, ["name", "type", "start_date", "end_date", "is_active", "description", ...OUTLINE]);
        if (!body.vessel_type_codes.length) body.vessel_type_codes = null;
        try {
            const saved = await request(data.address, { method: "POST", body });
            constraints = [saved, ...constraints];
            drawList();
            drawAreas();
            toast("Constraint restored.");
        } catch (error) {
            toast(`${gone.name} was not restored. ${error.message}`, { act: "Try again", onAct: again });
        }
    };
    toast(`${gone.name} deleted.`, { act: "Undo", onAct: again });
}

/** The first names of a list, and the number of the others. */
function brief(names, most = 5) {
    const more = names.length > most ? ` and ${names.length - most} more` : "";
    return names.slice(0, most).join(", ") + more;
}

/** Import a file: a single area is opened for review, several are saved switched off. */
async function importFile(file) {
    if (!(await leave())) return;
    try {
        const body = new FormData();
        body.append("file", file);
        const { areas, leftOut } = await request(data.importAddress, { method: "POST", body });
        const words = leftOut.length ? `${file.name} holds more than areas. Left out: ${brief(leftOut)}.` : "";
        if (areas.length === 1) {
            openNew(areas[0]);
            if (words) toast(words, { isKept: true });
            map.fitBounds(editor.bounds, { padding: [80, 80], maxZoom: 9 });
            return;
        }
        for (const area of areas) {
            const off = { ...NEW, vessel_type_codes: null, ...area, is_active: false };
            constraints = [await request(data.address, { method: "POST", body: off }), ...constraints];
        }
        close();
        const saved = `${areas.length} areas saved, all switched off. Review them and switch them on.`;
        toast(`${saved} ${words}`, { isKept: Boolean(words) });
    } catch (error) {
        drawList();
        toast(`${file.name} was not imported. ${error.message}`);
    }
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
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        save();
    });
    form.addEventListener("input", ({ target }) => {
        if (target.closest(".corners, #circle") || target.id === "ring") return;
        if (target.closest("#paste-area")) {
            clearFault(target.closest("[data-field]"));
            return;
        }
        if (target.closest(".field--wrong")) clearFault(target.closest(".field--wrong"));
        byId("vessel-types").hidden = form.level.value !== "VESSEL_TYPE";
        markDirty(true);
        keepDraft();
        if (target.closest("[data-field=start_date], [data-field=end_date], [data-field=level], #vessel-types")) check();
    });
    byId("circle").addEventListener("change", typeCircle);
    byId("add-pasted")?.addEventListener("click", paste);
    byId("discard").addEventListener("click", close);
    byId("delete").addEventListener("click", remove);
    byId("undo").addEventListener("click", () => editor.history.undo());
    byId("redo").addEventListener("click", () => editor.history.redo());
    byId("remove-ring").addEventListener("click", () => editor.removeRing());
    byId("add-corner").addEventListener("click", () => corners.add([map.getCenter().lat, map.getCenter().lng]));
    byId("split").addEventListener("click", () => {
        impact.ask(pick(collect().body, OUTLINE), ({ split }) => split && editor.set(polygonsOf(split)));
    });
    byId("import")?.addEventListener("change", ({ target }) => {
        if (target.files[0]) importFile(target.files[0]);
        target.value = "";
    });
    askBeforeLeaving(() => isDirty);
}

/** Offer to continue with the stored draft. */
function offerDraft() {
    for (const key of Object.keys(localStorage)) {
        if (key.startsWith(DRAFTS) && key !== draftKey) localStorage.removeItem(key); // another user's
    }
    const kept = JSON.parse(localStorage.getItem(draftKey) ?? "null");
    if (!kept || !data.mayDraw) return;
    const onAct = () => {
        const theirs = constraints.find(({ id }) => id === kept.id);
        if (!theirs) {
            openNew(kept);
            return;
        }
        open({ ...theirs, version: kept.version });
        fill(kept);
        editor.set(polygonsOf(kept.geometry));
        markDirty(true);
    };
    toast(`${kept.name || "A new constraint"} was not saved at ${clock(kept.keptAt)} UTC.`, { act: "Continue", onAct });
}

/** Open the smallest area under a click, unless the user is drawing or measuring. */
function chooseAt({ lat, lng }) {
    if (drawing.kind || chart.measure.active || covers(editor.polygons, [lat, lng])) return;
    const under = constraints
        .map((constraint) => ({ constraint, polygons: polygonsOf(constraint.geometry) }))
        .filter(({ polygons }) => covers(polygons, [lat, lng]))
        .sort((a, b) => areaNm2(a.polygons) - areaNm2(b.polygons));
    if (under.length) choose(under[0].constraint);
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
clear();
drawRoutes();
offerDraft();
const everywhere = constraints.flatMap(({ geometry }) => cornersOf(polygonsOf(geometry)));
if (everywhere.length) {
    chart.bounds = L.latLngBounds(everywhere);
    chart.fit();
}
