// Route page: one time cursor moves ship, slider, profiles and rows together.

import { Chart } from "./chart/chart.js";
import { addEnsembleTracks } from "./chart/ensemble_tracks.js";
import { holdChartInView } from "./chart/hold.js";
import { keepLabelsInView } from "./chart/labels.js";
import { OwnShip, addRouteMarks } from "./chart/route_marks.js";
import { addUnprovenWater } from "./chart/unproven.js";
import { showVessels } from "./chart/vessels.js";
import { ROUTE_PAGE_LAYERS, ChartWeather } from "./chart/weather.js";
import { showCriticalPoints } from "./critical_points.js";
import { Departures } from "./departures.js";
import { element } from "./dom.js";
import { course, number } from "./format.js";
import { FuelFront } from "./fuel_front.js";
import { courseDeg, distanceNm, lineNear, lngNear, unwrap } from "./geo.js";
import { Profile, isOver } from "./profile.js";
import { keepInLink, readLink } from "./page_link.js";
import { cancelPlanning, stageWords } from "./planning.js";
import { RequestFailed, request } from "./request.js";
import { untilSignedIn } from "./session.js";
import { openTabs } from "./tabs.js";
import { toast } from "./toast.js";
import { bindKeys, data, timeCursor } from "./voyage.js";

const POLL_MS = 1500;

const chart = new Chart(document.querySelector(".chart"));

function nameEnd([lat, lng], name) {
    const html = element("span", "", name);
    const icon = L.divIcon({ className: "chart-label chart-label--port chart-label--end", html, iconSize: null, iconAnchor: [0, 0] });
    L.marker([lat, lng], { icon, interactive: false, keyboard: false }).addTo(chart.map);
    const keep = () => keepLabelsInView(chart.map, [html], chart.element.querySelector(".tools"));
    keep();
    chart.map.on("moveend zoomend resize", keep);
}

/** Mark the position at which no route keeps a limit. */
function markExceeded(place) {
    L.circleMarker(place, { radius: 13, className: "finding-ring finding-ring--danger", interactive: false }).addTo(chart.map);
    nameEnd(place, "Limit exceeded");
}

/** Show the progress of planning, and reload the page when it has ended. */
async function watchPlanning() {
    const panel = document.getElementById("planning");
    const bar = panel.querySelector(".progress");
    const cancel = panel.querySelector("[data-cancel]");
    const show = (state) => {
        const { progress, status, isCancelling } = state;
        const percent = Math.round(progress * 100);
        panel.querySelector("h2").textContent = status === "QUEUED" ? "Waiting to be planned" : "Planning the route";
        panel.querySelector("[data-percent]").textContent = `${percent} %`;
        panel.querySelector("[data-stage]").textContent = stageWords(state);
        bar.classList.toggle("progress--waiting", status === "QUEUED");
        bar.firstElementChild.style.setProperty("--share", progress);
        bar.setAttribute("aria-valuenow", Math.floor(percent / 10) * 10);
        if (cancel) cancel.disabled = isCancelling;
    };
    const isOver = ({ status }) => !["QUEUED", "RUNNING"].includes(status);
    cancel?.addEventListener("click", () =>
        cancelPlanning(cancel, (state) => (isOver(state) ? window.location.reload() : show(state))),
    );
    show(data.charting);
    for (;;) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        try {
            const state = await request(data.stateAddress);
            if (isOver(state)) {
                window.location.reload();
                return;
            }
            show(state);
        } catch (error) {
            if (!(error instanceof RequestFailed)) throw error;
            panel.querySelector("[data-stage]").textContent = error.status === 0 ? "No connection; trying again." : error.message;
            if (error.status === 401) await untilSignedIn();
            else if (!error.isPassing) return;
        }
    }
}

function showBearing() {
    const { track } = timeCursor;
    const bearing = document.querySelector("[data-reading=bearing]");
    chart.map.on("mousemove", ({ latlng }) => {
        const ship = [track.lat[timeCursor.at], track.lng[timeCursor.at]];
        const there = [latlng.lat, latlng.lng];
        bearing.textContent = `${course(courseDeg(ship, there))} ${number(distanceNm(ship, there))} nm`;
    });
}

function bindRows() {
    const rows = [...document.querySelectorAll("[data-waypoint]")];
    const etas = data.waypoints.map(({ eta }) => Date.parse(eta) / 1000);
    for (const [i, row] of rows.entries()) {
        for (const event of ["mouseenter", "focus"]) {
            row.addEventListener(event, () => timeCursor.showTime(data.waypoints[i].eta));
        }
        row.addEventListener("click", () => {
            timeCursor.pinTime(data.waypoints[i].eta);
            chart.map.panTo(chart.line[timeCursor.at]);
        });
    }
    document.getElementById("waypoints").addEventListener("mouseleave", () => timeCursor.release());
    let current;
    timeCursor.watch((at) => {
        // The current leg is that to the next waypoint.
        const next = etas.findIndex((eta) => eta >= timeCursor.times[at] - 1);
        current?.classList.remove("is-current");
        current = rows.at(next);
        current?.classList.add("is-current");
    });
}

/** Overlay of the chosen alternative on the plan's profile, and of its limit violations on the chart. */
class Overlay {
    constructor(profile) {
        Object.assign(this, { profile, tracks: new Map(), layer: L.layerGroup().addTo(chart.map) });
    }

    async show(route) {
        this.route = route;
        const track = route === "" ? null : await this.find(route);
        if (this.route !== route) return;
        this.profile.compare(track);
        this.layer.clearLayers();
        if (track) this.drawBroken(track);
    }

    /** Fetch the profile of an alternative; null for plans of earlier releases, which have none. */
    async find(route) {
        if (!this.tracks.has(route)) {
            try {
                this.tracks.set(route, await request(data.alternativeAddress + route));
            } catch (fault) {
                if (fault.status === 404) this.tracks.set(route, null);
                else toast(`The alternative's profile could not be loaded. ${fault.message}`);
            }
        }
        return this.tracks.get(route) ?? null;
    }

    drawBroken({ lat, lng, waveHeightM, windSpeedMs }) {
        const line = lineNear(unwrap(lat.map((each, i) => [each, lng[i]])), chart.line[0][1]);
        const [overWave, overWind] = [isOver(data.limits.waveM), isOver(data.limits.windMs)];
        const isBroken = (i) => overWave(waveHeightM[i]) || overWind(windSpeedMs[i]);
        for (let i = 0; i < line.length; i += 1) {
            if (!isBroken(i)) continue;
            const from = Math.max(0, i - 1);
            while (i < line.length - 1 && isBroken(i + 1)) i += 1;
            L.polyline(line.slice(from, i + 2), { className: "line-broken", interactive: false }).addTo(this.layer);
        }
    }
}

/** Show all of the plan and of an alternative, unless the alternative is in view. */
function keepInView(route) {
    const { map, bounds } = chart;
    map.eachLayer((layer) => {
        if (!layer.options.className?.split(" ").includes(`alternative-${route}`)) return;
        const own = layer.getBounds();
        if (!map.getBounds().contains(own)) chart.fit(L.latLngBounds(bounds.getSouthWest(), bounds.getNorthEast()).extend(own));
    });
}

/** Let the user choose an alternative by click or number key; it is highlighted on the chart. */
function bindRoutes(onChoose) {
    const rows = [...document.querySelectorAll("[data-route]")];
    const container = chart.map.getContainer();
    let chosen = "";
    const show = (route) => {
        container.classList.toggle("has-choice", route !== "");
        for (const line of container.querySelectorAll(".line-alt, .line-alt-halo")) {
            line.classList.toggle("is-chosen", line.classList.contains(`alternative-${route}`));
        }
    };
    const choose = (route) => {
        chosen = route;
        show(route);
        keepInView(route);
        onChoose(route);
        for (const row of rows) {
            if (row.dataset.route === route) row.setAttribute("aria-current", "true");
            else row.removeAttribute("aria-current");
        }
    };
    for (const row of rows) {
        const { route } = row.dataset;
        for (const event of ["mouseenter", "focus"]) row.addEventListener(event, () => show(route));
        for (const event of ["mouseleave", "blur"]) row.addEventListener(event, () => show(chosen));
        row.addEventListener("click", () => {
            holdChartInView(row.closest("table"));
            row.scrollIntoView({ block: "nearest" });
            choose(route);
        });
        row.addEventListener("keydown", ({ key }) => key === "Enter" && choose(route));
    }
    // Key 1 is the planned route, keys from 2 are the alternatives.
    const routes = [...new Set(rows.map(({ dataset }) => dataset.route))].slice(0, 9);
    return Object.fromEntries(routes.map((route, i) => [i + 1, () => choose(route)]));
}

/** Move the time cursor to the point of the route under the pointer. */
function followPointer() {
    chart.map.on("mousemove", ({ containerPoint }) => {
        let [best, distance] = [-1, 14];
        chart.line.forEach((place, i) => {
            const d = chart.map.latLngToContainerPoint(place).distanceTo(containerPoint);
            if (d < distance) [best, distance] = [i, d];
        });
        if (best >= 0) timeCursor.show(best);
        else timeCursor.release();
    });
    chart.map.on("click", () => {
        if (timeCursor.at !== timeCursor.pinned && !chart.measure.active) timeCursor.pin();
    });
    chart.map.on("mouseout", () => timeCursor.release());
}

/** Restore tab, critical point and time from the address, and keep the address up to date. */
function followLink(selectTab, choosePoint) {
    const tab = document.getElementById(`tab-${readLink("tab")}`);
    if (tab) selectTab(tab);
    const [point, hasTime, { pinned }] = [Number(readLink("point")), readLink("time") !== null, timeCursor];
    if (data.criticalPoints[point - 1]) {
        choosePoint(point - 1);
        if (hasTime) timeCursor.pin(pinned);
    }
    document.addEventListener("tabopen", ({ target }) => keepInLink("tab", target.id.replace("tab-", "")));
    document.addEventListener("pointchosen", ({ detail }) => keepInLink("point", detail + 1));
}

/** Show the ship of a voyage under way at its last reported position; it heads as the plan does now. */
function showReported({ courseDeg: courses }) {
    if (!data.ship) return;
    const at = timeCursor.find(data.ship.at);
    const lng = lngNear(data.ship.lng, chart.line[at][1]);
    showVessels(chart.map, [{ ...data.ship, lng, headingDeg: courses[at] }]);
}

function readRoute() {
    const { track, waypoints, charting } = data;
    chart.line = addRouteMarks(chart.map, track, waypoints);
    chart.bounds = L.latLngBounds(chart.line);
    nameEnd(chart.line[0], charting.departure);
    nameEnd(chart.line.at(-1), charting.to);
    const selectTab = openTabs(document.querySelector("[role=tablist]"));
    const front = document.getElementById("fuel-front");
    if (front) new FuelFront(front);
    if (!timeCursor) {
        bindRoutes(() => {});
        return;
    }
    const ship = new OwnShip(chart.map, chart.line, track.courseDeg);
    timeCursor.watch((at) => ship.show(at));
    showReported(track);
    showBearing();
    addUnprovenWater(chart, data.unproven);
    addEnsembleTracks(chart, data.ensembleTracks, waypoints);
    const weather = new ChartWeather(chart, ROUTE_PAGE_LAYERS, data.weather);
    timeCursor.watch((at) => weather.showTime(timeCursor.times[at]));
    const overlay = new Overlay(new Profile(document.querySelector(".plots"), timeCursor, data.limits));
    const switching = bindRoutes((route) => overlay.show(route));
    bindRows();
    followPointer();
    const { choose, ...reviewing } = showCriticalPoints(chart, timeCursor, data.criticalPoints, data.reviewAddress);
    chart.placeLegend();
    followLink(selectTab, choose);
    bindKeys({ ...reviewing, ...switching });
}

chart.showAreas(data.areas);
if (data.waypoints.length) {
    readRoute();
} else {
    const [from, to] = unwrap([data.charting.fromPlace, data.charting.toPlace]);
    nameEnd(from, data.charting.departure);
    nameEnd(to, data.charting.to);
    if (data.exceededAt) markExceeded(lineNear([data.exceededAt], from[1])[0]);
}
const departures = document.getElementById("departures");
if (departures) new Departures(departures);
if (document.getElementById("planning")) watchPlanning();
