// Outlines of areas: polygons of open rings of [lat, lng], with continuous longitudes.

import { destination, distanceNm, lineNear, lngNear, unwrap } from "../geo.js";

const RAD = Math.PI / 180;
const CIRCLE_CORNERS = 72;
const EARTH_NM = 3440.065;

/** Make a ring's longitudes continuous. Those of a band round the globe, from end to end, already are. */
function unwrapRing(ring) {
    const whole = unwrap(ring);
    const lngs = whole.map(([, lng]) => lng);
    const isBand = Math.max(...lngs) === Math.min(...lngs) || Math.abs(lngs.at(-1) - lngs[0]) > 1;
    return isBand ? ring : whole;
}

const shift = (ring, lng) => ring.map(([lat, east]) => [lat, east + lng]);

/** Convert a GeoJSON geometry to polygons; parts across the antimeridian are made adjacent. */
export function polygonsOf({ type, coordinates }) {
    let near;
    return (type === "Polygon" ? [coordinates] : coordinates).map((rings) =>
        rings.map((ring) => {
            if (ring.length < 2) return [];
            const places = unwrapRing(ring.map(([lng, lat]) => [lat, lng])).slice(0, -1);
            near ??= places[0][1];
            return lineNear(places, near);
        }),
    );
}

/** Shift polygons to the copy of the world where their middle is nearest to a longitude. */
export function polygonsNear(polygons, near) {
    const lngs = cornersOf(polygons).map(([, lng]) => lng);
    if (!lngs.length) return polygons;
    const middle = (Math.min(...lngs) + Math.max(...lngs)) / 2;
    const turns = lngNear(middle, near) - middle;
    return polygons.map((rings) => rings.map((ring) => shift(ring, turns)));
}

/** Convert polygons to GeoJSON, with longitudes from -180 to 360 as the server accepts them. Rings may be empty in a draft. */
export function geometryOf(polygons) {
    const close = (ring) => {
        if (!ring.length) return [];
        const turns = Math.floor((Math.min(...ring.map(([, lng]) => lng)) + 180) / 360);
        const places = ring.map(([lat, lng]) => [Number((lng - 360 * turns).toFixed(6)), Number(lat.toFixed(6))]);
        return [...places, places[0]];
    };
    const coordinates = polygons.map((rings) => rings.map(close));
    return coordinates.length === 1 ? { type: "Polygon", coordinates: coordinates[0] } : { type: "MultiPolygon", coordinates };
}

export const cornersOf = (polygons) => polygons.flat(2);

/** Corners of a circle on the sphere, by its radius [nm]. */
export function circle(centre, radiusNm) {
    const courses = Array.from({ length: CIRCLE_CORNERS }, (_, i) => (360 * i) / CIRCLE_CORNERS);
    return courses.map((course) => destination(centre, course, radiusNm));
}

/** Area of a ring on the sphere [nm²]. */
function ringAreaNm2(ring) {
    let sum = 0;
    ring.forEach(([lat, lng], i) => {
        const [nextLat, nextLng] = ring[(i + 1) % ring.length];
        sum += (nextLng - lng) * RAD * (2 + Math.sin(lat * RAD) + Math.sin(nextLat * RAD));
    });
    return (Math.abs(sum) * EARTH_NM ** 2) / 2;
}

/** Area of polygons less their holes [nm²]. */
export function areaNm2(polygons) {
    return polygons.reduce(
        (sum, [outline, ...holes]) => sum + ringAreaNm2(outline) - holes.reduce((hole, ring) => hole + ringAreaNm2(ring), 0),
        0,
    );
}

/** Whether a position is inside a ring (ray casting). */
function holds(ring, [lat, lng]) {
    let inside = false;
    ring.forEach(([lat1, lng1], i) => {
        const [lat2, lng2] = ring[(i + 1) % ring.length];
        if (lat1 > lat !== lat2 > lat && lng < ((lng2 - lng1) * (lat - lat1)) / (lat2 - lat1) + lng1) inside = !inside;
    });
    return inside;
}

/** Whether a position [lat, lng] is inside the area and outside its holes, at any multiple of 360°. */
export function covers(polygons, [lat, lng]) {
    return [0, -360, 360].some((turn) =>
        polygons.some(([outline, ...holes]) => {
            const place = [lat, lng + turn];
            return holds(outline, place) && !holes.some((hole) => holds(hole, place));
        }),
    );
}

/** Centre and radius [nm] of an outline made by `circle`; null for other outlines. */
export function circleOf(polygons) {
    const ring = polygons[0]?.[0];
    if (polygons.flat().length !== 1 || ring.length !== CIRCLE_CORNERS) return null;
    // The first corner is north of the centre, the middle one south.
    const centre = [(ring[0][0] + ring[CIRCLE_CORNERS / 2][0]) / 2, ring[0][1]];
    const radiusNm = distanceNm(centre, ring[0]);
    const isRound = ring.every((corner) => Math.abs(distanceNm(centre, corner) - radiusNm) < 0.01 * radiusNm);
    return isRound ? { centre, radiusNm } : null;
}

/** Add a hole to the polygon that contains it; null if none does. */
export function withHole(polygons, hole) {
    for (const turns of [0, -360, 360]) {
        const ring = shift(hole, turns);
        const at = polygons.findIndex(([outline]) => ring.every((place) => holds(outline, place)));
        if (at >= 0) return polygons.map((rings, i) => (i === at ? [...rings, ring] : rings));
    }
    return null;
}

/** Whether an area crosses the antimeridian. */
export function isAcross(polygons) {
    return polygons.some(([outline]) => {
        const lngs = outline.map(([, lng]) => Math.floor((lng + 180) / 360 + 1e-9));
        return Math.max(...lngs) !== Math.min(...lngs) && outline.some(([, lng]) => Math.abs((((lng + 180) % 360) + 360) % 360) > 1e-9);
    });
}

