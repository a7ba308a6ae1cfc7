// Form of a constraint: its fields, and centre and radius of a circle.

import { parseAngle } from "../coordinates.js";
import { clearFault, clearFaults, readNumber, showFault, showNote } from "../forms.js";
import { latitude, longitude, number } from "../format.js";
import { lngNear } from "../geo.js";
import { parseTime } from "../times.js";
import { writeDay } from "./list.js";
import { circle, circleOf, geometryOf } from "./outline.js";

const TEXTS = ["name", "type", "level"];
const DAYS = ["start_date", "end_date"];

/** Write a radius [nm], of small zones to two metres. */
const writeRadius = (radiusNm) => number(radiusNm, radiusNm < 10 ? 3 : 1);

export class AreaForm {
    constructor(form, editor, corners) {
        Object.assign(this, { form, editor, corners, round: null });
        this.note = form.querySelector("#form-fault");
        this.circle = form.querySelector("#circle");
    }

    field(name) {
        return this.form.querySelector(`[data-field=${name}]`);
    }

    fill(constraint) {
        const { form } = this;
        for (const name of TEXTS) form.elements[name].value = constraint[name];
        form.description.value = constraint.description ?? "";
        form.is_active.checked = constraint.is_active;
        for (const name of DAYS) form[name].value = constraint[name] ? writeDay(constraint[name]) : "";
        for (const tick of form.querySelectorAll("[name=vessel_type]")) {
            tick.checked = (constraint.vessel_type_codes ?? []).includes(Number(tick.value));
        }
        this.showVesselTypes();
    }

    showVesselTypes() {
        this.field("vessel_type_codes").hidden = this.form.level.value !== "VESSEL_TYPE";
    }

    clearFaults() {
        clearFaults(this.form);
        showNote(this.note, "");
    }

    /** Return the fields; of an invalid day, null. */
    collect() {
        const { form } = this;
        const ticked = [...form.querySelectorAll("[name=vessel_type]:checked")].map(({ value }) => Number(value));
        return {
            ...Object.fromEntries(TEXTS.map((name) => [name, form[name].value.trim()])),
            ...Object.fromEntries(DAYS.map((name) => [name, this.readDay(name)])),
            vessel_type_codes: form.level.value === "VESSEL_TYPE" ? ticked : null,
            is_active: form.is_active.checked,
            description: form.description.value.trim() || null,
            geometry: geometryOf(this.editor.polygons),
        };
    }

    readDay(name) {
        const text = this.form[name].value.trim();
        return (text && parseTime(text)?.toISOString().slice(0, 10)) || null;
    }

    /** Write out a day as it is read: its year may be a guess. */
    writeOut({ name }) {
        const day = this.readDay(name);
        if (day) this.form[name].value = writeDay(day);
    }

    /** Return whether the days can be read, and the last is not before the first. */
    hasValidDays() {
        const [first, last] = DAYS.map((name) => this.readDay(name));
        const isRead = DAYS.every((name) => !this.form[name].value.trim() || this.readDay(name));
        return isRead && (!first || !last || first <= last);
    }

    /** Return the fields; null, with errors shown, if they are not valid. */
    read() {
        const { form, editor } = this;
        clearFaults(form);
        const body = this.collect();
        for (const name of DAYS) {
            if (form[name].value.trim() && !body[name]) showFault(form, name, "Enter a day, like 14 Jan 2026.");
        }
        if (!body.name) showFault(form, "name", "Enter a name.");
        const thin = editor.polygons.flat().some((ring) => ring.length < 3);
        if (thin || !editor.polygons.length) showFault(form, "geometry", "An area needs at least three corners.");
        if (this.round) this.readCircle();
        const unread = this.corners.showRefused();
        return unread || form.querySelector(".field--wrong") ? null : body;
    }

    /** Show the circle that the area is. */
    fillCircle() {
        if (!this.round) return;
        const { form, round } = this;
        const [lat, lng] = round.centre;
        form["circle-lat"].value = latitude(lat);
        form["circle-lng"].value = longitude(lng);
        form["circle-radius"].value = writeRadius(round.radiusNm);
    }

    /** Keep or hide the circle after a change of the outline: a moved corner makes it a polygon. */
    followCircle() {
        if (this.round && this.editor.isOpen) this.round = circleOf(this.editor.polygons);
    }

    /** Read the circle; null, with an error shown, if it is not valid. */
    readCircle() {
        const { form } = this;
        const lat = parseAngle(form["circle-lat"].value, 90);
        const lng = parseAngle(form["circle-lng"].value, 180);
        const radius = form["circle-radius"];
        // as shown it is rounded
        const isKept = radius.value === writeRadius(this.round.radiusNm);
        const radiusNm = isKept ? this.round.radiusNm : readNumber(radius);
        if (Number.isNaN(lat) || Number.isNaN(lng) || !(radiusNm > 0 && radiusNm <= 1000)) {
            showFault(form, "circle", "Enter a position and a radius up to 1000 nm.");
            return null;
        }
        clearFault(this.circle);
        return { centre: [lat, lngNear(lng, this.round.centre[1])], radiusNm };
    }

    /** Redraw the circle from the typed centre and radius. */
    typeCircle() {
        const typed = this.readCircle();
        if (!typed) return;
        this.round = typed;
        this.editor.set([[circle(typed.centre, typed.radiusNm)]]);
    }
}
