// Areas to keep out of: listed, drawn, typed, saved, deleted with undo.

import { Chart } from "./chart/chart.js";
import { element, icon } from "./dom.js";
import { clearFault, clearFaults, showFault, whileBusy } from "./forms.js";
import { latitude, longitude, parseAngle } from "./format.js";
import { RequestFailed, pageData, request } from "./request.js";
import { parseTime, writeTime } from "./times.js";
import { toast } from "./toast.js";

const TYPES = { USER_DEFINED: "User defined", MILITARY: "Military", HIGH_RISK: "High risk", PREDEFINED: "Predefined" };
const LEVELS = { ORGANIZATION: "our fleet", VESSEL_TYPE: "vessel types", GLOBAL: "all vessels" };
const WORDS = {
    Polygon: [["Enter", " closes. "], ["Backspace", " takes the last back. "], ["Esc", " stops."]],
    Rectangle: [["Esc", " stops."]],
};
const FIELD_OF = { organization_ids: "level", vesselTypeIds: "vessel_type_codes", orgIds: "level" };

const data = pageData();
const chart = new Chart(document.querySelector(".chart"));
const { map } = chart;
const form = document.getElementById("constraint");
const list = document.getElementById("areas");
let constraints = data.constraints;
let chosen = null;
let layer = null;
let isDirty = false;

const byId = (id) => document.getElementById(id);

/** Outer and inner rings of a GeoJSON geometry as [lat, lng], longitudes running on. */
function ringsOf({ type, coordinates }) {
    const polygons = type === "Polygon" ? [coordinates] : coordinates;
    return polygons.flat().map((ring) => {
        let before;
        return ring.map(([lng, lat]) => {
            before = before === undefined ? lng : lng + 360 * Math.round((before - lng) / 360);
            return [lat, before];
        });
    });
}

/** Only a plain outline is edited corner by corner; others keep their shape. */
const isPlain = ({ type, coordinates }) => type === "Polygon" && coordinates.length === 1;

function drawAreas() {
    chart.showAreas(
        constraints
            .filter(({ id }) => id !== chosen?.id)
            .map(({ name, geometry, is_active: isActive }) => ({
                name,
                avoided: isActive,
                isOff: !isActive,
                rings: ringsOf(geometry),
            })),
    );
}

function daysOf({ start_date: first, end_date: last }) {
    const write = (date) => writeTime(new Date(date)).replace(/ \d\d:\d\d$/, "");
    if (first && last) return `${write(first)} to ${write(last)}`;
    if (first) return `From ${write(first)}`;
    return last ? `To ${write(last)}` : "No end";
}

function areaRow(constraint) {
    const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    swatch.setAttribute("class", `swatch swatch--${constraint.is_active ? "zone" : "off"}`);
    swatch.setAttribute("viewBox", "0 0 22 15");
    swatch.setAttribute("aria-hidden", "true");
    const box = document.createElementNS("http://www.w3.org/2000/svg", "path");
    box.setAttribute("d", "M1 1h20v13H1z");
    if (constraint.is_active) box.setAttribute("class", "swatch__hatch");
    swatch.append(box);
    const state = constraint.is_active ? null : element("span", "chip", "Off");
    const words = `${TYPES[constraint.type]}, ${LEVELS[constraint.level]}. ${daysOf(constraint)}`;
    const button = element("button", "", swatch, element("strong", "", constraint.name), state, element("small", "", words));
    button.type = "button";
    if (constraint.id === chosen?.id) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => open(constraint));
    return element("li", "", button);
}

function drawList() {
    const words = byId("filter").value.toLowerCase().split(/\s+/);
    const shown = constraints.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    list.replaceChildren(...shown.map(areaRow));
    document.querySelector("[data-count]").textContent = constraints.length;
    if (!constraints.length) {
        const words = data.mayDraw ? "Draw an area on the chart and save it." : "Planners draw them on the chart.";
        list.append(element("li", "empty", element("strong", "", "No constraints yet"), element("p", "", words)));
    }
}

/** The outline's corners as they are on the chart. */
function corners() {
    return layer ? layer.getLatLngs()[0].map(({ lat, lng }) => [lat, lng]) : [];
}

function cornerInput(i, axis, text, limit, write) {
    const input = element("input");
    input.value = text;
    input.setAttribute("aria-label", `${axis ? "Longitude" : "Latitude"} of corner ${i + 1}`);
    input.addEventListener("change", () => {
        const value = parseAngle(input.value, limit);
        if (Number.isNaN(value)) {
            input.setAttribute("aria-invalid", "true");
            return;
        }
        const moved = corners();
        // The typed longitude is taken on the side of the antimeridian where the area lies.
        moved[i][axis] = axis ? value + 360 * Math.round((moved[i][1] - value) / 360) : value;
        setCorners(moved);
        input.value = write(value);
    });
    return input;
}

function drawCorners() {
    byId("corners").replaceChildren(
        ...corners().map(([lat, lng], i) => {
            const remove = element("button", "", icon("close"));
            remove.type = "button";
            remove.setAttribute("aria-label", `Remove corner ${i + 1}`);
            remove.addEventListener("click", () => setCorners(corners().filter((_, k) => k !== i)));
            return element(
                "tr",
                "",
                element("td", "", String(i + 1)),
                element("td", "", cornerInput(i, 0, latitude(lat), 90, latitude)),
                element("td", "", cornerInput(i, 1, longitude(lng), 180, longitude)),
                element("td", "", remove),
            );
        }),
    );
    clearFault(form.querySelector("[data-field=geometry]"));
}

function markDirty() {
    isDirty = true;
    byId("unsaved").hidden = false;
}

function setCorners(places) {
    layer.pm.disable();
    layer.setLatLngs([places]);
    layer.pm.enable({ allowSelfIntersection: true, snappable: false });
    drawCorners();
    markDirty();
}

function showLayer(rings, editable) {
    layer?.remove();
    layer = L.polygon(rings, { className: "drawing", pmIgnore: false }).addTo(map);
    if (editable) {
        layer.pm.enable({ allowSelfIntersection: true, snappable: false });
        layer.on("pm:edit pm:markerdragend pm:vertexadded pm:vertexremoved", () => {
            drawCorners();
            markDirty();
        });
    }
    drawCorners();
}

function fill(constraint) {
    for (const name of ["name", "type", "level"]) form.elements[name].value = constraint[name];
    form.description.value = constraint.description ?? "";
    form.is_active.checked = constraint.is_active;
    for (const name of ["start_date", "end_date"]) {
        const date = constraint[name];
        form[name].value = date ? writeTime(new Date(date)).replace(/ \d\d:\d\d$/, "") : "";
    }
    for (const tick of form.querySelectorAll("[name=vessel_type]")) {
        tick.checked = constraint.vessel_type_codes.includes(Number(tick.value));
    }
    byId("vessel-types").hidden = constraint.level !== "VESSEL_TYPE";
}

function showForm(title, constraint, { isNew }) {
    const locked = constraint.readOnly || !data.mayDraw;
    const plain = isPlain(constraint.geometry);
    byId("form-title").textContent = title;
    byId("form-empty").hidden = true;
    byId("form-body").hidden = false;
    byId("form-foot").hidden = locked;
    byId("delete").hidden = isNew;
    byId("corners").closest(".field").hidden = !plain;
    for (const input of form.elements) input.disabled = locked;
    clearFaults(form);
    showFormFault("");
    fill(constraint);
    showLayer(plain ? [ringsOf(constraint.geometry)[0].slice(0, -1)] : ringsOf(constraint.geometry), plain && !locked);
    isDirty = isNew;
    byId("unsaved").hidden = !isNew;
    drawList();
    drawAreas();
}

function open(constraint) {
    stopDrawing();
    chosen = constraint;
    showForm(constraint.name, constraint, { isNew: false });
    map.fitBounds(layer.getBounds(), { padding: [80, 80], maxZoom: 9 });
}

function openNew(rings) {
    chosen = null;
    const coordinates = rings.map((ring) => [...ring, ring[0]].map(({ lat, lng }) => [lng, lat]));
    showForm("New constraint", {
        name: "",
        type: "USER_DEFINED",
        level: "ORGANIZATION",
        vessel_type_codes: [],
        is_active: true,
        geometry: { type: "Polygon", coordinates },
    }, { isNew: true });
    form.name.focus();
}

function close() {
    chosen = null;
    isDirty = false;
    layer?.remove();
    layer = null;
    byId("form-title").textContent = "New constraint";
    for (const id of ["form-body", "form-foot", "unsaved"]) byId(id).hidden = true;
    byId("form-empty").hidden = false;
    drawList();
    drawAreas();
}

function showFormFault(words) {
    byId("form-fault").textContent = words;
    byId("form-fault").hidden = !words;
}

function readDay(name) {
    const text = form[name].value.trim();
    if (!text) return null;
    const day = parseTime(text);
    if (!day) showFault(form, name, "Enter a day, like 14 Jan 2026.");
    return day?.toISOString().slice(0, 10);
}

/** Longitudes as GeoJSON wants them: from -180 to 360. */
function outline() {
    const places = corners();
    const turns = Math.floor((Math.min(...places.map(([, lng]) => lng)) + 180) / 360);
    const ring = places.map(([lat, lng]) => [Number((lng - 360 * turns).toFixed(6)), Number(lat.toFixed(6))]);
    return { type: "Polygon", coordinates: [[...ring, ring[0]]] };
}

function read() {
    clearFaults(form);
    if (!form.name.value.trim()) showFault(form, "name", "Enter a name.");
    const plain = !chosen || isPlain(chosen.geometry);
    if (plain && corners().length < 3) showFault(form, "geometry", "An area has three corners or more.");
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
        geometry: plain ? outline() : chosen.geometry,
        version: chosen?.version ?? null,
    };
    return form.querySelector(".field--wrong") ? null : body;
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
        const saved = await whileBusy(form.querySelector("[type=submit]"), () => request(address, { method, body }));
        constraints = [saved, ...constraints.filter(({ id }) => id !== saved.id)];
        close();
        toast("Constraint saved. Routes ordered from now on keep out of it.");
    } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        const elsewhere = error.faults.filter(({ pointer, detail }) => {
            const name = pointer.split("/")[1];
            return !showFault(form, FIELD_OF[name] ?? name, detail);
        });
        if (elsewhere.length || !error.faults.length) showFormFault(error.message);
    }
}

async function remove() {
    const gone = chosen;
    try {
        await request(gone.address, { method: "DELETE" });
    } catch (error) {
        showFormFault(error.message);
        return;
    }
    constraints = constraints.filter(({ id }) => id !== gone.id);
    close();
    const again = async () => {
        const { name, type, level, vessel_type_codes: codes, start_date: first, end_date: last, is_active: isActive, description, geometry } = gone;
        const body = { name, type, level, start_date: first, end_date: last, is_active: isActive, description, geometry };
        try {
            const saved = await request(data.address, { method: "POST", body: { ...body, vessel_type_codes: codes.length ? codes : null } });
            constraints = [saved, ...constraints];
            close();
            toast("Constraint is back.");
        } catch (error) {
            toast(`${name} is not back. ${error.message}`, { act: "Try again", onAct: again });
        }
    };
    toast(`${gone.name} deleted.`, { act: "Undo", onAct: again });
}

function stopDrawing() {
    map.pm.disableDraw();
}

function startDrawing(kind) {
    if (map.pm.globalDrawModeEnabled() && map.pm.Draw.getActiveShape() === kind) {
        stopDrawing();
        return;
    }
    close();
    const line = { className: "measure", interactive: false };
    map.pm.enableDraw(kind, {
        snappable: false,
        allowSelfIntersection: true,
        tooltips: false,
        hintlineStyle: line,
        templineStyle: line,
        pathOptions: { className: "drawing" },
    });
    map.getContainer().focus();
}

function showPrompt(kind) {
    const prompt = byId("draw-prompt");
    prompt.hidden = !kind;
    for (const button of document.querySelectorAll("[data-draw]")) {
        button.setAttribute("aria-pressed", String(button.dataset.draw === kind));
    }
    if (!kind) return;
    prompt.querySelector("b").textContent = kind === "Polygon" ? "Click adds a corner." : "Click two corners.";
    prompt.querySelector("span").replaceChildren(...WORDS[kind].flatMap(([key, words]) => [element("kbd", "key", key), words]));
}

function bindDrawing() {
    map.pm.setGlobalOptions({ snappable: false });
    map.on("pm:drawstart", ({ shape }) => showPrompt(shape));
    map.on("pm:drawend", () => showPrompt(null));
    map.on("pm:create", ({ layer: drawn }) => {
        const rings = drawn.getLatLngs();
        drawn.remove();
        openNew(rings);
    });
    for (const button of document.querySelectorAll("[data-draw]")) {
        button.addEventListener("click", () => startDrawing(button.dataset.draw));
    }
    document.addEventListener("keydown", (event) => {
        if (!map.pm.globalDrawModeEnabled() || event.target.closest("input, textarea")) return;
        const polygon = map.pm.Draw.getActiveShape() === "Polygon" ? map.pm.Draw.Polygon : null;
        const acts = {
            Escape: stopDrawing,
            Enter: () => polygon?._finishShape(),
            Backspace: () => polygon?._removeLastVertex(),
        };
        if (!acts[event.key]) return;
        event.preventDefault();
        acts[event.key]();
    });
}

function bindForm() {
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        save();
    });
    form.addEventListener("input", ({ target }) => {
        if (target.closest(".field--wrong")) clearFault(target.closest(".field--wrong"));
        markDirty();
    });
    form.level.addEventListener("change", () => {
        byId("vessel-types").hidden = form.level.value !== "VESSEL_TYPE";
    });
    byId("discard").addEventListener("click", close);
    byId("delete").addEventListener("click", remove);
    byId("add-corner").addEventListener("click", () => {
        const places = corners();
        const middle = map.getCenter();
        const [first, last] = [places[0], places.at(-1)];
        const next = last ? [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2] : [middle.lat, middle.lng];
        setCorners([...places, next]);
        byId("corners").querySelector("tr:last-child input").focus();
    });
    window.addEventListener("beforeunload", (event) => {
        if (isDirty) event.preventDefault();
    });
}

byId("filter").addEventListener("input", drawList);
bindDrawing();
bindForm();
close();
const everywhere = constraints.flatMap(({ geometry }) => ringsOf(geometry).flat());
if (everywhere.length) {
    chart.bounds = L.latLngBounds(everywhere);
    chart.fit();
}
