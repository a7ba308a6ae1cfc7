// List of constraints, filtered by name, state, level and type.

import { button, element, shape } from "../dom.js";
import { writeTime } from "../times.js";

export const TYPES = { USER_DEFINED: "User defined", MILITARY: "Military", HIGH_RISK: "High risk", PREDEFINED: "Predefined" };
export const LEVELS = { ORGANIZATION: "our fleet", VESSEL_TYPE: "vessel types", GLOBAL: "all vessels" };

export const writeDay = (date) => writeTime(new Date(date)).replace(/ \d\d:\d\d$/, "");

function daysOf({ start_date: first, end_date: last }) {
    if (first && last) return `${writeDay(first)} to ${writeDay(last)}`;
    if (first) return `From ${writeDay(first)}`;
    return last ? `To ${writeDay(last)}` : "No end";
}

function swatch(isActive) {
    const box = shape("path", { d: "M1 1h20v13H1z" });
    if (isActive) box.setAttribute("class", "swatch__hatch");
    const kind = isActive ? "swatch swatch--zone" : "swatch swatch--off";
    return shape("svg", { class: kind, viewBox: "0 0 22 15", "aria-hidden": "true" }, box);
}

/** Create the row of an area. */
export function areaRow(constraint, { isChosen, isUnsaved, onChoose }) {
    const off = constraint.is_active ? null : element("span", "chip", "Off");
    const state = isUnsaved ? element("span", "chip chip--caution", "Unsaved") : off;
    const words = `${TYPES[constraint.type]}, ${LEVELS[constraint.level]}. ${daysOf(constraint)}`;
    const name = element("strong", "", constraint.name || "New constraint");
    const row = button("", onChoose, swatch(constraint.is_active), name, state, element("small", "", words));
    if (isChosen) row.setAttribute("aria-current", "true");
    return element("li", "", row);
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
