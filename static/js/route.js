// Reading a route: one moment moves ship, slider, profiles and rows together.

import { Chart } from "./chart/chart.js";
import { offerChoice } from "./chart/choice.js";
import { OwnShip, addRouteMarks, runOn } from "./chart/route_marks.js";
import { offerUnproven } from "./chart/unproven.js";
import { ALONG_A_ROUTE, ChartWeather } from "./chart/weather.js";
import { showCriticalPoints } from "./critical_points.js";
import { Departures } from "./departures.js";
import { course, fullTime, number, position } from "./format.js";
import { FuelFront } from "./fuel_front.js";
import { courseDeg, distanceNm } from "./geo.js";
import { Moment } from "./moment.js";
import { Profile, isOver } from "./profile.js";
import { keepInLink, readLink } from "./page_link.js";
import { cancelPlanning, stageWords } from "./planning.js";
import { pageData, request } from "./request.js";
import { openTabs } from "./tabs.js";
import { toast } from "./toast.js";

const POLL_MS = 1500;
const PLAY_MS = 80;
const SAMPLES_PER_VOYAGE = 400;

const data = pageData();
const chart = new Chart(document.querySelector(".chart"));

function nameEnd([lat, lng], name) {
    const icon = L.divIcon({ className: "chart-label chart-label--port chart-label--end", html: "", iconSize: null, iconAnchor: [0, 0] });
    const marker = L.marker([lat, lng], { icon, interactive: false, keyboard: false });
    marker.on("add", () => {
        const words = document.createElement("span");
        words.textContent = name;
        marker.getElement().append(words);
    });
    marker.addTo(chart.map);
}

/** Watch the planning and open the plan when it is there. */
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
        } catch {
            panel.querySelector("[data-stage]").textContent = "No connection; trying again.";
        }
    }
}

function showReadings(moment) {
    const { track } = moment;
    const fields = Object.fromEntries(
        [...document.querySelectorAll("[data-moment]")].map((field) => [field.dataset.moment, field]),
    );
    moment.watch((at) => {
        fields.time.textContent = fullTime(track.time[at]);
        fields.position.textContent = position(track.lat[at], track.lng[at]);
        fields.course.textContent = course(track.courseDeg[at]);
        fields.done.textContent = `${number(track.cumulativeNm[at])}\u202fnm`;
    });
    const bearing = document.querySelector("[data-reading=bearing]");
    chart.map.on("mousemove", ({ latlng }) => {
        const ship = [track.lat[moment.at], track.lng[moment.at]];
        const there = [latlng.lat, latlng.lng];
        bearing.textContent = `${course(courseDeg(ship, there))} ${number(distanceNm(ship, there))} nm`;
    });
}

/** Keys of a slider; left and right act on the whole page. Any other key is left to the browser. */
function bindSliderKeys(slider, moment) {
    const acts = {
        ArrowUp: () => moment.step(1),
        ArrowDown: () => moment.step(-1),
        PageUp: () => moment.step(6),
        PageDown: () => moment.step(-6),
        Home: () => moment.pin(0),
        End: () => moment.pin(moment.times.length - 1),
    };
    slider.addEventListener("keydown", (event) => {
        const act = acts[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
    });
}

function bindSlider(moment) {
    const { track, times } = moment;
    const slider = document.querySelector(".voyage-slider");
    // Minutes, so that the slider and the profiles share one time axis.
    const [start, end] = [Math.floor(times[0] / 60), Math.ceil(times.at(-1) / 60)];
    Object.assign(slider, { min: start, max: end, step: 1 });
    slider.addEventListener("input", () => moment.pinTime(slider.value * 60_000));
    bindSliderKeys(slider, moment);
    moment.watch((at) => {
        slider.value = times[at] / 60;
        slider.style.setProperty("--done", `${((slider.value - start) / (end - start)) * 100}%`);
        const waves = track.waveHeightM[at];
        const sea = waves === null ? "" : `, waves ${number(waves, 1)} m`;
        slider.setAttribute("aria-valuetext", `${fullTime(track.time[at])}, ${position(track.lat[at], track.lng[at], 1)}${sea}`);
    });
}

function bindPlay(moment) {
    const button = document.querySelector("[data-play]");
    const stride = Math.max(1, Math.round(moment.times.length / SAMPLES_PER_VOYAGE));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let timer;
    const stop = () => {
        clearInterval(timer);
        timer = undefined;
        button.setAttribute("aria-pressed", "false");
    };
    const play = () => {
        if (timer) {
            stop();
            return;
        }
        if (moment.pinned === moment.times.length - 1) moment.pin(0);
        button.setAttribute("aria-pressed", "true");
        timer = setInterval(() => {
            moment.pin(moment.pinned + stride * (still ? 10 : 1));
            if (moment.pinned === moment.times.length - 1) stop();
        }, still ? PLAY_MS * 10 : PLAY_MS);
    };
    button.addEventListener("click", play);
    return play;
}

function bindRows(moment) {
    const rows = [...document.querySelectorAll("[data-waypoint]")];
    const etas = data.waypoints.map(({ eta }) => Date.parse(eta) / 1000);
    for (const [i, row] of rows.entries()) {
        for (const event of ["mouseenter", "focus"]) {
            row.addEventListener(event, () => moment.showTime(data.waypoints[i].eta));
        }
        row.addEventListener("click", () => {
            moment.pinTime(data.waypoints[i].eta);
            chart.map.panTo(chart.line[moment.at]);
        });
    }
    document.getElementById("waypoints").addEventListener("mouseleave", () => moment.release());
    let current;
    moment.watch((at) => {
        // The leg under way leads to the next waypoint.
        const next = etas.findIndex((eta) => eta >= moment.times[at] - 1);
        current?.classList.remove("is-current");
        current = rows.at(next);
        current?.classList.add("is-current");
    });
}

/** The chosen alternative laid over the plan's profile, and on the chart what breaks a limit, in red. */
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

    /** Plans from before alternatives had profiles show the line alone. */
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
        const lngs = runOn(lng);
        const shift = 360 * Math.round((chart.line[0][1] - lngs[0]) / 360);
        const [overWave, overWind] = [isOver(data.limits.waveM), isOver(data.limits.windMs)];
        const isBroken = (i) => overWave(waveHeightM[i]) || overWind(windSpeedMs[i]);
        for (let i = 0; i < lat.length; i += 1) {
            if (!isBroken(i)) continue;
            const from = Math.max(0, i - 1);
            while (i < lat.length - 1 && isBroken(i + 1)) i += 1;
            const places = lat.slice(from, i + 2).map((each, at) => [each, lngs[from + at] + shift]);
            L.polyline(places, { className: "line-broken", interactive: false }).addTo(this.layer);
        }
    }
}

/** Routes are switched by click or number: the chosen one is highlighted with the planned one. */
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
        row.addEventListener("click", () => choose(route));
        row.addEventListener("keydown", ({ key }) => key === "Enter" && choose(route));
    }
    // 1 is the planned route, 2 and on are the alternatives.
    const routes = [...new Set(rows.map(({ dataset }) => dataset.route))].slice(0, 9);
    return Object.fromEntries(routes.map((route, i) => [i + 1, () => choose(route)]));
}

/** Pointing at the route on the chart moves the moment there. */
function followPointer(moment) {
    chart.map.on("mousemove", ({ containerPoint }) => {
        let [best, distance] = [-1, 14];
        chart.line.forEach((place, i) => {
            const d = chart.map.latLngToContainerPoint(place).distanceTo(containerPoint);
            if (d < distance) [best, distance] = [i, d];
        });
        if (best >= 0) moment.show(best);
        else moment.release();
    });
    chart.map.on("click", () => {
        if (moment.at !== moment.pinned && !chart.measure.active) moment.pin();
    });
    chart.map.on("mouseout", () => moment.release());
}

/** Open on the tab, point and time of the address, and keep it true. */
function followLink(moment, selectTab, choosePoint) {
    const tab = document.getElementById(`tab-${readLink("tab")}`);
    if (tab) selectTab(tab);
    const point = Number(readLink("point"));
    if (data.criticalPoints[point - 1]) choosePoint(point - 1);
    if (Number.isFinite(Date.parse(readLink("time")))) moment.pinTime(readLink("time"));
    moment.watchPins((at) => keepInLink("time", moment.track.time[at]));
    document.addEventListener("tabopen", ({ target }) => keepInLink("tab", target.id.replace("tab-", "")));
    document.addEventListener("pointchosen", ({ detail }) => keepInLink("point", detail + 1));
}

function bindKeys(moment, play, more) {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.target.closest("input:not([type=range]), select, textarea")) return;
        // Arrows move the chart, and without Shift go from tab to tab.
        const owner = event.shiftKey ? ".leaflet-container" : "[role=tab], .leaflet-container";
        if (event.key.startsWith("Arrow") && event.target.closest(owner)) return;
        const hours = event.shiftKey ? 6 : 1;
        const acts = {
            ArrowLeft: () => moment.step(-hours),
            ArrowRight: () => moment.step(hours),
            ...more,
        };
        if (event.key === " " && !event.target.closest("button, a, summary")) acts[" "] = play;
        const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!act) return;
        event.preventDefault();
        act();
    });
}

function readRoute() {
    const { track, waypoints, charting } = data;
    chart.line = addRouteMarks(chart.map, track, waypoints);
    chart.bounds = L.latLngBounds(chart.line);
    nameEnd(chart.line[0], charting.from);
    nameEnd(chart.line.at(-1), charting.to);
    const selectTab = openTabs(document.querySelector("[role=tablist]"));
    const front = document.getElementById("fuel-front");
    if (front) new FuelFront(front);
    const departures = document.getElementById("departures");
    if (departures) new Departures(departures);
    if (!track.time.length) {
        bindRoutes(() => {});
        return;
    }
    const moment = new Moment(track);
    const ship = new OwnShip(chart.map, chart.line, track.courseDeg);
    moment.watch((at) => ship.show(at));
    showReadings(moment);
    chart.placeLegend();
    offerUnproven(chart, data.unproven);
    offerChoice(chart, data.choice, waypoints);
    const weather = new ChartWeather(chart, ALONG_A_ROUTE, data.weather);
    moment.watch((at) => weather.showTime(moment.times[at]));
    bindSlider(moment);
    const overlay = new Overlay(new Profile(document.querySelector(".plots"), moment, data.limits));
    const switching = bindRoutes((route) => overlay.show(route));
    bindRows(moment);
    followPointer(moment);
    const { choose, ...reviewing } = showCriticalPoints(chart, moment, data.criticalPoints, data.reviewAddress);
    followLink(moment, selectTab, choose);
    bindKeys(moment, bindPlay(moment), { ...reviewing, ...switching });
}

chart.showAreas(data.areas);
if (data.waypoints.length) {
    readRoute();
} else {
    nameEnd(data.charting.fromPlace, data.charting.from);
    nameEnd(data.charting.toPlace, data.charting.to);
}
if (document.getElementById("planning")) watchPlanning();
