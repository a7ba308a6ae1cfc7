// Parts of plots: axes, times, levels, dots of reports, and declared points of speed and consumption.

import uPlot from "uplot";

import { token } from "./palette.js";

/** Style of the axes: quiet labels and grid lines. */
export function plotAxis() {
    return { stroke: token("ink-2"), font: `12px ${token("font")}`, ticks: { show: false }, grid: { stroke: token("line"), width: 1 } };
}

/** Date in UTC of a time of a plot, in seconds. */
export const tzDate = (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC");

/** Draw a line across the plot at a height in its pixels. */
export function drawLevel({ ctx, bbox }, y, width) {
    ctx.save();
    ctx.strokeStyle = token("ink");
    ctx.lineWidth = width * uPlot.pxRatio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
}

/** Draw points [x, y] as dots. */
export function drawDots(plot, points, radius, opacity = 1) {
    const { ctx } = plot;
    ctx.save();
    ctx.fillStyle = token("alt");
    ctx.globalAlpha = opacity;
    for (const [x, y] of points) {
        ctx.beginPath();
        ctx.arc(plot.valToPos(x, "x", true), plot.valToPos(y, "y", true), radius * uPlot.pxRatio, 0, 2 * Math.PI);
        ctx.fill();
    }
    ctx.restore();
}

/** Draw points [speed in kn, fuel in mt/day, isLaden] as squares, filled if laden, hollow in ballast. */
export function markDeclared(declared) {
    return (drawn) => {
        const { ctx } = drawn;
        const half = 4 * uPlot.pxRatio;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = token("ink");
        ctx.lineWidth = 1.5 * uPlot.pxRatio;
        for (const [speed, fuel, isLaden] of declared) {
            const box = [drawn.valToPos(speed, "x", true) - half, drawn.valToPos(fuel, "y", true) - half, 2 * half, 2 * half];
            if (isLaden) ctx.fillRect(...box);
            ctx.strokeRect(...box);
        }
        ctx.restore();
    };
}
