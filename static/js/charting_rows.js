// Tables of active and recent chartings.

import { element, icon } from "./dom.js";
import { duration, mass, number, listedTime } from "./format.js";
import { stageWords } from "./planning.js";

const OBJECTIVES = { FUEL: "Fuel", BAL: "Balanced", ETA: "Time" };

const STATES = {
    QUEUED: ["Waiting", ""],
    RUNNING: ["Running", "chip--active"],
    COMPLETED: ["Complete", "chip--ok", "tick"],
    FAILED: ["Failed", "chip--danger", "danger"],
    CANCELLED: ["Cancelled", ""],
};

const LATE = ["Arrives late", "chip--caution", "caution"];

/** States of a voyage that has begun, which say more than that its route is complete. */
const EXECUTIONS = { UNDER_WAY: ["Under way", "chip--active"], FINISHED: ["Finished", ""], ABANDONED: ["Abandoned", ""] };

function stateChip({ status, isLate, execution }) {
    const planned = status === "COMPLETED" && isLate ? LATE : STATES[status];
    const [words, kind, picture] = EXECUTIONS[execution] ?? planned;
    return element("span", `chip ${kind}`, picture ? icon(picture) : null, words);
}

/** A name in at most three lines. */
function clamped(name) {
    const words = element("span", "clamped", name);
    words.title = name;
    return words;
}

/** The voyage with a link to its page, and its vessel. */
function nameCells({ from, to, address, vessel }) {
    const link = element("a", "", clamped(`${from} to ${to}`));
    link.href = address;
    return [element("td", "table__name", link), element("td", "table__name", clamped(vessel ?? "–"))];
}

function limits({ maxWaveM, windLimit }) {
    const words = [];
    if (maxWaveM !== null) words.push(`${number(maxWaveM, 1)} m`);
    if (windLimit !== null) words.push(windLimit);
    return words.join(", ") || "none";
}

function progressCells(charting) {
    const waiting = charting.status === "QUEUED";
    const percent = Math.round(charting.progress * 100);
    const bar = element("span", waiting ? "progress progress--waiting" : "progress");
    bar.setAttribute("role", "progressbar");
    bar.setAttribute("aria-label", `${charting.from} to ${charting.to}`);
    if (!waiting) {
        const done = element("span", "progress__done");
        done.style.setProperty("--share", charting.progress);
        bar.append(done);
        bar.setAttribute("aria-valuenow", percent);
    }
    return [
        element("td", "number strong", waiting ? "–" : `${percent}\u202f%`),
        element("td", "progress-cell", bar),
        element("td", "quiet small", stageWords(charting)),
        element("td", "table__acts", cancelButton(charting)),
    ];
}

function cancelButton(charting) {
    if (!charting.cancelAddress) return null;
    const button = element("button", "button button--small", "Cancel");
    button.type = "button";
    button.dataset.cancel = charting.cancelAddress;
    button.disabled = charting.isCancelling;
    button.setAttribute("aria-label", `Cancel planning ${charting.from} to ${charting.to}`);
    return button;
}

function row(charting, cells) {
    const made = element("tr", "", ...cells);
    made.role = "row";
    made.dataset.id = charting.id;
    for (const cell of cells) cell.role = "cell";
    return made;
}

/** A cell that names its column and unit where the table has no room for columns. */
function labelled(label, words, name = "", unit = null) {
    const cell = element("td", name, words);
    cell.dataset.label = label;
    if (unit) cell.dataset.unit = unit;
    return cell;
}

function activeRow(charting) {
    return row(charting, [
        ...nameCells(charting),
        labelled("Depart", listedTime(charting.departsAt)),
        labelled("Optimise for", OBJECTIVES[charting.objective]),
        labelled("Limits", limits(charting)),
        ...progressCells(charting),
    ]);
}

function recentRow(charting) {
    const { summary } = charting;
    return row(charting, [
        ...nameCells(charting),
        labelled("Depart", listedTime(charting.departsAt)),
        labelled("Arrive", summary ? listedTime(summary.eta) : "–"),
        labelled("Distance", summary ? number(summary.distanceNm) : "–", "number", summary && "nm"),
        labelled("Fuel", summary ? mass(summary.fuelMt, 1) : "–", "number", summary && "mt"),
        labelled("Duration", summary ? duration(summary.durationH) : "–", "number table__spare"),
        element("td", "table__state", stateChip(charting)),
    ]);
}

const UTC = () => element("small", "", "UTC");

const HEADS = {
    active: [["Voyage"], ["Vessel"], ["Depart ", UTC], ["Optimise for"], ["Limits"], ["Progress", null, "number"], [""], [""], [""]],
    recent: [["Voyage"], ["Vessel"], ["Depart ", UTC], ["Arrive ", UTC], ["nm", null, "number"], ["Fuel mt", null, "number"], ["Duration", null, "number table__spare"], ["State"]],
};

export function table(kind, chartings) {
    const head = element("tr", "", ...HEADS[kind].map(([words, unit, name]) => {
        const cell = element("th", name ?? "", words, unit ? unit() : null);
        cell.scope = "col";
        cell.role = "columnheader";
        return cell;
    }));
    head.role = "row";
    const body = element("tbody", "", ...chartings.map(kind === "active" ? activeRow : recentRow));
    const made = element("table", `table table--${kind} table--stacks`, element("thead", "", head), body);
    // Roles, because a stacked table is none to the browser.
    made.role = "table";
    for (const group of made.children) group.role = "rowgroup";
    return made;
}
