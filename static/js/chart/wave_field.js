// Significant wave height in colour steps, and the contour of the wave limit.

import { token } from "../palette.js";

/** Heights [cm] at which the colours change. */
const RAMP_CM = [200, 300, 400, 500, 600, 800];
const HIGHEST_CM = 3200;
export const CELL = 2;
const CONTOUR_CELLS = 3;
const OPACITY = 219;

/** Weights of four neighbours for interpolation by a cubic spline (Catmull and Rom, 1974). */
function curve(share) {
    const [t, t2, t3] = [share, share ** 2, share ** 3];
    return [(-t3 + 2 * t2 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2, (-3 * t3 + 4 * t2 + t) / 2, (t3 - t2) / 2];
}

/** Indices and weights of the four neighbours of each cell, in flat arrays for speed. */
function taps(positions, count) {
    const points = new Int32Array(4 * positions.length);
    const weights = new Float32Array(4 * positions.length);
    positions.forEach((position, i) => {
        const inside = Math.max(0, Math.min(count - 1.001, position));
        const first = Math.floor(inside);
        points.set([-1, 0, 1, 2].map((by) => Math.max(0, Math.min(count - 1, first + by))), 4 * i);
        weights.set(curve(inside - first), 4 * i);
    });
    return { points, weights };
}

/** Interpolate the values of `from` into `to`, starting at index `at`. */
function blend(from, { points: p, weights: w }, to, at) {
    for (let k = 0; k < p.length; k += 4) {
        to[at + k / 4] =
            from[p[k]] * w[k] + from[p[k + 1]] * w[k + 1] + from[p[k + 2]] * w[k + 2] + from[p[k + 3]] * w[k + 3];
    }
}

/** Interpolate heights to a fine grid of pixels at the current zoom. */
export function spread(frame, map, name = "waveCm") {
    const corner = map.project([frame.lats[0], frame.lngs[0]]);
    const end = map.project([frame.lats.at(-1), frame.lngs.at(-1)]);
    const width = Math.floor((end.x - corner.x) / CELL);
    const height = Math.floor((end.y - corner.y) / CELL);
    const rows = Array.from({ length: height }, (_, y) => {
        const { lat } = map.unproject([corner.x, corner.y + (y + 0.5) * CELL]);
        return (frame.lats[0] - lat) / frame.step;
    });
    const columns = Array.from({ length: width }, (_, x) => (((x + 0.5) / width) * (frame.columns - 1)));
    const across = taps(columns, frame.columns);
    const wide = new Float32Array(width * frame.lats.length);
    frame.lats.forEach((_, row) => {
        const line = frame[name].slice(row * frame.columns, (row + 1) * frame.columns).map((value) => value ?? NaN);
        blend(line, across, wide, row * width);
    });
    const { points, weights } = taps(rows, frame.lats.length);
    const values = new Float32Array(width * height);
    for (let y = 0; y < height; y += 1) {
        const [a, b, c, d] = points.subarray(4 * y, 4 * y + 4).map((row) => row * width);
        const [wa, wb, wc, wd] = weights.subarray(4 * y, 4 * y + 4);
        for (let x = 0; x < width; x += 1) {
            values[y * width + x] = wide[a + x] * wa + wide[b + x] * wb + wide[c + x] * wc + wide[d + x] * wd;
        }
    }
    return { corner, width, height, values };
}

function colours() {
    const ramp = ["wave-1", "wave-2", "wave-3", "wave-4", "wave-5", "wave-6"].map((name) => {
        const hex = token(name).slice(1);
        const [red, green, blue] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
        return (OPACITY << 24) | (blue << 16) | (green << 8) | red;
    });
    return Int32Array.from({ length: HIGHEST_CM }, (_, cm) => ramp[RAMP_CM.findLastIndex((from) => cm >= from)] ?? 0);
}

function paint({ width, height, values }) {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const ctx = canvas.getContext("2d");
    const image = ctx.createImageData(width, height);
    const pixels = new Int32Array(image.data.buffer);
    const of = colours();
    for (let i = 0; i < pixels.length; i += 1) pixels[i] = of[Math.max(0, Math.min(HIGHEST_CM - 1, values[i] | 0))];
    ctx.putImageData(image, 0, 0);
    return canvas;
}

/** Contour of a level (marching squares), its topmost point and three points along it, in cells. */
export function contour({ width, height, values }, level) {
    const path = new Path2D();
    const starts = [];
    let top;
    const crossing = ([x1, y1, v1], [x2, y2, v2]) => {
        const share = (level - v1) / (v2 - v1);
        return [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share];
    };
    for (let y = 0; y + CONTOUR_CELLS < height; y += CONTOUR_CELLS) {
        for (let x = 0; x + CONTOUR_CELLS < width; x += CONTOUR_CELLS) {
            const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([right, down]) => {
                const [cx, cy] = [x + right * CONTOUR_CELLS, y + down * CONTOUR_CELLS];
                return [cx, cy, values[cy * width + cx]];
            });
            // Cells with an unknown corner have no contour.
            if (corners.some(([, , value]) => Number.isNaN(value))) continue;
            const ends = [];
            corners.forEach((corner, i) => {
                const next = corners[(i + 1) % 4];
                if (corner[2] < level !== next[2] < level) ends.push(crossing(corner, next));
            });
            for (let i = 0; i + 1 < ends.length; i += 2) {
                path.moveTo(...ends[i]);
                path.lineTo(...ends[i + 1]);
                top ??= ends[i];
                starts.push(ends[i]);
            }
        }
    }
    return { path, top, along: [0.25, 0.5, 0.75].flatMap((share) => starts.slice(starts.length * share).slice(0, 1)) };
}

/** Wave heights for painting: unknown ones, as inland, are the mean of their known neighbours, so that colours reach the coast. */
function filled({ waveCm, columns }) {
    const around = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right]));
    return waveCm.map((value, i) => {
        if (value !== null) return value;
        const [row, column] = [Math.floor(i / columns), i % columns];
        const near = around.filter(([, right]) => column + right >= 0 && column + right < columns);
        const known = near.map(([down, right]) => waveCm[(row + down) * columns + column + right]).filter((each) => typeof each === "number");
        return known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : 0;
    });
}

/** Wave heights of a frame, painted once for the current zoom and drawn whenever the view moves. */
export class WaveField {
    constructor(frame, map, limitM) {
        this.grid = spread({ ...frame, waveCm: filled(frame) }, map);
        this.canvas = paint(this.grid);
        this.limit = limitM ? contour(this.grid, limitM * 100) : undefined;
    }

    /** Position of the field in the view [px]. */
    place(map) {
        return this.grid.corner.subtract(map.getPixelBounds().min);
    }

    draw(ctx, map) {
        const { x, y } = this.place(map);
        ctx.drawImage(this.canvas, x, y, this.grid.width * CELL, this.grid.height * CELL);
    }

    drawLimit(ctx, map) {
        if (!this.limit?.top) return;
        const { x, y } = this.place(map);
        ctx.save();
        ctx.translate(x, y);
        ctx.scale(CELL, CELL);
        ctx.lineCap = "round";
        for (const [colour, width] of [["halo", 4.6], ["ink", 1.6]]) {
            ctx.strokeStyle = token(colour);
            ctx.lineWidth = width / CELL;
            ctx.stroke(this.limit.path);
        }
        ctx.restore();
    }

    /** Position of the label of the limit, at the topmost point of its contour [px]. */
    findLimitLabel(map) {
        if (!this.limit?.top) return undefined;
        const { x, y } = this.place(map);
        return { x: x + this.limit.top[0] * CELL, y: y + this.limit.top[1] * CELL };
    }
}
