// Table of the waypoints of an edited route, with inputs for position, leg, speed and time.

import { parsePosition } from "../coordinates.js";
import { button, element, icon } from "../dom.js";
import { course, number, position } from "../format.js";
import { readNumber } from "../forms.js";
import { lngNear } from "../geo.js";
import { parseTime, writeTime } from "../times.js";

const LEGS = { RHUMB: "RL", GREAT_CIRCLE: "GC" };
const LEG_WORDS = { RHUMB: "rhumb line", GREAT_CIRCLE: "great circle" };

const minutes = (time) => (time ? writeTime(new Date(time)) : "");

function iconButton(words, iconName, act) {
    const made = button("button button--icon button--small", act, icon(iconName));
    made.title = words;
    made.setAttribute("aria-label", words);
    return made;
}

export class WaypointTable {
    /** `onChoose(index)` is called when a row gets the focus. */
    constructor(body, model, onChoose) {
        Object.assign(this, { body, model, figures: [], legs: new Map() });
        body.addEventListener("focusin", ({ target }) => onChoose(Number(target.closest("tr").dataset.waypoint)));
        this.draw();
    }

    draw() {
        const { activeElement } = document;
        const [row, name] = [activeElement?.closest?.("[data-waypoint]")?.dataset.waypoint, activeElement?.name];
        this.body.replaceChildren(...this.model.waypoints.map((waypoint, i) => this.row(waypoint, i)));
        if (name) this.body.querySelector(`[data-waypoint="${row}"] [name="${name}"]`)?.focus({ preventScroll: true });
    }

    /** Show computed values: [{eta, courseDeg, legDistanceNm, speedThroughWaterKn}]. */
    showFigures(figures) {
        this.figures = figures;
        for (const row of this.body.rows) this.fill(row, Number(row.dataset.waypoint));
    }

    fill(row, index) {
        const figures = this.figures[index] ?? {};
        const cells = {
            course: index ? course(figures.courseDeg ?? NaN) : "",
            distance: index ? number(figures.legDistanceNm, 1) : "",
        };
        if (figures.courseDeg === undefined) cells.course = "";
        for (const [name, words] of Object.entries(cells)) row.querySelector(`[data-cell=${name}]`).textContent = words;
        const time = row.querySelector("[name=eta]");
        if (time && time !== document.activeElement) time.value = minutes(this.model.waypoints[index].eta ?? figures.eta);
        const speed = row.querySelector("[name=speed]");
        const isSailed = speed && speed !== document.activeElement && speed.validity.valid && !this.model.hasOwnSpeed(index);
        if (isSailed) speed.value = figures.speedThroughWaterKn?.toFixed(1) ?? "";
    }

    row(waypoint, index) {
        const isFirst = index === 0;
        const isLast = index === this.model.waypoints.length - 1;
        const cells = [
            element("td", "number", String(index + 1)),
            element("td", "", this.place(waypoint, index)),
            element("td", "", isFirst ? "" : this.leg(waypoint, index)),
            this.cell("course"),
            this.cell("distance"),
            element("td", "number", isFirst ? "" : this.speed(waypoint, index)),
            element("td", "", isFirst ? "" : this.time(waypoint, index)),
            element("td", "waypoint-acts",
                isFirst ? "" : iconButton(`Insert a waypoint before ${index + 1}`, "plus", () => this.model.insert(index)),
                isFirst || isLast ? "" : iconButton(`Delete waypoint ${index + 1}`, "close", () => this.model.remove(index))),
        ];
        const row = element("tr", "", ...cells);
        row.dataset.waypoint = index;
        this.fill(row, index);
        return row;
    }

    cell(name) {
        const made = element("td", "number");
        made.dataset.cell = name;
        return made;
    }

    input(name, label, value) {
        const made = element("input");
        Object.assign(made, { name, value, autocomplete: "off" });
        made.setAttribute("aria-label", label);
        return made;
    }

    place(waypoint, index) {
        const input = this.input("place", `Position of waypoint ${index + 1}`, position(waypoint.lat, waypoint.lng));
        input.addEventListener("change", () => {
            const place = parsePosition(input.value);
            input.toggleAttribute("aria-invalid", !place);
            input.setCustomValidity(place ? "" : "Enter a position like 49-54.3N 005-10.2W.");
            input.reportValidity();
            if (!place) return;
            this.model.move(index, place.lat, lngNear(place.lng, waypoint.lng));
        });
        return input;
    }

    leg(waypoint, index) {
        const other = waypoint.legGeometry === "RHUMB" ? "GREAT_CIRCLE" : "RHUMB";
        const turn = () => this.model.setLeg(index, { legGeometry: other });
        const made = button("button button--small", turn, LEGS[waypoint.legGeometry]);
        made.name = "leg";
        made.title = `Sail a ${LEG_WORDS[other]}`;
        made.setAttribute("aria-label", `${LEGS[waypoint.legGeometry]}: ${LEG_WORDS[waypoint.legGeometry]} to waypoint ${index + 1}. Sail a ${LEG_WORDS[other]}`);
        return made;
    }

    speed(waypoint, index) {
        const input = this.input("speed", `Speed to waypoint ${index + 1} [kn]`, waypoint.speedKn?.toFixed(1) ?? "");
        input.inputMode = "decimal";
        input.addEventListener("change", () => {
            const speedKn = readNumber(input);
            const isRead = speedKn === null || (speedKn >= 1 && speedKn <= 40);
            input.setCustomValidity(isRead ? "" : "Enter a speed from 1 to 40 kn.");
            input.reportValidity();
            if (isRead) this.model.setLeg(index, { speedKn, eta: null });
        });
        return input;
    }

    time(waypoint, index) {
        const input = this.input("eta", `Time at waypoint ${index + 1} (UTC)`, minutes(waypoint.eta));
        input.addEventListener("change", () => {
            const time = input.value.trim() ? parseTime(input.value) : null;
            const isRead = time !== null || !input.value.trim();
            input.setCustomValidity(isRead ? "" : "Enter a time like 14 Jan 2026 18:00.");
            input.reportValidity();
            if (isRead) this.model.setTime(index, time?.toISOString() ?? null);
        });
        return input;
    }
}
