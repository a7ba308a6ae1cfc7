// No-go areas and reference routes of a route request.

import { RingDrawer } from "./chart/ring_drawer.js";
import { writeDay } from "./area/list.js";
import { geometryOf, polygonsNear, polygonsOf } from "./area/outline.js";
import { takeCorners } from "./area/corner_text.js";
import { button, element, icon } from "./dom.js";
import { clearFault, showFault, whileBusy } from "./forms.js";
import { number, position } from "./format.js";
import { distanceNm, greatCircle, pair, rhumbDistanceNm, unwrap } from "./geo.js";
import { RequestFailed, request } from "./request.js";
import { toast } from "./toast.js";

const isRhumb = ({ legGeometry }) => legGeometry === "RHUMB";

/** A rhumb line is straight on the chart. */
function traceRoute(waypoints) {
    const places = unwrap(waypoints.map(pair));
    const legTo = (place, i) => (isRhumb(waypoints[i + 1]) ? [places[i], place] : greatCircle(places[i], place, 8));
    return unwrap(places.slice(1).flatMap(legTo));
}

function lengthNm(waypoints) {
    const lengthTo = (to, from) => (isRhumb(to) ? rhumbDistanceNm : distanceNm)(pair(from), pair(to));
    return waypoints.slice(1).reduce((sum, to, i) => sum + lengthTo(to, waypoints[i]), 0);
}

const closed = (ring) => (String(ring[0]) === String(ring.at(-1)) ? ring : [...ring, ring[0]]);

/** A list of items drawn on the chart, each with a button to remove it; `adder` adds others. */
class Listed {
    constructor(list, map, adder) {
        Object.assign(this, { list, adder, entries: [], layer: L.layerGroup().addTo(map) });
    }

    get items() {
        return this.entries.map(({ item }) => item);
    }

    get titles() {
        return this.entries.map(({ title }) => title);
    }

    /** Add an item, with a button to edit it if `onEdit` is given. */
    add(item, title, note, drawn, onEdit) {
        const row = element("li", "", element("span", "", title, element("small", "quiet", note)));
        const entry = { item, title, row, drawn };
        if (onEdit) {
            const edit = button("button button--plain button--small", onEdit, "Edit");
            edit.setAttribute("aria-label", `Edit ${title}`);
            row.append(edit);
        }
        const cross = button("button button--plain button--icon", () => {
            this.remove(item);
            this.adder.focus();
            toast(`${title} removed.`, { act: "Undo", onAct: () => this.show(entry) });
        }, icon("close"));
        cross.setAttribute("aria-label", `Remove ${title}`);
        row.append(cross);
        this.show(entry);
    }

    show(entry) {
        this.entries.push(entry);
        this.list.append(entry.row);
        entry.drawn.addTo(this.layer);
    }

    remove(item) {
        const removed = this.entries.find((entry) => entry.item === item);
        if (!removed) return;
        this.entries = this.entries.filter((entry) => entry !== removed);
        removed.row.remove();
        removed.drawn.remove();
        const field = this.list.closest("[data-field]");
        if (field) clearFault(field);
    }

    clear() {
        this.entries = [];
        this.layer.clearLayers();
        this.list.replaceChildren();
    }
}

export class OrderExtras {
    constructor(form, chart, addresses) {
        Object.assign(this, { form, chart, addresses });
        const byId = (id) => form.querySelector(`#${id}`);
        this.areas = new Listed(byId("no-go-areas"), chart.map, byId("draw-area"));
        this.routes = new Listed(byId("reference-routes"), chart.map, byId("reference-file"));
        this.drawer = new RingDrawer(chart.map, document.getElementById("draw-prompt"));
        this.corners = byId("corners");
        this.typing = byId("type-area");
        this.adding = byId("add-area");
        this.edited = null;
        byId("draw-area").addEventListener("click", () => this.drawArea());
        this.adding.addEventListener("click", () => this.typeArea());
        this.file = byId("reference-file");
        this.file.addEventListener("change", () => this.readFile());
    }

    clear() {
        this.areas.clear();
        this.routes.clear();
        this.drawer.stop();
        this.setEdited(null);
    }

    /** Fields of the request. */
    read() {
        return {
            noGoAreas: this.areas.items.length ? this.areas.items : null,
            importedData: this.routes.items.length ? this.routes.items : null,
        };
    }

    async drawArea() {
        this.chart.measure.stop();
        const ring = await this.drawer.draw();
        if (ring) this.addArea(ring);
    }

    typeArea() {
        const taken = takeCorners(this.form, this.corners);
        if (!taken) return;
        const edited = this.areas.items.includes(this.edited) ? this.edited : null;
        this.setEdited(null);
        const [[[first]]] = edited ? this.changeArea(edited, taken) : this.addArea(taken.ring, taken.note);
        this.chart.panInside(first);
    }

    /** Let the user type other corners for an area; it stays as it is until they are taken. */
    editArea(area, [[ring]]) {
        this.setEdited(area);
        this.corners.value = ring.map((corner) => position(...corner)).join("\n");
        this.typing.open = true;
        this.corners.focus();
    }

    setEdited(area) {
        this.edited = area;
        const title = this.areas.titles[this.areas.items.indexOf(area)];
        this.adding.textContent = title === undefined ? "Add area" : `Change ${title}`;
    }

    /** Replace an area by one with other corners, of the same name and days; returns its polygons as drawn. */
    changeArea(area, { ring, note }) {
        const changed = { type: "Feature", properties: area.properties ?? {}, geometry: geometryOf([[ring]]) };
        this.areas.remove(area);
        this.checkArea(changed);
        return this.addFeature(changed, note);
    }

    /** Add an area by its corners [lat, lng]; returns its polygons as drawn. */
    addArea(ring, note = "") {
        let count = 1;
        while (this.areas.titles.includes(`No-go area ${count}`)) count += 1;
        const area = { type: "Feature", properties: { name: `No-go area ${count}` }, geometry: geometryOf([[ring]]) };
        this.checkArea(area);
        return this.addFeature(area, note);
    }

    /** Show what is wrong with an area. Without an answer, planning the route shows it. */
    async checkArea(area) {
        const body = { geometry: area.geometry, level: "ORGANIZATION" };
        try {
            const { faults } = await request(this.addresses.areaCheck, { method: "POST", isPreview: true, body });
            const at = this.areas.items.indexOf(area);
            if (!faults.length || at < 0) return;
            showFault(this.form, "noGoAreas", this.nameItem({ ...faults[0], pointer: `/noGoAreas/${at}` }).detail);
        } catch (error) {
            if (!(error instanceof RequestFailed)) throw error;
        }
    }

    /** Name the listed area or route in a fault of the request that points to it; corners cannot be moved here. */
    nameItem({ pointer, detail }) {
        const [, list, index] = pointer.split("/");
        const isArea = list === "noGoAreas";
        const title = { noGoAreas: this.areas, importedData: this.routes }[list]?.titles[index];
        if (title === undefined) return { pointer, detail };
        return { pointer, detail: `${title}: ${detail}${isArea ? " Remove the area, or draw it again." : ""}` };
    }

    /** Add an area in a form of the API: a GeoJSON Feature, a geometry or a ring; returns its polygons as drawn. */
    addFeature(area, note = "") {
        const geometry = Array.isArray(area) ? { type: "Polygon", coordinates: [closed(area)] } : (area.geometry ?? area);
        const polygons = polygonsNear(polygonsOf(geometry), this.chart.map.getCenter().lng);
        const { name, start_date: first, end_date: last } = area.properties ?? {};
        const title = name || `No-go area ${this.areas.items.length + 1}`;
        const days = first || last ? `${first ? writeDay(first) : "…"} to ${last ? writeDay(last) : "…"}` : "";
        const words = [`${polygons.flat(2).length} corners`, days, note].filter(Boolean).join(". ");
        const onEdit = polygons.flat().length === 1 ? () => this.editArea(area, polygons) : null;
        this.areas.add(area, title, words, L.polygon(polygons, { className: "zone-no-go", interactive: false }), onEdit);
        return polygons;
    }

    /** Add the areas and routes of an earlier request. */
    take({ noGoAreas, importedData }) {
        this.clear();
        for (const area of noGoAreas ?? []) this.addFeature(area);
        for (const route of importedData ?? []) this.addRoute(route);
    }

    async readFile() {
        const [file] = this.file.files;
        if (!file) return;
        clearFault(this.form.querySelector("[data-field=importedData]"));
        const body = new FormData();
        body.append("file", file);
        const button = this.form.querySelector("[for=reference-file]");
        try {
            const route = await whileBusy(button, () => request(this.addresses.referenceRoute, { method: "POST", body }));
            this.chart.map.fitBounds(this.addRoute(route), { padding: [40, 40] });
        } catch (error) {
            if (!(error instanceof RequestFailed)) throw error;
            showFault(this.form, "importedData", `${file.name}: ${error.faults[0]?.detail ?? error.message}`);
        } finally {
            this.file.value = "";
        }
    }

    /** Add and draw a route; returns its bounds. */
    addRoute(route) {
        const note = `${route.waypoints.length} waypoints, ${number(lengthNm(route.waypoints))} nm`;
        const drawn = L.polyline(traceRoute(route.waypoints), { className: "line-alt line-alt-2", interactive: false });
        this.routes.add(route, route.name, note, drawn);
        return drawn.getBounds();
    }
}
