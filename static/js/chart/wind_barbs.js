// Wind barbs, current arrows and wave arrows on a grid fixed to the chart.

import { token } from "../palette.js";

export const APART = 58;
const SHAFT = 24;
const MOST_ARROW = 26;
const LEAST_WAVES_M = 0.5;
const LEAST_CURRENT_DKN = 3;

/** Wind barb: a circle when calm, a half barb for 5 kn, a barb for 10 kn and a pennant for 50 kn. */
function barb(speedKn, side) {
    const path = new Path2D();
    let left = Math.round(speedKn / 5) * 5;
    if (left === 0) {
        path.arc(0, 0, 3, 0, 2 * Math.PI);
        return path;
    }
    path.moveTo(0, 0);
    path.lineTo(0, -SHAFT);
    let at = -SHAFT;
    for (; left >= 50; left -= 50, at += 6) {
        path.moveTo(0, at);
        path.lineTo(side * 10, at + 1);
        path.lineTo(0, at + 5);
    }
    for (; left >= 10; left -= 10, at += 4) {
        path.moveTo(0, at);
        path.lineTo(side * 9, at - 4);
    }
    // A single half barb is drawn inward of the end, so that it is not read as a full one.
    if (left) {
        const stand = at === -SHAFT ? at + 4 : at;
        path.moveTo(0, stand);
        path.lineTo(side * 5, stand - 2.2);
    }
    return path;
}

function arrow(length) {
    const path = new Path2D();
    path.moveTo(0, length / 2);
    path.lineTo(0, -length / 2);
    path.moveTo(-3.5, 5 - length / 2);
    path.lineTo(0, -length / 2);
    path.lineTo(3.5, 5 - length / 2);
    return path;
}

/** Grid points at sea in the view and the frame, fixed to the chart's pixels. */
export function* seaPoints(map, frame, isLand, shift, apart = APART) {
    const { min, max } = map.getPixelBounds();
    for (let y = Math.floor(min.y / apart) * apart + shift; y < max.y + apart; y += apart) {
        for (let x = Math.floor(min.x / apart) * apart + shift; x < max.x + apart; x += apart) {
            const { lat, lng } = map.unproject([x, y]);
            if (frame.holds(lat, lng) && !isLand({ lat, lng })) yield { x: x - min.x, y: y - min.y, lat, lng };
        }
    }
}

export function stroke(ctx, mark, { x, y }, angle, colour) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(angle);
    ctx.lineCap = ctx.lineJoin = "round";
    ctx.strokeStyle = token("halo");
    ctx.lineWidth = 3.4;
    ctx.stroke(mark);
    ctx.strokeStyle = ctx.fillStyle = token(colour);
    ctx.lineWidth = 1.2;
    ctx.stroke(mark);
    ctx.restore();
}

export function paintWind(ctx, map, frame, isLand) {
    for (const at of seaPoints(map, frame, isLand, 0)) {
        const { lat, lng } = at;
        const [u, v] = [frame.read("windUKn", lat, lng), frame.read("windVKn", lat, lng)];
        // The shaft points to windward; barbs are clockwise, anticlockwise in the southern hemisphere.
        stroke(ctx, barb(Math.hypot(u, v), lat < 0 ? -1 : 1), at, Math.atan2(-u, -v), "mapink");
    }
}

export function paintCurrent(ctx, map, frame, isLand) {
    for (const at of seaPoints(map, frame, isLand, APART / 2)) {
        const { lat, lng } = at;
        const [u, v] = [frame.read("currentUDkn", lat, lng), frame.read("currentVDkn", lat, lng)];
        const speed = Math.hypot(u, v);
        if (!(speed >= LEAST_CURRENT_DKN)) continue;
        stroke(ctx, arrow(Math.min(MOST_ARROW, 9 + speed * 0.6)), at, Math.atan2(u, v), "sealabel");
    }
}

/** Paint arrows in the direction of the waves, longer with their height. */
export function paintWaveDirection(ctx, map, frame, isLand) {
    for (const at of seaPoints(map, frame, isLand, APART / 2)) {
        const { lat, lng } = at;
        const [u, v] = [frame.read("waveToU", lat, lng), frame.read("waveToV", lat, lng)];
        const metres = frame.read("waveCm", lat, lng) / 100;
        if (!(metres >= LEAST_WAVES_M)) continue;
        stroke(ctx, arrow(Math.min(MOST_ARROW, 9 + metres * 3)), at, Math.atan2(u, v), "ink-2");
    }
}
