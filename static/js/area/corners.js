// The corners of a ring as a table: typed, removed, chosen to be nudged.

import { element, icon } from "../dom.js";
import { latitude, longitude, parseAngle } from "../format.js";

export class Corners {
    constructor(table, picker, editor) {
        Object.assign(this, { table, picker, editor });
        picker.addEventListener("change", () => {
            editor.ring = picker.value.split(" ").map(Number);
            editor.choose(null);
            this.draw();
        });
        table.addEventListener("focusin", ({ target }) => {
            const row = target.closest("tr");
            if (row) editor.choose(Number(row.dataset.corner));
        });
    }

    draw() {
        this.drawPicker();
        this.table.replaceChildren(...this.editor.corners.map(([lat, lng], i) => this.row(lat, lng, i)));
    }

    /** Which ring the table is of, where there is more than one. */
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

    row(lat, lng, i) {
        const remove = element("button", "", icon("close"));
        remove.type = "button";
        remove.setAttribute("aria-label", `Remove corner ${i + 1}`);
        remove.addEventListener("click", () => this.editor.setCorners(this.editor.corners.filter((_, k) => k !== i)));
        const row = element(
            "tr",
            "",
            element("td", "", String(i + 1)),
            element("td", "", this.input(i, 0, latitude(lat), 90)),
            element("td", "", this.input(i, 1, longitude(lng), 180)),
            element("td", "", this.editor.editable ? remove : ""),
        );
        row.dataset.corner = i;
        return row;
    }

    input(i, axis, text, limit) {
        const input = element("input");
        input.value = text;
        input.disabled = !this.editor.editable;
        input.setAttribute("aria-label", `${axis ? "Longitude" : "Latitude"} of corner ${i + 1}`);
        input.addEventListener("change", () => {
            const value = parseAngle(input.value, limit);
            if (Number.isNaN(value)) {
                input.setAttribute("aria-invalid", "true");
                return;
            }
            const moved = this.editor.corners;
            // The typed longitude is taken on the side of the antimeridian where the area lies.
            moved[i][axis] = axis ? value + 360 * Math.round((moved[i][1] - value) / 360) : value;
            this.editor.setCorners(moved);
        });
        return input;
    }

    /** A corner half way between the last and the first, ready to be typed. */
    add(fallback) {
        const places = this.editor.corners;
        const [first, last] = [places[0], places.at(-1)];
        const next = last ? [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2] : fallback;
        this.editor.setCorners([...places, next]);
        this.table.querySelector("tr:last-child input").focus();
    }
}
