// Somebody else was faster: what differs, and three ways on, none of which loses anything.

import { element } from "../dom.js";

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

const write = (value) => {
    if (value === null || value === undefined || value === "") return "–";
    if (typeof value === "boolean") return value ? "on" : "off";
    return Array.isArray(value) ? value.join(", ") || "–" : String(value);
};

function differences(mine, theirs) {
    const isEmpty = (value) => value === null || value === undefined || value.length === 0;
    const differs = (name) => {
        const [a, b] = [mine[name], theirs[name]];
        return !(isEmpty(a) && isEmpty(b)) && JSON.stringify(a) !== JSON.stringify(b);
    };
    return Object.keys(NAMES).filter(differs);
}

function row(name, mine, theirs) {
    const cells = name === "geometry" ? ["drawn anew", "as on the chart"] : [write(mine[name]), write(theirs[name])];
    return element("tr", "", element("th", "", NAMES[name]), ...cells.map((cell) => element("td", "", cell)));
}

/** "theirs", "copy" or "" to go on editing; `dialog` holds a form with these buttons. */
export function askWhatToKeep(dialog, words, mine, theirs) {
    dialog.querySelector("[data-words]").textContent = words;
    dialog.querySelector("tbody").replaceChildren(...differences(mine, theirs).map((name) => row(name, mine, theirs)));
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    });
}
