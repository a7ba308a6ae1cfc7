// An area from typed or pasted coordinates, as navigational warnings list them.

import { parsePositions } from "../coordinates.js";
import { unwrap } from "../geo.js";

const FEWEST = 3;
export const EXAMPLE = "49-54.3N 005-10.2W";

const lines = (numbers) => `Line${numbers.length > 1 ? "s" : ""} ${numbers.join(", ")}`;

/** {ring, note} of a text, or {fault} in words. Lines without coordinates are named, not dropped silently. */
export function readCorners(text) {
    const { positions, wrong, without } = parsePositions(text);
    if (wrong.length) return { fault: `${lines(wrong)}: not a position. Write ${EXAMPLE}.` };
    if (positions.length < FEWEST) {
        const skipped = without.length ? ` ${lines(without)}: no position. Write ${EXAMPLE}.` : "";
        return { fault: `An area has three corners or more.${skipped}` };
    }
    const ring = unwrap(positions.map(({ lat, lng }) => [lat, lng]));
    return { ring, note: without.length ? `${lines(without)}: no coordinates` : "" };
}
