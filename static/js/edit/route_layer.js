// The edited route on the chart: legs, waypoints to drag, and handles to insert a waypoint into a
// leg. Keyboards and screen readers use the table of waypoints instead.

import { lineNear, lngNear, pair } from "../geo.js";
import { ringFindings } from "./findings.js";

/** Least length of a leg with a handle [px]. */
const LEAST_LEG_PX = 48;
/** Margin around the view within which waypoints have marks, as a share of the view. */
const AROUND = 0.2;

export class RouteLayer {
    constructor(map, model) {
        Object.assign(this, { map, model, chosen: null });
        this.base = L.polyline([], { className: "line-base", interactive: false }).addTo(map);
        this.lines = L.layerGroup().addTo(map);
        this.marks = L.layerGroup().addTo(map);
        this.rings = L.layerGroup().addTo(map);
        map.on("moveend zoomend", () => this.drawMarks());
        this.draw();
    }

    draw() {
        const { model } = this;
        this.lines.clearLayers();
        this.legs = model.waypoints.slice(1).map((_, i) =>
            L.polyline(model.line(i + 1), { className: "edited-leg", interactive: false }).addTo(this.lines),
        );
        this.drawMarks();
    }

    /** Show the route before the edit, a line of [lat, lng]. */
    showBase(line) {
        this.base.setLatLngs(lineNear(line, this.model.waypoints[0].lng));
    }

    drawMarks() {
        if (this.isDragging) return;
        this.marks.clearLayers();
        const { model, map } = this;
        const view = map.getBounds().pad(AROUND);
        model.waypoints.forEach((waypoint, i) => {
            if (view.contains(pair(waypoint))) this.mark(waypoint, i);
            if (i) this.offerInsertion(i, view);
        });
    }

    mark(waypoint, index) {
        const marker = this.handle(pair(waypoint), index === this.chosen ? "edit-mark edit-mark--chosen" : "edit-mark");
        marker.on("click", () => this.choose(index));
        this.follow(marker, index, (lat, lng) => this.model.move(index, lat, lng));
    }

    offerInsertion(index, view) {
        const line = this.model.line(index);
        const middle = line.length > 2 ? line[Math.floor(line.length / 2)] : [(line[0][0] + line[1][0]) / 2, (line[0][1] + line[1][1]) / 2];
        const [from, to] = [line[0], line.at(-1)].map((place) => this.map.latLngToContainerPoint(place));
        if (from.distanceTo(to) < LEAST_LEG_PX || !view.contains(middle)) return;
        const marker = this.handle(middle, "edit-mark edit-mark--between");
        marker.on("click", () => this.model.insert(index));
        this.follow(marker, index, (lat, lng) => this.model.insert(index, { lat, lng }), true);
    }

    handle(place, className) {
        const icon = L.divIcon({ className, iconSize: [24, 24] });
        const marker = L.marker(place, { icon, draggable: true, keyboard: false, autoPan: true }).addTo(this.marks);
        marker.getElement().setAttribute("aria-hidden", "true");
        return marker;
    }

    /** Redraw the adjacent legs while a mark is dragged; update the model when it is released. */
    follow(marker, index, done, isNew = false) {
        marker.on("dragstart", () => {
            this.isDragging = true;
        });
        marker.on("drag", () => {
            const place = pair(marker.getLatLng());
            const ends = [this.model.waypoints[index - 1], this.model.waypoints[isNew ? index : index + 1]];
            const [before, after] = ends.map((end) => end && pair(end));
            if (isNew) this.legs[index - 1].setLatLngs([before, place, after]);
            else {
                if (before) this.legs[index - 1].setLatLngs([before, place]);
                if (after) this.legs[index].setLatLngs([place, after]);
            }
        });
        marker.on("dragend", () => {
            this.isDragging = false;
            const { lat, lng } = marker.getLatLng();
            done(lat, lng);
        });
    }

    choose(index) {
        this.chosen = index;
        this.drawMarks();
        this.onChoose?.(index);
    }

    showFindings(findings) {
        ringFindings(this.rings, findings, (lng) => this.near(lng));
    }

    /** Shift a longitude by a multiple of 360° to the route. */
    near(lng) {
        const middle = this.model.waypoints[Math.floor(this.model.waypoints.length / 2)].lng;
        return lngNear(lng, middle);
    }
}
