// Chart page: planning form, chart, and lists of chartings.

import { table } from "./charting_rows.js";
import { Chart } from "./chart/chart.js";
import { keepLabelsInView, thinLabels } from "./chart/labels.js";
import { addUnprovenWater } from "./chart/unproven.js";
import { showVessels } from "./chart/vessels.js";
import { ChartWeather, CHART_PAGE_LAYERS } from "./chart/weather.js";
import { element, emptyNote } from "./dom.js";
import { clock } from "./format.js";
import { greatCircle, pair } from "./geo.js";
import { OrderExtras } from "./order_extras.js";
import { OrderForm } from "./order_form.js";
import { cancelPlanning } from "./planning.js";
import { pageData } from "./page_data.js";
import { request } from "./request.js";
import { untilSignedIn } from "./session.js";
import { openTabs } from "./tabs.js";
import { TimeBar } from "./time_bar.js";
import { toast } from "./toast.js";

const POLL_MS = 2000;
const RESTING_POLL_MS = 15_000;

const data = pageData();
const chart = new Chart(document.querySelector(".chart"));
const underWay = L.layerGroup().addTo(chart.map);
const planned = L.layerGroup().addTo(chart.map);
const ends = L.layerGroup().addTo(chart.map);

function portMark([lat, lng], name) {
    const icon = L.divIcon({ className: "chart-label chart-label--port", html: "", iconSize: null, iconAnchor: [3, 7] });
    const marker = L.marker([lat, lng], { icon, interactive: false, keyboard: false });
    marker.on("add", () => marker.getElement().replaceChildren(element("span", "", name)));
    return marker;
}

function drawActive(chartings) {
    underWay.clearLayers();
    for (const charting of chartings) {
        const line = greatCircle(charting.fromPlace, charting.toPlace);
        L.polyline(line, { className: "line-computed", interactive: false }).addTo(underWay);
        const state = charting.status === "QUEUED" ? "waiting" : `${Math.round(charting.progress * 100)}\u202f%`;
        const icon = L.divIcon({ className: "chart-tag", html: "" });
        const tag = L.marker(line[Math.floor(line.length / 2)], { icon, interactive: false, keyboard: false });
        tag.on("add", () => (tag.getElement().textContent = `${charting.vessel ?? charting.to} ${state}`));
        tag.addTo(underWay);
        portMark(line[0], charting.departure).addTo(underWay);
        portMark(line.at(-1), charting.to).addTo(underWay);
    }
    thinActive();
}

function keepPortsInView() {
    const labels = chart.map.getContainer().querySelectorAll(".chart-label--port span");
    keepLabelsInView(chart.map, labels, chart.element.querySelector(".tools"));
}

/** Hide labels of active plannings that would overlap; progress is shown before the names of ports. */
function thinActive() {
    const labels = underWay.getLayers().map((layer) => layer.getElement()).filter((label) => label?.matches(".chart-tag, .chart-label"));
    labels.sort((a, b) => a.matches(".chart-label") - b.matches(".chart-label"));
    thinLabels(chart.map, labels, (label, isHidden) => label.classList.toggle("is-under", isHidden));
}

/** Bounds of the chart in view, as text. */
const viewOf = () => chart.map.getBounds().toBBoxString();

/** Id of the voyage whose route is drawn, or will be when it has arrived. */
let drawn;

/** Draw the route of a voyage, with names of the ends that the form does not name. */
async function drawPlanned(id) {
    planned.clearLayers();
    drawn = id;
    const { line, from, to } = await request(data.addresses.line.replace("ID", id));
    if (drawn !== id) return;
    planned.clearLayers();
    L.polyline(line, { className: "line-halo", interactive: false }).addTo(planned);
    const route = L.polyline(line, { className: "line-route", interactive: false }).addTo(planned);
    const names = Object.values(endPlaces).map((port) => port?.name);
    if (!names.includes(from)) portMark(line[0], from).addTo(planned);
    if (!names.includes(to)) portMark(line.at(-1), to).addTo(planned);
    keepPortsInView();
    chart.line = line;
    chart.bounds = route.getBounds();
    chart.placeLegend();
}

const endPlaces = {};

/** Show the ports of the form, and no longer the route of another voyage. */
function onPort(name, port) {
    endPlaces[name] = port;
    drawn = null;
    planned.clearLayers();
    document.querySelector("#list-recent .is-current")?.classList.remove("is-current");
    ends.clearLayers();
    const places = Object.values(endPlaces).filter(Boolean);
    const isVoyage = places.length === 2;
    // Across the antimeridian, the ends of the line are on the same copy of the world.
    const line = isVoyage ? greatCircle(...places.map(pair)) : places.map(pair);
    for (const [i, place] of places.entries()) portMark(line.at(-i), place.shown ?? place.name).addTo(ends);
    keepPortsInView();
    chart.line = places.length ? line : null;
    if (isVoyage) {
        chart.bounds = L.latLngBounds(line);
        chart.fit();
    } else if (port) {
        chart.panInside([port.lat, port.lng]);
    }
}

/** Cancel picking a position on the chart. */
let stopPicking = () => {};

/** Let the user click a position on the chart; resolves to undefined if it is cancelled. */
function pickPosition(which) {
    stopPicking();
    const prompt = document.getElementById("pick-prompt");
    prompt.querySelector("span").textContent = `Click the ${which} on the chart.`;
    prompt.hidden = false;
    const opener = document.activeElement;
    chart.map.getContainer().focus();
    return new Promise((resolve) => {
        const finish = (place) => {
            prompt.hidden = true;
            chart.map.off("click", onClick);
            document.removeEventListener("keydown", onKey);
            document.removeEventListener("focusin", onFocus);
            stopPicking = () => {};
            resolve(place);
        };
        stopPicking = () => finish();
        const onClick = ({ latlng }) => finish({ lat: latlng.lat, lng: latlng.wrap().lng });
        const onKey = ({ key }) => {
            if (key !== "Escape") return;
            finish();
            opener.focus();
        };
        // Another field of the form is being filled in instead.
        const onFocus = ({ target }) => target.closest("#order") && finish();
        chart.map.on("click", onClick);
        document.addEventListener("keydown", onKey);
        document.addEventListener("focusin", onFocus);
        prompt.querySelector("button").onclick = ({ detail }) => {
            finish();
            // Pressed by a key, it had the focus.
            if (!detail) opener.focus();
        };
    });
}

class Dock {
    constructor(live) {
        /** Ids of plannings that this page has started and that have not ended. */
        this.own = new Set();
        this.tabs = { active: document.getElementById("tab-active"), recent: document.getElementById("tab-recent") };
        this.select = openTabs(document.querySelector("[role=tablist]"));
        document.addEventListener("tabopen", () => (this.isFollowing = false));
        this.lists = { active: document.getElementById("list-active"), recent: document.getElementById("list-recent") };
        this.show(live);
        if (!live.active.length && live.recent.length) this.select(this.tabs.recent);
        for (const event of ["mouseover", "focusin"]) {
            this.lists.recent.addEventListener(event, ({ target }) => this.onRow(target.closest("tr[data-id]")));
        }
        this.lists.active.addEventListener("click", ({ target }) => {
            const button = target.closest("[data-cancel]");
            if (button) cancelPlanning(button, () => this.wake());
        });
        this.poll();
    }

    /** Show a planning that this page has started, and later its result unless the user opens a list. */
    follow(id) {
        this.own.add(id);
        this.select(this.tabs.active);
        this.isFollowing = true;
        this.viewed = viewOf();
        this.wake();
    }

    show(live) {
        this.announce(live);
        this.live = live;
        document.querySelector("[data-count=active]").textContent = live.active.length;
        this.fill("active", live.active, "No active plannings", "A route shows here while it is being planned.");
        this.fill("recent", live.recent, "No voyages yet", "Finished voyages are listed here, newest first.");
        drawActive(live.active);
        this.reveal(live.recent);
    }

    /** Show the result of the last planning that this page has started; all of it, unless the chart is in use. */
    async reveal(recent) {
        const ended = recent.find(({ id, status }) => this.own.has(id) && status !== "CANCELLED");
        for (const { id } of recent) this.own.delete(id);
        if (!ended || this.own.size || !this.isFollowing) return;
        this.select(this.tabs.recent);
        await this.onRow(this.lists.recent.querySelector(`tr[data-id="${ended.id}"]`));
        const isInUse = this.viewed !== viewOf() || document.querySelector(".prompt:not([hidden])");
        if (ended.summary && !isInUse && !chart.map.getBounds().contains(chart.bounds)) chart.fit();
    }

    fill(kind, chartings, title, words) {
        const text = JSON.stringify(chartings);
        // Unchanged rows are kept, with focus and hover.
        if (this.lists[kind].dataset.shown === text) return;
        this.lists[kind].dataset.shown = text;
        const focused = this.lists[kind].contains(document.activeElement)
            ? document.activeElement.closest("tr")?.dataset.id
            : undefined;
        const control = document.activeElement.matches?.("[data-cancel]") ? "[data-cancel]" : "a";
        const content = chartings.length ? table(kind, chartings) : emptyNote("div", title, words);
        this.lists[kind].replaceChildren(content);
        if (focused) (this.lists[kind].querySelector(`tr[data-id="${focused}"] ${control}`) ?? this.tabs[kind]).focus();
    }

    /** Show a message for each planning of this user that has ended since the last poll. */
    announce(live) {
        if (!this.live) return;
        const { active, recent } = this.live;
        const before = new Set([...active.filter(({ isOwn }) => isOwn).map(({ id }) => id), ...this.own]);
        // Ids ascend with time; a deletion brings older voyages back into the list.
        const newest = [...active, ...recent].map(({ id }) => id).sort().at(-1) ?? "";
        for (const charting of live.recent) {
            const isNew = charting.isOwn && charting.id > newest;
            if (!before.has(charting.id) && !isNew) continue;
            const voyage = `${charting.from} to ${charting.to}`;
            const open = { act: "Open", onAct: () => window.location.assign(charting.address) };
            if (charting.status === "COMPLETED") {
                toast(`${voyage} is ready.`, open);
            } else if (charting.status === "FAILED") {
                toast(`${voyage} has no route. ${charting.failure}`, { ...open, isKept: this.own.has(charting.id) });
            }
        }
    }

    /** Poll at once; after the answer that is on its way, which may be older, once more. */
    wake() {
        this.isDue = true;
        this.endPause?.();
    }

    async poll() {
        const note = document.getElementById("dock-note");
        for (;;) {
            const pause = this.live.active.length ? POLL_MS : RESTING_POLL_MS;
            await new Promise((resolve) => {
                this.endPause = resolve;
                if (this.isDue) resolve();
                setTimeout(resolve, pause);
            });
            this.isDue = false;
            if (document.hidden) continue;
            try {
                const live = await request(data.addresses.live);
                this.show(live);
                vessels.show(live.positions);
                this.seenAt = new Date();
                note.textContent = "";
            } catch (error) {
                if (error.status === 401) await untilSignedIn();
                else note.textContent = `No connection. Data from ${clock(this.seenAt ?? new Date())} UTC; trying again.`;
            }
        }
    }

    async onRow(found) {
        if (!found || found.classList.contains("is-current")) return;
        const charting = this.live.recent.find(({ id }) => id === found.dataset.id);
        this.lists.recent.querySelector(".is-current")?.classList.remove("is-current");
        found.classList.add("is-current");
        if (charting.summary) await drawPlanned(charting.id);
    }
}

const dock = new Dock(data.live);
chart.map.on("moveend zoomend", thinActive);
chart.map.on("moveend zoomend resize", keepPortsInView);
const form = document.getElementById("order");

const vessels = showVessels(chart.map, data.live.positions);
const layers = document.querySelector(".layers");
const isOn = (layer) => layers.querySelector(`[name=layer-${layer}]`).checked;

/** Show the zones, hatched if the form avoids them. */
function showAreas() {
    const avoided = { PIRACY: form.avoidPiracyAreas?.checked, WAR_RISK: form.avoidWarZones?.checked };
    const zones = data.zones.map((zone) => ({ ...zone, avoided: Boolean(avoided[zone.kind]) }));
    chart.showAreas([...(isOn("zones") ? zones : []), ...(isOn("constraints") ? data.constraints : [])]);
}

const LAYERS = {
    "layer-zones": showAreas,
    "layer-constraints": showAreas,
    "layer-vessels": () => (isOn("vessels") ? vessels.addTo(chart.map) : vessels.remove()),
    "layer-graticule": () => chart.showGraticule(isOn("graticule")),
};

showAreas();
addUnprovenWater(chart, data.unproven);
layers.addEventListener("change", ({ target }) => LAYERS[target.name]?.());
form.addEventListener("change", showAreas);
form.addEventListener("reset", () => setTimeout(showAreas));

/** Show the weather layers and the time bar. */
function showWeather() {
    const weather = new ChartWeather(chart, CHART_PAGE_LAYERS, data.weather);
    new TimeBar(document.querySelector(".time-bar"), weather);
}

showWeather();

if (data.vessels.length) {
    const order = new OrderForm(form, {
        addresses: data.addresses,
        extras: new OrderExtras(form, chart, data.addresses),
        vessels: data.vessels,
        pickPosition,
        stopPicking: () => stopPicking(),
        onPort,
        onOrdered: ({ id }) => {
            if (data.rest) window.location.assign(data.rest.address);
            toast("Planning started.");
            dock.follow(id);
        },
    });
    order.open(data.earlier, data.rest ?? data.start);
    showAreas();
}

