// Corners of an area from typed or pasted text, such as a navigational warning.

import { parsePositions } from "../coordinates.js";
import { clearFault, showFault } from "../forms.js";
import { pair, unwrap } from "../geo.js";

const FEWEST = 3;
const EXAMPLE = "49-54.3N 005-10.2W";

const lines = (numbers) => `Line${numbers.length > 1 ? "s" : ""} ${numbers.join(", ")}`;

/** Take the corners out of a text field, whose name is its id: {ring, note}; null, with the error shown, if they are not valid. */
export function takeCorners(form, input) {
    const { ring, fault, note } = readCorners(input.value);
    if (fault) {
        showFault(form, input.id, fault);
        input.focus();
        return null;
    }
    clearFault(input.closest(".field"));
    input.value = "";
    return { ring, note };
}

/** Parse corners to {ring, note}, or {fault} with the error. The note lists lines without coordinates. */
export function readCorners(text) {
    const { positions, wrong, without } = parsePositions(text);
    if (wrong.length) return { fault: `${lines(wrong)}: not a position. Write ${EXAMPLE}.` };
    if (positions.length < FEWEST) {
        const skipped = without.length ? ` ${lines(without)}: no position. Write ${EXAMPLE}.` : "";
        return { fault: `Enter at least three corners.${skipped}` };
    }
    const ring = unwrap(positions.map(pair));
    return { ring, note: without.length ? `${lines(without)}: no coordinates` : "" };
}
