// Marks of a route: waypoints, arrows, numbers, courses and the own ship.

import { course } from "../format.js";
import { pair, unwrap } from "../geo.js";
import { token } from "../palette.js";
import { CanvasLayer } from "./canvas_layer.js";
import { haloText } from "./graticule.js";
import { END_NAMES, boxesOf, chooseForms } from "./labels.js";

const ARROW_EVERY = 130;
const NUMBER_ZOOM = 6;
const COURSE_ZOOM = 7;
const NUMBER_PX = 11;
const SHIP = `<svg class="own-ship" viewBox="-11 -11 22 22" aria-hidden="true"><path class="own-ship__halo" d="M0-9V-24"/><circle class="own-ship__halo" r="9"/><circle r="9"/><circle r="4"/><path d="M0-9V-24"/></svg>`;

function arrow(ctx, { x, y }, angle, colour, halo) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(angle);
    ctx.beginPath();
    ctx.moveTo(8, 0);
    ctx.lineTo(-5, 6);
    ctx.lineTo(-5, -6);
    ctx.closePath();
    ctx.lineWidth = 3;
    ctx.strokeStyle = halo;
    ctx.stroke();
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.restore();
}

function paintArrows(ctx, map, line) {
    const [colour, halo] = [token("route"), token("halo")];
    let left = ARROW_EVERY / 2;
    let from = map.latLngToContainerPoint(line[0]);
    for (const place of line.slice(1)) {
        const to = map.latLngToContainerPoint(place);
        const length = from.distanceTo(to);
        const angle = Math.atan2(to.y - from.y, to.x - from.x);
        for (; left < length; left += ARROW_EVERY) {
            const at = from.add(to.subtract(from).multiplyBy(left / length));
            if (map.getSize().x + 20 > at.x && at.x > -20) arrow(ctx, at, angle, colour, halo);
        }
        left -= length;
        from = to;
    }
}

function paintNumbers(ctx, map, waypoints, places) {
    const zoom = map.getZoom();
    if (zoom < NUMBER_ZOOM) return;
    const [ink, halo] = [token("mapink"), token("halo")];
    ctx.font = `500 ${NUMBER_PX}px ${token("font")}`;
    ctx.textAlign = "left";
    const labels = places.map((place, i) => {
        const { x, y } = map.latLngToContainerPoint(place).add([7, -6]);
        const [number, next] = [String(i + 1), waypoints[i + 1]];
        const forms = zoom >= COURSE_ZOOM && next ? [`${number}  ${course(next.courseDeg)}`, number] : [number];
        return { x, y, forms };
    });
    const boxes = labels.map(({ x, y, forms }) =>
        forms.map((words) => ({ left: x, right: x + ctx.measureText(words).width, top: y - NUMBER_PX, bottom: y })),
    );
    chooseForms(boxes, boxesOf(map, `.critical-mark, ${END_NAMES}`)).forEach((form, i) => {
        const { x, y, forms } = labels[i];
        if (form >= 0) haloText(ctx, forms[form], x, y, ink, halo);
    });
}

export function addRouteMarks(map, track, waypoints) {
    const places = unwrap(waypoints.map(pair));
    const line = track.lat.length ? unwrap(track.lat.map((lat, i) => [lat, track.lng[i]])) : places;
    for (const place of places) L.circleMarker(place, { radius: 3, className: "waypoint", interactive: false }).addTo(map);
    new CanvasLayer(
        (ctx) => {
            paintArrows(ctx, map, line);
            paintNumbers(ctx, map, waypoints, places);
        },
        { pane: "marks" },
    ).addTo(map);
    return line;
}

/** Own ship at places along a line, with its course at each; without a heading line where there is none. */
export class OwnShip {
    constructor(map, line, courses) {
        Object.assign(this, { line, courses });
        const icon = L.divIcon({ className: "own-ship-mark", html: SHIP, iconSize: [22, 22] });
        this.marker = L.marker(line[0], { icon, interactive: false, keyboard: false, zIndexOffset: 900 }).addTo(map);
    }

    show(at) {
        this.marker.setLatLng(this.line[at]);
        const turn = this.courses[at] ?? null;
        const ship = this.marker.getElement().firstChild;
        ship.classList.toggle("own-ship--undirected", turn === null);
        ship.style.transform = `rotate(${turn ?? 0}deg)`;
    }
}
