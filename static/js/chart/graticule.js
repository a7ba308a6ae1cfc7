// Graticule spacing and labels, and the graduated border of the chart.

import { latitude, longitude } from "../format.js";
import { token } from "../palette.js";
import { END_NAMES, boxesOf, overlaps } from "./labels.js";

const STEPS = [30, 20, 10, 5, 2, 1, 1 / 2, 1 / 6, 1 / 12, 1 / 30, 1 / 60, 1 / 120];
const BORDER_STEPS = [10, 2, 1, 1 / 2, 1 / 6, 1 / 60];
const APART = 64;
/** Room of a latitude's label: width at the left edge, height above its parallel, gap before it [px]. */
const [EDGE_LABEL_PX, LABEL_HEIGHT_PX, LABEL_GAP_PX] = [48, 18, 4];

function pixelsPerDegree(map) {
    return (256 * 2 ** map.getZoom()) / 360;
}

/** Spacing of the graticule [deg], at least 64 pixels. */
export function graticuleStep(map) {
    const scale = pixelsPerDegree(map);
    return STEPS.findLast((step) => step * scale >= APART) ?? STEPS[0];
}

function borderStep(map) {
    const scale = pixelsPerDegree(map);
    return BORDER_STEPS.findLast((step) => step * scale >= 14) ?? BORDER_STEPS[0];
}

/** Multiples of a step between two values, computed from integers to stay exact. */
function multiples(low, high, step) {
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high; i += 1) found.push(i * step);
    return found;
}

function label(degrees, step, write) {
    if (degrees === 0 && write === latitude) return "0°";
    if (step < 1) return write(degrees, step < 1 / 60 ? 1 : 0);
    const text = write(degrees, 0).replace("00'", "");
    // 0° and 180° have no E or W.
    return degrees % 180 === 0 ? text.slice(0, -1) : text;
}

export function haloText(ctx, text, x, y, colour, halo, ratio = 1) {
    ctx.lineJoin = "round";
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = halo;
    ctx.strokeText(text, x, y);
    ctx.fillStyle = colour;
    ctx.fillText(text, x, y);
}

/** Where the label of a latitude begins: at the left edge, or right of the legend if that would cover it. */
export function latitudeLabelX(y, legend) {
    const isCovered = legend && legend.left < EDGE_LABEL_PX && y > legend.top && y - LABEL_HEIGHT_PX < legend.bottom;
    return isCovered ? legend.right + LABEL_GAP_PX : LABEL_GAP_PX;
}

/**
 * Paint graticule labels: latitudes at the left edge, but where the name of a route's end is, longitudes at the bottom.
 * `legend` is the box of the legend in the chart [px]; null without a legend.
 */
export function paintGraticuleLabels(ctx, map, size, legend) {
    const step = graticuleStep(map);
    const [ink, halo] = [token("mapink"), token("halo")];
    const bounds = map.getBounds();
    ctx.font = `500 11px ${token("font")}`;
    ctx.textBaseline = "alphabetic";
    ctx.textAlign = "center";
    for (const lng of multiples(bounds.getWest(), bounds.getEast(), step)) {
        const { x } = map.latLngToContainerPoint([0, lng]);
        if (x > 30 && x < size.x - 24) {
            haloText(ctx, label(lng, step, longitude), x, size.y - 5, ink, halo);
        }
    }
    ctx.textAlign = "left";
    const names = boxesOf(map, END_NAMES);
    for (const lat of multiples(bounds.getSouth(), bounds.getNorth(), step)) {
        const { y } = map.latLngToContainerPoint([lat, 0]);
        if (y <= 16 || y >= size.y - 22 || Math.abs(lat) >= 85) continue;
        const [text, left] = [label(lat, step, latitude), latitudeLabelX(y, legend)];
        const box = { left, right: left + ctx.measureText(text).width, top: y - LABEL_HEIGHT_PX, bottom: y };
        if (!names.some((name) => overlaps(name, box))) haloText(ctx, text, left, y - 4, ink, halo);
    }
}

/** Paint the border of a paper chart, with alternating black and white intervals. */
export function paintBorder(canvas, map) {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const [thick, inset] = [5, 8];
    const [ink, paper] = [token("neat"), token("panel")];
    const step = borderStep(map);
    const bounds = map.getBounds();
    ctx.fillStyle = paper;
    ctx.fillRect(0, 0, width, height);
    ctx.fillStyle = ink;
    const dark = (value) => Math.round(value / step) % 2 === 0;
    for (const lng of multiples(bounds.getWest() - step, bounds.getEast(), step)) {
        if (!dark(lng)) continue;
        const from = Math.max(inset, map.latLngToContainerPoint([0, lng]).x + inset);
        const to = Math.min(width - inset, map.latLngToContainerPoint([0, lng + step]).x + inset);
        ctx.fillRect(from, 1, to - from, thick);
        ctx.fillRect(from, height - thick - 1, to - from, thick);
    }
    for (const lat of multiples(bounds.getSouth() - step, bounds.getNorth(), step)) {
        if (!dark(lat)) continue;
        const top = Math.max(inset, map.latLngToContainerPoint([Math.min(lat + step, 89), 0]).y + inset);
        const foot = Math.min(height - inset, map.latLngToContainerPoint([lat, 0]).y + inset);
        ctx.fillRect(1, top, thick, foot - top);
        ctx.fillRect(width - thick - 1, top, thick, foot - top);
    }
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1;
    ctx.strokeRect(inset - 0.5, inset - 0.5, width - 2 * inset + 1, height - 2 * inset + 1);
}
