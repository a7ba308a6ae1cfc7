// The declared speed and consumption of a vessel on a plot of fuel against speed.

import uPlot from "uplot";

import { token } from "./palette.js";

/** Draw rows of speed [kn], fuel [mt/day] and whether laden as squares, hollow in ballast. */
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
