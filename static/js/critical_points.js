// Critical points in the list, on the chart and above the slider, and their review.

import { holdChartInView } from "./chart/hold.js";
import { sideOfCount } from "./chart/labels.js";
import { button } from "./dom.js";
import { shortTime } from "./format.js";
import { lineNear, pair, unwrap } from "./geo.js";
import { request } from "./request.js";
import { toast } from "./toast.js";

const STACK_PX = 14;

function shape(severity, label, more = 0, side = "right") {
    const outline = {
        danger: '<path d="M11 1l10 10-10 10L1 11z"/>',
        caution: '<path d="M11 1.5L21 20H1z"/>',
        info: '<circle cx="11" cy="11" r="9"/>',
    }[severity];
    const words = `<text x="11" y="${severity === "caution" ? 17 : 14.8}">${label}</text>`;
    const others = more ? `<text class="severity__more severity__more--${side}" x="${side === "left" ? -1 : 23}" y="6">+${more}</text>` : "";
    return `<svg class="severity severity--${severity}" viewBox="0 0 22 22" aria-hidden="true">${outline}${words}${others}</svg>`;
}

/** Group points that would overlap; the most severe is on top. */
function stack(map, points, places) {
    const ranks = ["info", "caution", "danger"];
    const stacks = [];
    points.forEach((point, i) => {
        const at = map.latLngToContainerPoint(places[i]);
        const near = stacks.find((other) => other.at.distanceTo(at) < STACK_PX);
        if (!near) {
            stacks.push({ at, top: i, members: [i] });
            return;
        }
        near.members.push(i);
        if (ranks.indexOf(point.severity) > ranks.indexOf(points[near.top].severity)) near.top = i;
    });
    return stacks;
}

/** Reviews of the points, stored by the server with name and time. */
class Reviews {
    constructor(address, points, rows) {
        Object.assign(this, { address, points, rows });
        this.button = document.querySelector("[data-reviewed]");
        points.forEach((_, i) => this.showReview(i));
        this.show(-1);
    }

    /** Index of the first point after `i` that is not reviewed, or else the first of all; -1 if there is none. */
    next(i = -1) {
        const isLeft = ({ review }) => !review;
        const after = this.points.findIndex((point, n) => n > i && isLeft(point));
        return after >= 0 ? after : this.points.findIndex(isLeft);
    }

    showReview(i) {
        const { review } = this.points[i];
        const words = this.rows[i].querySelector(".critical__review");
        words.hidden = !review;
        if (review) words.lastElementChild.textContent = `Reviewed ${shortTime(review.at)} UTC, ${review.by}`;
        const done = this.points.filter((point) => point.review).length;
        const left = this.points.length - done;
        document.querySelector("[data-progress]").textContent = `${done} of ${this.points.length} reviewed`;
        const primary = document.querySelector("[data-review] span");
        primary.textContent = left ? `Review ${left} point${left === 1 ? "" : "s"}` : "All points reviewed";
    }

    /** Show on the button whether this point is reviewed; it is disabled without a point. */
    show(i) {
        this.shown = i;
        if (!this.button) return;
        this.button.disabled = !this.points[i];
        this.button.setAttribute("aria-pressed", String(Boolean(this.points[i]?.review)));
    }

    async toggle(i) {
        const point = this.points[i];
        if (!this.button || !point || this.isBusy) return;
        const { review } = point;
        this.isBusy = true;
        const body = { waypointIndex: point.waypointIndex, eta: point.eta };
        try {
            point.review = await request(this.address, { method: point.review ? "DELETE" : "PUT", body });
            this.showReview(i);
            this.show(this.shown); // another point may have been chosen meanwhile
            if (review) toast(`The review by ${review.by} was removed.`);
        } catch (fault) {
            toast(`The review was not saved. ${fault.message}`);
        }
        this.isBusy = false;
    }
}

/** Show the critical points; returns `choose`, and functions by key for `bindKeys`. */
export function showCriticalPoints(chart, timeCursor, points, reviewAddress) {
    if (!points.length) return {};
    const { map } = chart;
    const places = lineNear(unwrap(points.map(pair)), chart.line[0][1]);
    const buttons = [...document.querySelectorAll("[data-critical]")];
    const marks = L.layerGroup().addTo(map);
    let chosen = -1;
    const reviews = new Reviews(reviewAddress, points, buttons);
    const panel = buttons[0].closest(".panel");

    const choose = (i, { fly = true } = {}) => {
        buttons[chosen]?.removeAttribute("aria-current");
        chosen = i;
        buttons[i].setAttribute("aria-current", "true");
        holdChartInView(panel);
        buttons[i].scrollIntoView({ block: "nearest" });
        timeCursor.pinTime(points[i].eta);
        reviews.show(i);
        drawMarks();
        document.dispatchEvent(new CustomEvent("pointchosen", { detail: i }));
        if (!fly) return;
        const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
        map.flyTo(places[i], Math.max(map.getZoom(), 6), { animate: !still, duration: 0.6 });
    };

    const drawMarks = () => {
        marks.clearLayers();
        const stacks = stack(map, points, places);
        for (const { at, top, members } of stacks) {
            const side = sideOfCount(at, stacks.map((other) => other.at));
            const html = shape(points[top].severity, top + 1, members.length - 1, side);
            const current = members.includes(chosen) ? " is-chosen" : "";
            const icon = L.divIcon({ className: `critical-mark${current}`, html, iconSize: [24, 24], iconAnchor: [12, -6] });
            L.marker(places[top], { icon, keyboard: false, title: points[top].title })
                .on("click", () => choose(top, { fly: false }))
                .addTo(marks);
        }
    };

    const lane = document.querySelector(".lane__marks");
    const [start, end] = [timeCursor.times[0], timeCursor.times.at(-1)];
    points.forEach((point, i) => {
        const mark = button("", () => choose(i));
        mark.tabIndex = -1;
        mark.title = point.title;
        mark.innerHTML = shape(point.severity, "");
        mark.style.left = `${((Date.parse(point.eta) / 1000 - start) / (end - start)) * 100}%`;
        lane.append(mark);
    });

    for (const [i, row] of buttons.entries()) {
        row.addEventListener("click", () => choose(i));
        row.addEventListener("mouseenter", () => timeCursor.showTime(points[i].eta));
        row.addEventListener("mouseleave", () => timeCursor.release());
    }
    /** Choose a point and focus it, so that a screen reader reads it and Tab goes on from it. */
    const chooseAndFocus = (i) => {
        choose(i);
        buttons[i].focus({ preventScroll: true });
    };
    const step = (by, show = choose) => show((Math.max(chosen, by < 0 ? 0 : -1) + by + points.length) % points.length);
    for (const arrow of document.querySelectorAll("[data-step]")) {
        arrow.addEventListener("click", () => step(Number(arrow.dataset.step)));
    }
    document.querySelector("[data-review]").addEventListener("click", () => chooseAndFocus(Math.max(0, reviews.next())));
    reviews.button?.addEventListener("click", () => reviews.toggle(chosen));
    /** Mark the chosen point as reviewed, and go on to the next that is not. */
    const markReviewed = async () => {
        if (!points[chosen]?.review) await reviews.toggle(chosen);
        const next = reviews.next(chosen);
        if (points[chosen]?.review && next >= 0) chooseAndFocus(next);
    };
    map.on("zoomend", drawMarks);
    drawMarks();
    return { choose, n: () => step(1, chooseAndFocus), p: () => step(-1, chooseAndFocus), r: markReviewed };
}
