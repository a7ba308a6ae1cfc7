// Areas on the chart: hatched if routes avoid them, else with a dashed outline.

import { lngNear } from "../geo.js";
import { haloText } from "./graticule.js";
import { shiftIntoView } from "./labels.js";
import { token } from "../palette.js";

const HATCH_PX = 8;
const DASH = [10, 4, 2, 4];
/** Height of an area's name [px]. */
const NAME_PX = 11;

/** Create the hatch pattern; its size divides that of a tile, so that it continues across tiles. */
export function makeHatch(colour) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = HATCH_PX;
    const ctx = canvas.getContext("2d");
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.6;
    ctx.beginPath();
    for (const shift of [-HATCH_PX, 0, HATCH_PX]) {
        ctx.moveTo(shift - 1, HATCH_PX + 1);
        ctx.lineTo(shift + HATCH_PX + 1, -1);
    }
    ctx.stroke();
    return ctx.createPattern(canvas, "repeat");
}

/** Outline: solid if avoided, dashed for caution, dotted if switched off. */
function lineOf({ avoided, isOff }) {
    if (isOff) return { dash: [1, 3], width: 1 };
    return avoided ? { dash: [], width: 1.5 } : { dash: DASH, width: 1.25 };
}

function westEast(rings) {
    const lngs = rings.flat().map(([, lng]) => lng);
    return [Math.min(...lngs), Math.max(...lngs)];
}

/** Whether an edge is one at which areas are cut at the antimeridian, which is no boundary. */
const isCut = ([, from], [, to]) => Math.abs(from) === 180 && from === to;

/** Begin a path along closed rings; it leaves out the edges that `isBroken` names. */
function trace(ctx, rings, place, { isBroken = () => false } = {}) {
    ctx.beginPath();
    for (const ring of rings) {
        ring.forEach(([lat, lng], i) => {
            const { x, y } = place(lat, lng);
            if (i && !isBroken(ring[i - 1], ring[i])) ctx.lineTo(x, y);
            else ctx.moveTo(x, y);
        });
    }
}

/** Paint `areas` onto a tile; `place` converts latitude and longitude to its pixels. */
export function paintAreas(ctx, areas, bounds, place, { zone, hatch, stretch }) {
    ctx.strokeStyle = zone;
    for (const area of areas) {
        area.span ??= westEast(area.rings);
        // All copies of the area, 360° apart, that reach into the tile.
        const first = Math.ceil((bounds.getWest() - area.span[1]) / 360);
        const last = Math.floor((bounds.getEast() - area.span[0]) / 360);
        for (let copy = first; copy <= last; copy += 1) {
            const at = (lat, lng) => place(lat, lng + 360 * copy);
            const { dash, width } = lineOf(area);
            ctx.setLineDash(dash.map((length) => length / stretch));
            ctx.lineWidth = width / stretch;
            if (area.avoided) {
                trace(ctx, area.rings, at);
                ctx.fillStyle = hatch;
                ctx.fill("evenodd");
            }
            trace(ctx, area.rings, at, { isBroken: isCut });
            ctx.stroke();
        }
    }
    ctx.setLineDash([]);
}

/** Maximum number of names in view. */
const MOST_NAMES = 40;

/** Paint the names of avoided areas where there is room, the widest area first. */
export function paintAreaNames(ctx, map, areas) {
    const [ink, halo] = [token("zone"), token("halo")];
    ctx.font = `600 ${NAME_PX}px ${token("font")}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const view = map.getSize();
    const named = areas
        .filter(({ avoided }) => avoided)
        .map((area) => placeName(ctx, map, area))
        .filter(({ x, y, half, width }) => width >= 2 * half + 12 && x > 0 && y > 0 && x < view.x && y < view.y)
        .sort((a, b) => b.width - a.width)
        .map((name) => keepNameInView(name, view));
    const taken = [];
    for (const name of named) {
        if (taken.length === MOST_NAMES) break;
        // Skip names that would overlap others.
        if (taken.some(({ x, y, half }) => Math.abs(x - name.x) < half + name.half + 6 && Math.abs(y - name.y) < 14)) continue;
        taken.push(name);
        haloText(ctx, name.words, name.x, name.y, ink, halo);
    }
}

/** Shift a name whose middle is in view, so that the edge of the chart does not cut it. */
function keepNameInView(name, view) {
    const x = name.x + shiftIntoView(name.x - name.half, name.x + name.half, view.x);
    const y = name.y + shiftIntoView(name.y - NAME_PX / 2, name.y + NAME_PX / 2, view.y);
    return { ...name, x, y };
}

/** Position of an area's name, half its width, and the area's width [px]. */
function placeName(ctx, map, { name, rings }) {
    const centre = map.getCenter().lng;
    // An area split at the antimeridian has its name on the widest part.
    const widths = rings.map((ring) => westEast([ring])).map(([west, east]) => east - west);
    const box = L.latLngBounds(rings[widths.indexOf(Math.max(...widths))]);
    const middle = box.getCenter();
    const lng = lngNear(middle.lng, centre);
    const width = map.latLngToContainerPoint(box.getNorthEast()).x - map.latLngToContainerPoint(box.getSouthWest()).x;
    const half = ctx.measureText(name).width / 2;
    return { words: name, width, half, ...map.latLngToContainerPoint([middle.lat, lng]) };
}
