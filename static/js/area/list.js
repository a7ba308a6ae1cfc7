// List of constraints, filtered by name, state, level and type.

import { element } from "../dom.js";
import { writeTime } from "../times.js";

const TYPES = { USER_DEFINED: "User defined", MILITARY: "Military", HIGH_RISK: "High risk", PREDEFINED: "Predefined" };
const LEVELS = { ORGANIZATION: "our fleet", VESSEL_TYPE: "vessel types", GLOBAL: "all vessels" };

export const writeDay = (date) => writeTime(new Date(date)).replace(/ \d\d:\d\d$/, "");

function daysOf({ start_date: first, end_date: last }) {
    if (first && last) return `${writeDay(first)} to ${writeDay(last)}`;
    if (first) return `From ${writeDay(first)}`;
    return last ? `To ${writeDay(last)}` : "No end";
}

function swatch(isActive) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", `swatch swatch--${isActive ? "zone" : "off"}`);
    svg.setAttribute("viewBox", "0 0 22 15");
    svg.setAttribute("aria-hidden", "true");
    const box = document.createElementNS("http://www.w3.org/2000/svg", "path");
    box.setAttribute("d", "M1 1h20v13H1z");
    if (isActive) box.setAttribute("class", "swatch__hatch");
    svg.append(box);
    return svg;
}

/** Create the row of an area. */
export function areaRow(constraint, { isChosen, isUnsaved, onChoose }) {
    const off = constraint.is_active ? null : element("span", "chip", "Off");
    const state = isUnsaved ? element("span", "chip chip--caution", "Unsaved") : off;
    const words = `${TYPES[constraint.type]}, ${LEVELS[constraint.level]}. ${daysOf(constraint)}`;
    const name = element("strong", "", constraint.name || "New constraint");
    const button = element("button", "", swatch(constraint.is_active), name, state, element("small", "", words));
    button.type = "button";
    if (isChosen) button.setAttribute("aria-current", "true");
    button.addEventListener("click", onChoose);
    return element("li", "", button);
}

/** Whether an area matches the filters; every word must be in its name. */
export function matchesFilters({ name, is_active: isActive, level, type }, asked) {
    const words = asked.name.toLowerCase().split(/\s+/);
    return (
        words.every((word) => name.toLowerCase().includes(word)) &&
        (!asked.state || (asked.state === "on") === isActive) &&
        (!asked.level || asked.level === level) &&
        (!asked.type || asked.type === type)
    );
}
