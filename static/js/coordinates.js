// Parsing of typed or pasted positions in the usual notations: navigational warnings
// (49-54.3N 005-10.2W), charts (49°54.3'N 005°10.2'W), text messages (4954.3N 00510.2W), seconds
// (49 54 18 N 005 10 12 W), decimal degrees (49.905N 5.17W, or 49.905 -5.17).

const SIGN = "[-+−–]";
const NUMBER = "\\d+(?:[.,]\\d+)?";
// Separators between degrees, minutes and seconds: a dash, a mark or a space.
const GAP = "\\s*[°º˚:\\-–]\\s*|\\s+";
const GAP_2 = "\\s*['’′`:\\-–]\\s*|\\s+";
const PARTS = `(\\d{1,3})(?:${GAP})(\\d{1,2})(?:${GAP_2})(${NUMBER})\\s*["”″]?|(\\d{1,3})(?:${GAP})(${NUMBER})\\s*['’′\`]?|(${NUMBER})\\s*[°º˚]?`;
const WORD = "(?:(?:lat(?:itude)?|long?(?:itude)?)\\.?\\s*:?\\s*)?";
const AFTER = (sides) => `${WORD}(?:${PARTS})\\s*([${sides}])(?![a-z])`;
const BEFORE = (sides) => `${WORD}(?<![a-z])([${sides}])\\s*(?:${PARTS})`;
const BETWEEN = "[\\s,;/]*(?:\\s[-–]\\s+)?";

const ONE_AFTER = new RegExp(`^\\s*${AFTER("NSEW")}\\s*$`, "i");
const ONE_BEFORE = new RegExp(`^\\s*${BEFORE("NSEW")}\\s*$`, "i");
const ONE_SIGNED = new RegExp(`^\\s*(${SIGN})?(${NUMBER})\\s*°?\\s*$`);
const PAIR = new RegExp(
    `${AFTER("NS")}${BETWEEN}${AFTER("EW")}|${BEFORE("NS")}${BETWEEN}${BEFORE("EW")}`,
    "gi",
);
// A number with N, S, E or W that is not part of a position: probably a mistyped one.
const LEFT_OVER = /\d[\s°'’′"”″]*[NSEW](?![a-z])|(?<![a-z])[NSEW]\s*\d/i;

const value = (text) => Number(text.replace(",", "."));

/** Degrees from compact notation such as 4954.3 or 495418.0; NaN for others. */
function readCompact(text, isLatitude) {
    const [whole, part = ""] = text.split(/[.,]/);
    const width = isLatitude ? 2 : 3;
    if (whole.length !== width + 2 && whole.length !== width + 4) return NaN;
    const [degrees, minutes, seconds] = [whole.slice(0, width), whole.slice(width, width + 2), whole.slice(width + 2)];
    const last = (digits) => Number(part ? `${digits}.${part}` : digits);
    return seconds ? join(Number(degrees), Number(minutes), last(seconds)) : join(Number(degrees), last(minutes));
}

const join = (degrees, minutes = 0, seconds = 0) =>
    minutes < 60 && seconds < 60 ? degrees + minutes / 60 + seconds / 3600 : NaN;

/** Degrees from the six groups of PARTS and one of N, S, E, W. */
function readParts([d1, m1, s1, d2, m2, d3], side) {
    const isLatitude = /[NS]/i.test(side);
    let degrees;
    if (d1 !== undefined) degrees = join(Number(d1), Number(m1), value(s1));
    else if (d2 !== undefined) degrees = join(Number(d2), value(m2));
    else degrees = /^\d{4}/.test(d3) ? readCompact(d3, isLatitude) : value(d3);
    return /[SW]/i.test(side) ? -degrees : degrees;
}

const within = (degrees, limit) => (Math.abs(degrees) <= limit ? degrees : NaN);

/** Parse one latitude (limit 90) or longitude (limit 180); NaN if it is not valid. */
export function parseAngle(text, limit) {
    const after = ONE_AFTER.exec(text);
    const before = ONE_BEFORE.exec(text);
    if (!after && !before) {
        const plain = ONE_SIGNED.exec(text);
        return plain ? within((plain[1] && plain[1] !== "+" ? -1 : 1) * value(plain[2]), limit) : NaN;
    }
    const side = after ? after[7] : before[1];
    const fits = (limit === 90) === /[NS]/i.test(side);
    return fits ? within(readParts(after ? after.slice(1, 7) : before.slice(2, 8), side), limit) : NaN;
}

/** Number of parts of an angle from the six groups of PARTS; 0 for whole degrees, which do not show it. */
function partsOf([d1, , , d2, , d3]) {
    if (d1 !== undefined) return 3;
    if (d2 !== undefined) return 2;
    return /^\d{1,3}$/.test(d3) ? 0 : 1;
}

/** Read a pair; NaN if a latitude has more parts than its longitude: a number before it is probably no part. */
function readPair(groups) {
    const isAfter = groups[7] !== undefined;
    const [lat, lng] = isAfter ? [groups.slice(1, 7), groups.slice(8, 14)] : [groups.slice(16, 22), groups.slice(23, 29)];
    const sides = isAfter ? [groups[7], groups[14]] : [groups[15], groups[22]];
    if (isAfter && partsOf(lng) && partsOf(lat) > partsOf(lng)) return { lat: NaN, lng: NaN };
    return { lat: within(readParts(lat, sides[0]), 90), lng: within(readParts(lng, sides[1]), 180) };
}

const isWhole = ({ lat, lng }) => Number.isFinite(lat + lng);

/** Find the positions with N, S, E, W in a text; `rest` is the remaining text. */
function scan(text) {
    const positions = [];
    const rest = text.replace(PAIR, (whole, ...groups) => {
        const place = readPair([whole, ...groups]);
        if (!isWhole(place)) return whole;
        positions.push(place);
        return " ";
    });
    return { positions, rest };
}

/** "49.905 -5.17", "49.905, -5.17" or, with decimal commas, "49,905; -5,17". */
function readSigned(text) {
    const separator = [";", /,?\s+/, ","].find((each) => text.trim().search(each) >= 0);
    const halves = separator ? text.trim().split(separator) : [];
    if (halves.length !== 2) return null;
    const place = { lat: parseAngle(halves[0], 90), lng: parseAngle(halves[1], 180) };
    return isWhole(place) ? place : null;
}

/** Parse one position to {lat, lng}; null if the text has none or several. */
export function parsePosition(text) {
    const { positions, rest } = scan(text);
    if (positions.length) return positions.length === 1 && !/[\p{L}\d]/u.test(rest) ? positions[0] : null;
    return readSigned(text);
}

/**
 * Parse all positions of a pasted text; lines may have several, and words between them. `wrong` has
 * the numbers of lines with a mistyped position, `without` those of lines with none.
 */
export function parsePositions(text) {
    const [positions, wrong, without] = [[], [], []];
    for (const [i, line] of text.split("\n").entries()) {
        if (!line.trim()) continue;
        const { positions: found, rest } = scan(line);
        const signed = found.length ? null : readSigned(line);
        if (LEFT_OVER.test(rest) && !signed) wrong.push(i + 1);
        else if (!found.length && !signed) without.push(i + 1);
        positions.push(...found, ...(signed ? [signed] : []));
    }
    const [first, last] = [positions[0], positions.at(-1)];
    // Warnings and files repeat the first corner to close the area.
    if (positions.length > 1 && first.lat === last.lat && first.lng === last.lng) positions.pop();
    return { positions, wrong, without };
}
