// Findings of a route check, most severe first; selecting one shows its position. Totals of the route.

import { holdChartInView } from "../chart/hold.js";
import { button, element } from "../dom.js";
import { arrival, difference, duration, mass, number, position } from "../format.js";

const SEVERITIES = { danger: "Danger", warning: "Warning", unknown: "Unknown", note: "Note" };

/** A finding about legs names only where the first begins: it may run over several. */
const where = ({ waypointIndex, legIndex }) => {
    if (waypointIndex !== undefined && waypointIndex !== null) return `WP ${waypointIndex + 1}`;
    return legIndex === undefined || legIndex === null ? "" : `From WP ${legIndex + 1}`;
};

/** Summarise findings, e.g. "2 dangers, 1 warning". */
export function countFindings(findings) {
    const words = Object.entries(SEVERITIES).flatMap(([severity, name]) => {
        const count = findings.filter((finding) => finding.severity === severity).length;
        const plural = severity === "unknown" || count === 1 ? "" : "s";
        return count ? `${count} ${name.toLowerCase()}${plural}` : [];
    });
    return words.join(", ") || "No findings";
}

function row(finding, onChoose) {
    const choose = () => {
        holdChartInView(made.closest(".panel"));
        onChoose(finding);
        made.scrollIntoView({ block: "nearest" });
    };
    const made = button(
        "finding",
        choose,
        element("b", `finding__severity finding__severity--${finding.severity}`, SEVERITIES[finding.severity]),
        element("span", "finding__where quiet small", where(finding)),
        element("span", "finding__words", finding.message),
    );
    if (finding.lat !== null && finding.lat !== undefined) made.title = position(finding.lat, finding.lng);
    return element("li", "", made);
}

/** Mark findings on a layer, most severe on top; `near(lng)` shifts a longitude to the route. */
export function ringFindings(layer, findings, near) {
    layer.clearLayers();
    for (const { lat, lng, severity } of [...findings].reverse()) {
        if (lat === null || lat === undefined) continue;
        const className = `finding-ring finding-ring--${severity}`;
        L.circleMarker([lat, near(lng)], { radius: 13, className, interactive: false }).addTo(layer);
    }
}

export function showFindings(list, findings, onChoose) {
    list.replaceChildren(...findings.map((finding) => row(finding, onChoose)));
}

/** Show the totals of a route; a dash where they are not known. */
export function showTotals(summary) {
    const words = summary && {
        eta: arrival(summary.eta),
        fuel: `${mass(summary.fuelMt, 1)} mt`,
        distance: `${number(summary.distanceNm)} nm`,
        duration: duration(summary.durationH),
    };
    for (const figure of document.querySelectorAll("[data-figure]")) figure.textContent = words?.[figure.dataset.figure] ?? "–";
}

/** Difference of two arrivals, each shown to the minute, as "+3 h 20 min"; empty if equal. */
function timeDifference(eta, other) {
    const [a, b] = [eta, other].map((time) => Math.floor(new Date(time) / 60_000));
    return a === b ? "" : `${a > b ? "+" : "−"}${duration(Math.abs(a - b) / 60)}`;
}

const withUnit = (more, unit) => more && `${more} ${unit}`;

/** Differences of two summaries as shown, by figure; empty where they are equal. */
const differences = (summary, other) => ({
    eta: timeDifference(summary.eta, other.eta),
    fuel: withUnit(difference(summary.fuelMt, other.fuelMt, 1, "mt"), "mt"),
    distance: withUnit(difference(summary.distanceNm, other.distanceNm), "nm"),
});

/** Show how much more the totals of a route are than those of another; nothing if they are not known. */
export function showDifferences(summary, other) {
    const words = summary && differences(summary, other);
    for (const note of document.querySelectorAll("[data-difference]")) {
        note.textContent = words ? words[note.dataset.difference] || "as opened" : "";
    }
}

/** Name the plan's own figures where those of the opened route, at one speed a leg and in the present weather, differ. */
export function showPlanned(note, plan, opened) {
    const differing = differences(opened, plan);
    const words = [
        differing.eta && `arrival ${arrival(plan.eta)} UTC`,
        differing.fuel && `${mass(plan.fuelMt, 1)} mt`,
        differing.distance && `${number(plan.distanceNm)} nm`,
    ].filter(Boolean);
    note.hidden = !words.length;
    note.textContent = `Figures here are at one speed a leg, in the weather known now. The plan's own: ${words.join(", ")}.`;
}
