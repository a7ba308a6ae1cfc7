// Model of an edited route: waypoints, each with the leg to it, with undo and redo.

import { greatCircle, lineNear, lngNear, pair, unwrap } from "../geo.js";
import { History } from "../history.js";

const GREAT_CIRCLE = "GREAT_CIRCLE";

/** Midpoint of a leg, along its rhumb line or great circle. */
function middleOf(from, to) {
    if (to.legGeometry === GREAT_CIRCLE) {
        const [lat, lng] = greatCircle([from.lat, from.lng], [to.lat, to.lng], 2)[1];
        return { lat, lng: lngNear(lng, from.lng) };
    }
    return { lat: (from.lat + to.lat) / 2, lng: (from.lng + to.lng) / 2 };
}

/** Points for drawing a leg; a rhumb line is straight on the chart. */
export function legLine(from, to) {
    const ends = [[from.lat, from.lng], [to.lat, to.lng]];
    return to.legGeometry === GREAT_CIRCLE ? lineNear(greatCircle(...ends), from.lng) : ends;
}

/** Make the longitudes of waypoints continuous. */
export function unwrapWaypoints(waypoints) {
    const places = unwrap(waypoints.map(pair));
    return waypoints.map((waypoint, i) => ({ ...waypoint, lng: places[i][1] }));
}

export class RouteModel {
    /** `waypoints` are [{lat, lng, legGeometry, speedKn, eta}], with continuous longitudes. */
    constructor(waypoints, onChange) {
        Object.assign(this, { waypoints, onChange, saved: JSON.stringify(waypoints) });
        this.history = new History(waypoints, (restored) => this.show(restored));
    }

    get isChanged() {
        return JSON.stringify(this.waypoints) !== this.saved;
    }

    /** Change waypoints, as one step of undo. */
    change(act) {
        const waypoints = structuredClone(this.waypoints);
        act(waypoints);
        if (!this.history.record(waypoints)) return;
        this.show(waypoints);
    }

    show(waypoints) {
        this.waypoints = waypoints;
        this.onChange();
    }

    move(index, lat, lng) {
        this.change((waypoints) => Object.assign(waypoints[index], { lat: Math.max(-90, Math.min(90, lat)), lng }));
    }

    /** Insert a waypoint into the leg to a waypoint, at its midpoint unless a position is given. */
    insert(index, place) {
        this.change((waypoints) => {
            const [from, to] = [waypoints[index - 1], waypoints[index]];
            const { lat, lng } = place ?? middleOf(from, to);
            waypoints.splice(index, 0, { ...to, lat, lng, eta: null });
        });
    }

    /** Remove a waypoint, except the first and the last. */
    remove(index) {
        if (index <= 0 || index >= this.waypoints.length - 1) return;
        this.change((waypoints) => waypoints.splice(index, 1));
    }

    setLeg(index, values) {
        this.change((waypoints) => Object.assign(waypoints[index], values));
    }

    /** Order a time of arrival; the legs since the last time ordered are sailed at one speed. */
    setTime(index, eta) {
        if (eta === this.waypoints[index].eta) return;
        this.change((waypoints) => {
            const before = waypoints.findLastIndex((waypoint, i) => i < index && waypoint.eta);
            const legs = waypoints.slice(Math.max(before, 0) + 1, index + 1);
            const ordered = legs.filter((leg) => leg.speedKn !== null);
            const speedKn = ordered.reduce((sum, leg) => sum + leg.speedKn, 0) / ordered.length || null;
            // their mean, which the time scales, also applies if the time is cleared again
            for (const leg of legs) leg.speedKn = speedKn;
            waypoints[index].eta = eta;
        });
    }

    /** Return whether a leg is sailed at the speed ordered; a time ordered later decides otherwise. */
    hasOwnSpeed(index) {
        return this.waypoints[index].speedKn !== null && !this.waypoints.slice(index).some(({ eta }) => eta);
    }

    line(index) {
        return legLine(this.waypoints[index - 1], this.waypoints[index]);
    }
}
