// Swell: double arrows in its direction, with its height.

import { number } from "../format.js";
import { token } from "../palette.js";
import { haloText } from "./graticule.js";
import { APART, seaPoints, stroke } from "./wind_barbs.js";

const LEAST_M = 0.3;
const LONG = 24;
const HALF_WIDE = 2.5;
/** Twice the spacing of barbs, to leave room for the heights. */
const SPACING = 2 * APART;

function doubleArrow() {
    const path = new Path2D();
    for (const side of [-HALF_WIDE, HALF_WIDE]) {
        path.moveTo(side, LONG / 2);
        path.lineTo(side, 4 - LONG / 2);
    }
    path.moveTo(-6, 8 - LONG / 2);
    path.lineTo(0, -LONG / 2);
    path.lineTo(6, 8 - LONG / 2);
    return path;
}

export function paintSwell(ctx, map, frame, isLand) {
    if (!frame.swellCm.length) return;
    const mark = doubleArrow();
    for (const at of seaPoints(map, frame, isLand, APART, SPACING)) {
        const { lat, lng } = at;
        const metres = frame.read("swellCm", lat, lng) / 100;
        if (!(metres >= LEAST_M)) continue;
        const [u, v] = [frame.read("swellToU", lat, lng), frame.read("swellToV", lat, lng)];
        stroke(ctx, mark, at, Math.atan2(u, v), "ink-2");
        ctx.font = `500 11px ${token("font")}`;
        ctx.textAlign = "left";
        ctx.textBaseline = "middle";
        haloText(ctx, number(metres, 1), at.x + LONG / 2 + 4, at.y, token("ink-2"), token("halo"));
    }
}
