// Table of the waypoints of an edited route, with inputs for position, leg, speed and time.

import { parsePosition } from "../coordinates.js";
import { button, element, icon } from "../dom.js";
import { course, miles, position } from "../format.js";
import { readNumber } from "../forms.js";
import { lngNear } from "../geo.js";
import { parseTime, writeTime } from "../times.js";

const LEGS = { RHUMB: "RL", GREAT_CIRCLE: "GC" };
const LEG_WORDS = { RHUMB: "rhumb line", GREAT_CIRCLE: "great circle" };

const minutes = (time) => (time ? writeTime(new Date(time)) : "");

/** Inputs of a row, by name. `read` returns null for an empty field, undefined for what cannot be read. */
const FIELDS = {
    place: {
        label: (index) => `Position of waypoint ${index + 1}`,
        write: ({ lat, lng }) => position(lat, lng),
        read: ({ value }) => parsePosition(value) ?? undefined,
        example: "Enter a position like 49-54.3N 005-10.2W.",
        set: (model, index, { lat, lng }) => model.move(index, lat, lngNear(lng, model.waypoints[index].lng)),
    },
    speed: {
        label: (index) => `Speed to waypoint ${index + 1} [kn]`,
        write: ({ speedKn }, figures, hasOwnSpeed) => (hasOwnSpeed ? speedKn : figures.speedThroughWaterKn)?.toFixed(1) ?? "",
        read: (input) => {
            const kn = readNumber(input);
            return kn === null || (kn >= 1 && kn <= 40) ? kn : undefined;
        },
        example: "Enter a speed from 1 to 40 kn.",
        set: (model, index, speedKn) => model.setLeg(index, { speedKn, eta: null }),
    },
    eta: {
        label: (index) => `Time at waypoint ${index + 1} (UTC)`,
        write: ({ eta }, figures) => minutes(eta ?? figures.eta),
        read: ({ value }) => (value.trim() ? (parseTime(value) ?? undefined) : null),
        example: "Enter a time like 14 Jan 2026 18:00.",
        set: (model, index, time) => model.setTime(index, time?.toISOString() ?? null),
    },
};

const indexOf = (control) => Number(control.closest("tr").dataset.waypoint);

/** Write a value into an input, unless it holds an entry that is not in the route. */
function show(input, words) {
    if (input.value !== input.defaultValue || input.value === words) return;
    const isSelected = input === document.activeElement && input.selectionEnd - input.selectionStart === input.value.length;
    input.value = input.defaultValue = words;
    if (isSelected) input.select();
}

function nameButton(made, title, words = title) {
    made.title = title;
    made.setAttribute("aria-label", words);
}

export class WaypointTable {
    /** `onChoose(index)` is called when a row gets the focus. */
    constructor(body, model, onChoose) {
        Object.assign(this, { body, model, figures: [], drawn: [] });
        body.addEventListener("focusin", ({ target }) => onChoose(indexOf(target)));
        body.addEventListener("change", ({ target }) => this.take(target));
        this.draw();
    }

    /** Show the route; its rows are kept, and with them the focus and entries that cannot be read. */
    draw() {
        const { rows } = this.body;
        const { waypoints } = this.model;
        const isOther = ({ lat, lng }, i) => lat !== this.drawn[i]?.lat || lng !== this.drawn[i]?.lng;
        const other = waypoints.findIndex(isOther);
        const place = other < 0 ? waypoints.length : other;
        while (rows.length > waypoints.length) rows[place].remove();
        for (let i = place; rows.length < waypoints.length; i += 1) this.body.insertBefore(this.row(i), rows[i] ?? null);
        this.drawn = waypoints;
        this.fill();
    }

    /** Show computed values: [{eta, courseDeg, legDistanceNm, speedThroughWaterKn}]. */
    showFigures(figures) {
        this.figures = figures;
        this.fill();
    }

    fill() {
        for (const [index, row] of [...this.body.rows].entries()) {
            row.dataset.waypoint = index;
            row.cells[0].textContent = index + 1;
            this.fillCells(row, index);
            if (index) this.fillButtons(row, index);
        }
    }

    fillCells(row, index) {
        const figures = this.figures[index] ?? {};
        const cells = {
            course: index && figures.eta ? course(figures.courseDeg) : "",
            distance: index ? miles(figures.legDistanceNm) : "",
        };
        for (const [name, words] of Object.entries(cells)) row.querySelector(`[data-cell=${name}]`).textContent = words;
        for (const input of row.querySelectorAll("input")) {
            const { label, write } = FIELDS[input.name];
            input.setAttribute("aria-label", label(index));
            show(input, write(this.model.waypoints[index], figures, this.model.hasOwnSpeed(index)));
        }
    }

    fillButtons(row, index) {
        const { legGeometry } = this.model.waypoints[index];
        const { leg, insert, remove } = Object.fromEntries([...row.querySelectorAll("button")].map((each) => [each.name, each]));
        const turn = `Sail a ${LEG_WORDS[this.otherLeg(index)]}`;
        leg.textContent = LEGS[legGeometry];
        nameButton(leg, turn, `${LEGS[legGeometry]}: ${LEG_WORDS[legGeometry]} to waypoint ${index + 1}. ${turn}`);
        nameButton(insert, `Insert a waypoint before ${index + 1}`);
        if (remove) nameButton(remove, `Delete waypoint ${index + 1}`);
    }

    otherLeg(index) {
        return this.model.waypoints[index].legGeometry === "RHUMB" ? "GREAT_CIRCLE" : "RHUMB";
    }

    row(index) {
        const isFirst = index === 0;
        const isLast = index === this.model.waypoints.length - 1;
        const figure = (name) => {
            const cell = element("td", "number figure");
            cell.dataset.cell = name;
            return cell;
        };
        const row = element(
            "tr",
            "",
            element("td", "number"),
            element("td", "", this.input("place")),
            element("td", "", isFirst ? "" : this.button("leg", "", (at) => this.model.setLeg(at, { legGeometry: this.otherLeg(at) }))),
            figure("course"),
            figure("distance"),
            element("td", "number", isFirst ? "" : this.input("speed")),
            element("td", "", isFirst ? "" : this.input("eta")),
            element("td", "waypoint-acts",
                isFirst ? "" : this.button("insert", "plus", (at) => this.model.insert(at)),
                isFirst || isLast ? "" : this.button("remove", "close", (at) => this.remove(at))),
        );
        // Roles, because a stacked row is none to the browser.
        row.role = "row";
        for (const cell of row.cells) cell.role = "cell";
        return row;
    }

    input(name) {
        const made = element("input");
        Object.assign(made, { name, autocomplete: "off" });
        if (name === "speed") made.inputMode = "decimal";
        return made;
    }

    /** Create a button that calls `act(index)` with the index of its row. */
    button(name, iconName, act) {
        const className = `button ${iconName ? "button--icon " : ""}button--small`;
        const made = button(className, () => act(indexOf(made)), iconName ? icon(iconName) : null);
        made.name = name;
        return made;
    }

    remove(index) {
        this.model.remove(index);
        this.body.rows[index].querySelector("[name=insert]").focus();
    }

    /** Take an entry over into the route. */
    take(input) {
        const { read, example, set } = FIELDS[input.name];
        if (input.name === "place" && !input.value.trim()) input.value = input.defaultValue;
        const value = read(input);
        const isRead = value !== undefined;
        input.setCustomValidity(isRead ? "" : example);
        input.setAttribute("aria-invalid", String(!isRead));
        input.reportValidity();
        if (!isRead || input.value === input.defaultValue) return;
        input.defaultValue = input.value;
        set(this.model, indexOf(input), value);
        this.fill();
    }
}
