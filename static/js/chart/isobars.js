// Isobars of mean sea level pressure every 4 hPa.

import { token } from "../palette.js";
import { haloText } from "./graticule.js";
import { CELL, contour, spread } from "./wave_field.js";

const APART_DHPA = 40;

/** Isobars of a frame, traced for the current zoom. */
export class Isobars {
    constructor(frame, map) {
        this.lines = [];
        if (!frame.pressureDhPa.length) return;
        this.grid = spread(frame, map, "pressureDhPa");
        const known = frame.pressureDhPa.filter((value) => value !== null);
        const [least, most] = [Math.min(...known), Math.max(...known)];
        for (let level = Math.ceil(least / APART_DHPA) * APART_DHPA; level < most; level += APART_DHPA) {
            this.lines.push({ level, ...contour(this.grid, level) });
        }
    }

    draw(ctx, map) {
        if (!this.lines.length) return;
        const { x, y } = this.grid.corner.subtract(map.getPixelBounds().min);
        ctx.save();
        ctx.translate(x, y);
        ctx.scale(CELL, CELL);
        ctx.strokeStyle = token("ink-2");
        for (const { path } of this.lines) {
            ctx.lineWidth = 1 / CELL;
            ctx.stroke(path);
        }
        ctx.restore();
        ctx.font = `500 11px ${token("font")}`;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        for (const { level, along } of this.lines) {
            for (const [right, down] of along) {
                haloText(ctx, String(level / 10), x + right * CELL, y + down * CELL, token("ink-2"), token("halo"));
            }
        }
    }
}
