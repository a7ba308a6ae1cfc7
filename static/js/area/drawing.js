// Drawing tools on the chart: polygon, rectangle, circle, and a hole in the open area.

import { element } from "../dom.js";
import { course, number } from "../format.js";
import { courseDeg, distanceNm, pair } from "../geo.js";
import { areaNm2, circle } from "./outline.js";

const SHAPES = { Polygon: "Polygon", Hole: "Polygon", Rectangle: "Rectangle", Circle: "Circle" };
const KEYS = {
    Polygon: [["Enter", " closes. "], ["Backspace", " removes the last. "], ["Esc", " stops."]],
    Rectangle: [["Esc", " stops."]],
    Circle: [["Esc", " stops."]],
};
const BEGIN = {
    Polygon: "Click adds a corner.",
    Hole: "Click corners inside the area.",
    Rectangle: "Click two corners.",
    Circle: "Click the centre, then the edge.",
};

export class Drawing {
    /** `onDrawn(kind, polygons, circle)`; `circle` has centre and radius [nm], or is null. */
    constructor(map, { prompt, reading, buttons, mayStart, onDrawn }) {
        Object.assign(this, { map, prompt, reading, buttons, mayStart, onDrawn, kind: null, placed: [] });
        map.pm.setGlobalOptions({ snappable: false });
        map.on("pm:drawstart", ({ workingLayer }) => this.begin(workingLayer));
        map.on("pm:drawend", () => this.end());
        map.on("pm:create", ({ layer }) => this.finish(layer));
        map.on("mousemove", ({ latlng }) => this.follow(latlng));
        for (const button of buttons) button.addEventListener("click", () => this.toggle(button.dataset.draw));
        document.addEventListener("keydown", (event) => this.press(event));
    }

    async toggle(kind) {
        const again = this.kind === kind;
        this.stop();
        if (again || !(await this.mayStart(kind))) return;
        this.kind = kind;
        const line = { className: "measure", interactive: false };
        this.map.pm.enableDraw(SHAPES[kind], {
            snappable: false,
            allowSelfIntersection: true,
            tooltips: false,
            hintlineStyle: line,
            templineStyle: line,
            pathOptions: { className: "drawing" },
        });
        this.map.getContainer().focus();
    }

    stop() {
        this.map.pm.disableDraw();
    }

    begin(workingLayer) {
        this.placed = [];
        workingLayer.on("pm:vertexadded", () => this.count(workingLayer.getLatLngs().map(pair)));
        workingLayer.on("pm:centerplaced", () => this.count([pair(workingLayer.getLatLng())]));
        this.say(BEGIN[this.kind]);
    }

    end() {
        this.kind = null;
        this.prompt.hidden = true;
        this.reading.textContent = "–";
        for (const button of this.buttons) button.setAttribute("aria-pressed", "false");
    }

    count(corners) {
        this.placed = corners;
        if (SHAPES[this.kind] !== "Polygon") return;
        const size = corners.length > 2 ? `, ${number(areaNm2([[corners]]))} nm²` : "";
        this.say(`${corners.length} ${corners.length === 1 ? "corner" : "corners"}${size}`);
    }

    say(words) {
        this.prompt.hidden = false;
        this.prompt.querySelector("b").textContent = words;
        this.prompt
            .querySelector("span")
            .replaceChildren(...KEYS[SHAPES[this.kind]].flatMap(([key, rest]) => [element("kbd", "key", key), rest]));
        for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.draw === this.kind));
    }

    /** Show course and distance from the last corner, or the circle's radius, at the cursor. */
    follow(latlng) {
        const last = this.placed.at(-1);
        if (!this.kind || !last) return;
        const place = pair(latlng);
        this.reading.textContent = `${course(courseDeg(last, place))} ${number(distanceNm(last, place), 1)} nm`;
        if (this.kind === "Circle") this.say(`Radius ${number(distanceNm(last, place), 1)} nm`);
    }

    finish(layer) {
        const kind = this.kind;
        layer.remove();
        if (kind === "Circle") {
            const centre = pair(layer.getLatLng());
            const radiusNm = layer.getRadius() / 1852;
            this.onDrawn(kind, [[circle(centre, radiusNm)]], { centre, radiusNm });
        } else {
            this.onDrawn(kind, [[layer.getLatLngs()[0].map(pair)]], null);
        }
    }

    press(event) {
        if (!this.kind || event.target.closest("input, textarea, select")) return;
        const polygon = SHAPES[this.kind] === "Polygon" ? this.map.pm.Draw.Polygon : null;
        const acts = {
            Escape: () => this.stop(),
            Enter: () => polygon?._finishShape(),
            Backspace: () => {
                polygon?._removeLastVertex();
                if (polygon) this.count(polygon._layer.getLatLngs().map(pair));
            },
        };
        if (!acts[event.key]) return;
        event.preventDefault();
        acts[event.key]();
    }
}
