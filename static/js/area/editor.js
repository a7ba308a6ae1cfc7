// Editor of an area on the chart, with undo and redo.

import { pair } from "../geo.js";
import { History } from "../history.js";
import { circleOf, polygonsNear, polygonsOf } from "./outline.js";

function hideHandle(layer) {
    const handle = layer instanceof L.Marker ? layer.getElement() : null;
    if (!handle?.classList.contains("marker-icon")) return;
    handle.setAttribute("aria-hidden", "true");
    for (const name of ["tabindex", "role"]) handle.removeAttribute(name);
}

export class Editor {
    /** `onChange(isUnsaved)` is called after every change, with true if it is not saved yet. */
    constructor(map, onChange) {
        this.map = map;
        this.onChange = onChange;
        this.layer = null;
        // Keyboards and screen readers use the table of corners instead of the handles.
        map.on("layeradd", ({ layer }) => hideHandle(layer));
        this.forget();
    }

    forget() {
        this.history = new History([], (polygons) => this.restore(polygons));
        this.ring = [0, 0];
        this.corner = null;
    }

    get isOpen() {
        return this.layer !== null;
    }

    get polygons() {
        if (!this.layer) return [];
        return this.layer.getLatLngs().map((rings) => rings.map((ring) => ring.map(pair)));
    }

    get bounds() {
        return this.layer.getBounds();
    }

    open(polygons, { editable }) {
        this.close();
        this.editable = editable;
        this.history.begin(polygons);
        this.show(polygons);
        this.onChange(false);
    }

    /** Convert a GeoJSON geometry to polygons in the copy of the world in view, which may be beyond 180°. */
    inView(geometry) {
        return polygonsNear(polygonsOf(geometry), this.map.getCenter().lng);
    }

    close() {
        this.layer?.remove();
        this.marker?.remove();
        this.layer = this.marker = null;
        this.forget();
    }

    show(polygons) {
        this.layer?.remove();
        this.layer = L.polygon(polygons, { className: "drawing", pmIgnore: false }).addTo(this.map);
        if (polygons[this.ring[0]]?.[this.ring[1]] === undefined) this.ring = [0, 0];
        // A circle is edited by centre and radius.
        if (this.editable && !circleOf(polygons)) {
            this.layer.pm.enable({ allowSelfIntersection: true, snappable: false });
            this.layer.on("pm:edit pm:markerdragend pm:vertexadded pm:vertexremoved", () => this.record());
        }
        this.markCorner();
    }

    /** Record the current state, if it differs from the last one. */
    record() {
        if (!this.history.record(this.polygons)) return;
        this.markCorner();
        this.onChange(true);
    }

    set(polygons) {
        this.show(polygons);
        this.record();
    }

    restore(polygons) {
        this.show(polygons);
        this.onChange(true);
    }

    /** Corners of the selected ring. */
    get corners() {
        const [part, ring] = this.ring;
        return this.polygons[part]?.[ring] ?? [];
    }

    setCorners(corners) {
        const [part, ring] = this.ring;
        const polygons = this.polygons;
        polygons[part][ring] = corners;
        this.set(polygons);
    }

    removeRing() {
        const [part, ring] = this.ring;
        const polygons = this.polygons;
        if (ring) polygons[part].splice(ring, 1);
        else polygons.splice(part, 1);
        this.ring = [0, 0];
        this.corner = null;
        this.set(polygons);
    }

    choose(corner) {
        this.corner = corner;
        this.markCorner();
    }

    markCorner() {
        this.marker?.remove();
        const place = this.corner === null ? undefined : this.corners[this.corner];
        if (!place) return;
        const icon = L.divIcon({ className: "corner-chosen", iconSize: [12, 12] });
        this.marker = L.marker(place, { icon, interactive: false, keyboard: false }).addTo(this.map);
    }

    /** Move the selected corner by minutes of latitude and longitude; false if there is none. */
    nudge(north, east) {
        const corners = this.corners;
        if (!this.editable || this.corner === null || !corners[this.corner]) return false;
        const [lat, lng] = corners[this.corner];
        corners[this.corner] = [Math.max(-90, Math.min(90, lat + north / 60)), lng + east / 60];
        this.setCorners(corners);
        return true;
    }
}
