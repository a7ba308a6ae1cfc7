// Declared speed and consumption points of a vessel, drawn on a plot of fuel against speed.

import uPlot from "uplot";

import { token } from "./palette.js";

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
