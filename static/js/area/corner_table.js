// Table of the corners of a ring, where positions are typed and corners removed or selected.

import { parseAngle } from "../coordinates.js";
import { button, element, icon } from "../dom.js";
import { latitude, longitude } from "../format.js";
import { lngNear } from "../geo.js";

const AXES = [
    { name: "Latitude", write: latitude, limit: 90, example: "49°30.0'N" },
    { name: "Longitude", write: longitude, limit: 180, example: "005°10.2'W" },
];
/** Key of a corner's invalid input: by position, because corners may be reordered. */
const keyOf = (place, axis) => `${place} ${axis}`;

export class CornerTable {
    /** `onRefused` is called when the input is not a valid position. */
    constructor(table, picker, editor, onRefused) {
        Object.assign(this, { table, picker, editor, refused: new Map() });
        this.onRefused = onRefused;
        picker.addEventListener("change", () => {
            editor.ring = picker.value.split(" ").map(Number);
            editor.choose(null);
            this.draw();
        });
        // Typed corners are taken at a change.
        table.addEventListener("input", (event) => event.stopPropagation());
        table.addEventListener("focusin", ({ target }) => {
            const row = target.closest("tr");
            if (row) editor.choose(Number(row.dataset.corner));
        });
    }

    draw() {
        this.drawPicker();
        this.table.replaceChildren(...this.editor.corners.flatMap((place, i) => this.rows(place, i)));
    }

    /** Discard invalid input, when another area is opened. */
    forget() {
        this.refused.clear();
    }

    /** Focus the first corner with invalid input; false if there is none. */
    showRefused() {
        for (const [p, rings] of this.editor.polygons.entries()) {
            for (const [r, ring] of rings.entries()) {
                if (!ring.some((place) => AXES.some((_, axis) => this.refused.has(keyOf(place, axis))))) continue;
                this.editor.ring = [p, r];
                this.draw();
                this.table.querySelector("[aria-invalid]").focus();
                return true;
            }
        }
        return false;
    }

    /** Show the selection of a ring, if there are several. */
    drawPicker() {
        const { polygons, ring } = this.editor;
        const rings = polygons.flatMap((part, p) => part.map((_, r) => [p, r]));
        this.picker.closest(".field__box").hidden = rings.length < 2;
        this.picker.replaceChildren(
            ...rings.map(([p, r]) => {
                const part = polygons.length > 1 ? `Part ${p + 1}` : "Outline";
                const option = element("option", "", r ? `${polygons.length > 1 ? `${part}, hole` : "Hole"} ${r}` : part);
                option.value = `${p} ${r}`;
                option.selected = p === ring[0] && r === ring[1];
                return option;
            }),
        );
    }

    rows(place, i) {
        const remove = button("", () => this.editor.setCorners(this.editor.corners.filter((_, k) => k !== i)), icon("close"));
        remove.setAttribute("aria-label", `Remove corner ${i + 1}`);
        const row = element(
            "tr",
            "",
            element("td", "", String(i + 1)),
            ...AXES.map((_, axis) => element("td", "", this.input(place, i, axis))),
            element("td", "", this.editor.editable ? remove : ""),
        );
        row.dataset.corner = i;
        const faults = AXES.flatMap((_, axis) => this.fault(place, i, axis) ?? []);
        return faults.length ? [row, faultRow(faults)] : [row];
    }

    input(place, i, axis) {
        const { name, write } = AXES[axis];
        const input = element("input");
        const refused = this.refused.get(keyOf(place, axis));
        input.value = refused ?? write(place[axis]);
        input.disabled = !this.editor.editable;
        input.autocomplete = "off";
        input.setAttribute("aria-label", `${name} of corner ${i + 1}`);
        if (refused !== undefined) {
            input.setAttribute("aria-invalid", "true");
            input.setAttribute("aria-describedby", faultId(i, axis));
        }
        input.addEventListener("change", () => this.take(input.value, place, i, axis));
        return input;
    }

    /** Error message for invalid input. */
    fault(place, i, axis) {
        const typed = this.refused.get(keyOf(place, axis));
        if (typed === undefined) return null;
        const { name, limit, example } = AXES[axis];
        const words = `“${typed}” is not a ${name.toLowerCase()}. Enter degrees up to ${limit}, like ${example}.`;
        const fault = element("p", "field__error", words);
        fault.id = faultId(i, axis);
        return fault;
    }

    take(typed, place, i, axis) {
        const value = parseAngle(typed, AXES[axis].limit);
        if (Number.isNaN(value)) {
            this.refused.set(keyOf(place, axis), typed);
            this.draw();
            this.onRefused();
            return;
        }
        this.refused.delete(keyOf(place, axis));
        const corners = this.editor.corners;
        const other = 1 - axis;
        const kept = this.refused.get(keyOf(place, other));
        // A longitude is shifted to the area's side of the antimeridian.
        corners[i][axis] = axis ? lngNear(value, corners[i][1]) : value;
        if (kept !== undefined) {
            this.refused.delete(keyOf(place, other));
            this.refused.set(keyOf(corners[i], other), kept);
        }
        this.editor.setCorners(corners);
        this.draw();
    }

    /** Add a corner midway between the last and the first, and focus its input. */
    add(fallback) {
        const places = this.editor.corners;
        const [first, last] = [places[0], places.at(-1)];
        const next = last ? [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2] : fallback;
        this.editor.setCorners([...places, next]);
        this.table.querySelector("tr[data-corner]:last-of-type input").focus();
    }
}

const faultId = (i, axis) => `corner-${i}-${axis}-error`;

function faultRow(faults) {
    const cell = element("td", "", ...faults);
    cell.colSpan = 4;
    return element("tr", "corners__fault", cell);
}
