// Measuring tool: distance and course between points on the chart.

import { course, number } from "../format.js";
import { courseDeg, distanceNm, greatCircle, lineNear } from "../geo.js";

export class Measure {
    constructor(map, onChange) {
        this.map = map;
        this.onChange = onChange;
        this.points = [];
        this.layer = L.layerGroup();
        this.onClick = (event) => this.add(event.latlng);
        this.onMove = (event) => this.draw(event.latlng);
        this.onKey = (event) => {
            if (event.key === "Escape") this.stop();
            if (event.key === "Backspace") {
                event.preventDefault();
                this.points.pop();
                this.draw();
            }
        };
    }

    get active() {
        return this.map.hasLayer(this.layer);
    }

    toggle() {
        if (this.active) this.stop();
        else this.start();
    }

    start() {
        this.layer.addTo(this.map);
        this.map.doubleClickZoom.disable();
        this.map.on("click", this.onClick).on("mousemove", this.onMove);
        document.addEventListener("keydown", this.onKey);
        this.onChange(true);
    }

    stop() {
        this.points = [];
        this.layer.clearLayers().remove();
        this.map.doubleClickZoom.enable();
        this.map.off("click", this.onClick).off("mousemove", this.onMove);
        document.removeEventListener("keydown", this.onKey);
        this.onChange(false);
    }

    add({ lat, lng }) {
        this.points.push([lat, lng]);
        this.draw();
    }

    draw(cursor) {
        this.layer.clearLayers();
        const points = cursor ? [...this.points, [cursor.lat, cursor.lng]] : this.points;
        let total = 0;
        for (let i = 1; i < points.length; i += 1) {
            const leg = distanceNm(points[i - 1], points[i]);
            total += leg;
            this.drawLeg(points[i - 1], points[i], leg, total, i > 1);
        }
    }

    drawLeg(from, to, leg, total, sum) {
        const shown = lineNear(greatCircle(from, to), from[1]);
        for (const className of ["measure-halo", "measure"]) L.polyline(shown, { className, interactive: false }).addTo(this.layer);
        const words = `${course(courseDeg(from, to))}  ${number(leg, 1)} nm`;
        const text = sum ? `${words}, ${number(total, 1)} in all` : words;
        const icon = L.divIcon({ className: "chart-tag", html: text });
        L.marker(shown[Math.floor(shown.length / 2)], { icon, interactive: false }).addTo(this.layer);
    }
}
