// Planned voyages that an area affects: listed in the form, marked on the chart.

import { element } from "../dom.js";
import { clock, number, shortTime } from "../format.js";
import { lineNear, unwrap } from "../geo.js";
import { RequestFailed, request } from "../request.js";

const WAIT_MS = 350;

export class AreaImpact {
    constructor(map, section, address) {
        Object.assign(this, { map, section, address, lines: L.layerGroup().addTo(map) });
    }

    clear() {
        clearTimeout(this.timer);
        this.running?.abort();
        this.lines.clearLayers();
        this.section.hidden = true;
    }

    /** Send a check after a pause in editing; `onAnswer` gets the response. */
    ask(body, onAnswer) {
        clearTimeout(this.timer);
        this.running?.abort();
        this.timer = setTimeout(() => this.send(body, onAnswer), WAIT_MS);
    }

    async send(body, onAnswer) {
        this.running = new AbortController();
        try {
            const answer = await request(this.address, { method: "POST", isPreview: true, body, signal: this.running.signal });
            if (answer.faults.length) this.clear();
            else this.show(answer.affected);
            onAnswer(answer);
        } catch (error) {
            if (error.name === "AbortError") return;
            if (!(error instanceof RequestFailed)) throw error;
            this.clear();
        }
    }

    show(affected) {
        this.lines.clearLayers();
        const centre = this.map.getCenter().lng;
        for (const line of affected.flatMap(({ lines }) => lines)) {
            L.polyline(lineNear(unwrap(line), centre), { className: "affected", interactive: false, pmIgnore: true }).addTo(this.lines);
        }
        this.section.hidden = false;
        const many = affected.length === 1 ? "1 voyage" : `${affected.length} voyages`;
        this.section.querySelector("[data-affected-title]").textContent = affected.length ? `Affects ${many}` : "Affects no planned voyage";
        this.section.querySelector("ul").replaceChildren(...affected.map(row));
    }
}

function row({ address, vessel, from, to, fromTime, toTime, insideNm }) {
    const link = element("a", "", `${vessel ?? "Vessel"}, ${from} to ${to}`);
    link.href = address;
    const sameDay = fromTime.slice(0, 10) === toTime.slice(0, 10);
    const times = `${shortTime(fromTime)} to ${sameDay ? clock(toTime) : shortTime(toTime)} UTC.`;
    return element(
        "li",
        "",
        link,
        element("span", "affected__nm", `${number(insideNm, insideNm < 10 ? 1 : 0)} nm inside`),
        element("small", "", `${times} Unchanged until re-planned.`),
    );
}
