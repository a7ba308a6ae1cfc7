// Dialog for conflicting edits of an area: the differences, and three choices.

import { ask } from "../dialog.js";
import { element } from "../dom.js";
import { LEVELS, TYPES, writeDay } from "./list.js";
import { geometryOf, polygonsOf } from "./outline.js";

const NAMES = {
    name: "Name",
    type: "Type",
    level: "Applies to",
    vessel_type_codes: "Vessel types",
    start_date: "First day",
    end_date: "Last day",
    is_active: "In force",
    description: "Note",
    geometry: "Outline",
};

const isEmpty = (value) => value === null || value === undefined || value.length === 0;
const nameType = (code) => document.querySelector(`[name=vessel_type][value="${code}"]`).parentElement.textContent.trim();
/** Values as the form shows them, where they are not written as they are. */
const WRITERS = {
    type: (type) => TYPES[type],
    level: (level) => LEVELS[level],
    vessel_type_codes: (codes) => codes.map(nameType).join(", "),
    start_date: writeDay,
    end_date: writeDay,
    is_active: (isActive) => (isActive ? "on" : "off"),
};

const write = (name, value) => (isEmpty(value) ? "–" : (WRITERS[name] ?? String)(value));

/** Normalise an outline to the form that the editor writes, for comparison. */
const asEdited = (geometry) => JSON.stringify(geometryOf(polygonsOf(geometry)));

function isSame(name, a, b) {
    if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
    return name === "geometry" ? asEdited(a) === asEdited(b) : JSON.stringify(a) === JSON.stringify(b);
}

function row(name, mine, theirs, opened) {
    const writeCell = ({ [name]: value }) => {
        if (name !== "geometry") return write(name, value);
        return isSame(name, value, opened[name]) ? "as opened" : "changed";
    };
    return element("tr", "", element("th", "", NAMES[name]), element("td", "", writeCell(mine)), element("td", "", writeCell(theirs)));
}

/** Show the differences of two versions of a constraint that was opened as `opened`; resolves to
    "theirs", "copy", or "" to continue editing. */
export function showConflict(dialog, words, mine, theirs, opened) {
    const differing = Object.keys(NAMES).filter((name) => !isSame(name, mine[name], theirs[name]));
    dialog.querySelector("[data-words]").textContent = words;
    dialog.querySelector("tbody").replaceChildren(...differing.map((name) => row(name, mine, theirs, opened)));
    return ask(dialog);
}
