// Distances and courses measured on the chart, on a sphere of 60 nm per degree. Plans are computed
// on the server.

const RAD = Math.PI / 180;

/** Great-circle distance [nm] between [lat, lng] pairs (haversine). */
export function distanceNm([lat1, lng1], [lat2, lng2]) {
    const h =
        Math.sin(((lat2 - lat1) * RAD) / 2) ** 2 +
        Math.cos(lat1 * RAD) * Math.cos(lat2 * RAD) * Math.sin(((lng2 - lng1) * RAD) / 2) ** 2;
    return (2 * Math.asin(Math.min(1, Math.sqrt(h))) * 60) / RAD;
}

/** Length of a rhumb line [nm] between [lat, lng] pairs, the shorter way round. */
export function rhumbDistanceNm([lat1, lng1], [lat2, lng2]) {
    const stretched = (lat) => Math.log(Math.tan(Math.PI / 4 + (lat * RAD) / 2));
    const north = lat2 - lat1;
    const up = (stretched(lat2) - stretched(lat1)) / RAD;
    // along a parallel both differences vanish
    const eastScale = Math.abs(up) > 1e-9 ? north / up : Math.cos(lat1 * RAD);
    return 60 * Math.hypot(north, eastScale * (lngNear(lng2, lng1) - lng1));
}

/** Initial great-circle course [deg true]. */
export function courseDeg([lat1, lng1], [lat2, lng2]) {
    const turn = (lng2 - lng1) * RAD;
    const east = Math.sin(turn) * Math.cos(lat2 * RAD);
    const north =
        Math.cos(lat1 * RAD) * Math.sin(lat2 * RAD) -
        Math.sin(lat1 * RAD) * Math.cos(lat2 * RAD) * Math.cos(turn);
    return (Math.atan2(east, north) / RAD + 360) % 360;
}

/** Destination from a position along a great circle: initial course [deg], distance [nm]. */
export function destination([lat, lng], bearingDeg, miles) {
    const arc = (miles / 60) * RAD;
    const sine =
        Math.sin(lat * RAD) * Math.cos(arc) + Math.cos(lat * RAD) * Math.sin(arc) * Math.cos(bearingDeg * RAD);
    const east = Math.atan2(
        Math.sin(bearingDeg * RAD) * Math.sin(arc) * Math.cos(lat * RAD),
        Math.cos(arc) - Math.sin(lat * RAD) * sine,
    );
    return [Math.asin(sine) / RAD, lng + east / RAD];
}

/** Positions along a great circle, with longitudes continuous across the antimeridian. */
export function greatCircle(from, to, steps = 48) {
    const vector = ([lat, lng]) => [
        Math.cos(lat * RAD) * Math.cos(lng * RAD),
        Math.cos(lat * RAD) * Math.sin(lng * RAD),
        Math.sin(lat * RAD),
    ];
    const [a, b] = [vector(from), vector(to)];
    const arc = (distanceNm(from, to) / 60) * RAD;
    if (arc < 1e-9) return [from, to];
    const line = [];
    for (let i = 0; i <= steps; i += 1) {
        const [s, t] = [Math.sin(arc * (1 - i / steps)), Math.sin((arc * i) / steps)];
        const [x, y, z] = a.map((value, k) => (s * value + t * b[k]) / Math.sin(arc));
        line.push([Math.atan2(z, Math.hypot(x, y)) / RAD, Math.atan2(y, x) / RAD]);
    }
    return unwrap(line);
}

/** The pair [lat, lng] of a position. */
export const pair = ({ lat, lng }) => [lat, lng];

/** Multiple of 360° that brings a longitude nearest to another. */
const turnTo = (lng, near) => 360 * Math.round((near - lng) / 360);

/** Longitude of the copy of the world that is nearest to another longitude. */
export const lngNear = (lng, near) => lng + turnTo(lng, near);

/** Shift a line to the copy of the world where it begins nearest to a longitude. */
export function lineNear(line, near) {
    const turn = line.length && turnTo(line[0][1], near);
    return line.map(([lat, lng]) => [lat, lng + turn]);
}

/** Make longitudes continuous by removing jumps of 360° between neighbours. */
export function unwrap(line) {
    const whole = [];
    for (const [lat, lng] of line) whole.push([lat, lngNear(lng, whole.at(-1)?.[1] ?? lng)]);
    return whole;
}
