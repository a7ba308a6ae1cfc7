// Weather layers of the chart at the selected time.

import { course, fullTime, number } from "../format.js";
import { token } from "../palette.js";
import { CanvasLayer } from "./canvas_layer.js";
import { haloText } from "./graticule.js";
import { Isobars } from "./isobars.js";
import { WaveField } from "./wave_field.js";
import { WeatherFrames } from "./weather_frames.js";
import { paintSwell } from "./swell.js";
import { paintCurrent, paintWaveDirection, paintWind } from "./wind_barbs.js";

const ALL_OCEANS = "all oceans";
const PARTS = { waves: "wave", direction: "wave", wind: "wind", current: "current", isobars: "pressure", swell: "swell" };
/** Names in the legend that differ from those of the layers. */
const NAMES = { direction: "wave direction", isobars: "pressure" };
const HOUR_MS = 3_600_000;
/** Layers of the route page; waves and wind are on by default. */
export const ROUTE_PAGE_LAYERS = { key: "weather-layers", usual: { waves: true, wind: true } };
/** Layers of the chart page; all are off by default. */
export const CHART_PAGE_LAYERS = { key: "chart-weather-layers", usual: {} };

function readChoice({ key, usual }) {
    try {
        return { ...usual, ...JSON.parse(localStorage.getItem(key)) };
    } catch {
        return { ...usual };
    }
}

/** "gfs-20260114T00Z-3f9c0a1b2d" as "GFS 14 Jan 00:00". */
function runName(name) {
    const match = /^(\w+)-(\d{4})(\d\d)(\d\d)T(\d\d)Z/.exec(name);
    if (!match) return name;
    const [, source, year, month, date, hour] = match;
    const [, ...when] = fullTime(Date.UTC(year, month - 1, date, hour)).split(" ");
    return `${source.toUpperCase()} ${when.join(" ")}`;
}

const COLUMNS = { waves: "waveCm", direction: "waveCm", wind: "windUKn", current: "currentUDkn", isobars: "pressureDhPa", swell: "swellCm" };

/** Whether a layer has no values in the view. */
const isUnknown = (frame, part) => frame.lacks(COLUMNS[part]);

export class ChartWeather {
    /**
     * `layers`: the layers on by default, and the key under which the user's choice is stored;
     * `planned`: names of the forecast runs of the plan, if there is one.
     */
    constructor(chart, layers, { address, limitM, planned }) {
        Object.assign(this, { chart, layers, limitM, planned, shown: readChoice(layers), land: new Map() });
        this.frames = new WeatherFrames(chart.map, address, (frame, fault) => this.take(frame, fault));
        this.legend = chart.element.querySelector("[data-legend=weather]");
        const paint = (ctx) => this.paint(ctx);
        this.layer = new CanvasLayer(paint, { pane: "weather" }).addTo(chart.map);
        chart.map.on("zoomend", () => this.forget());
        chart.basemap.on("load", () => {
            this.land.clear();
            this.layer.redraw();
        });
        // Before the layer is painted by the new palette.
        document.addEventListener("palettechange", () => this.forget(), { capture: true });
        this.bindSwitches();
        this.bindCursor();
    }

    bindSwitches() {
        const boxes = [...this.chart.element.querySelectorAll("[name^=weather-]")];
        const offered = new Set(boxes.map((box) => box.name));
        // A stored choice may be of a layer that today's forecast does not have.
        for (const part of Object.keys(this.shown)) if (!offered.has(`weather-${part}`)) delete this.shown[part];
        for (const box of boxes) {
            const part = box.name.replace("weather-", "");
            box.checked = Boolean(this.shown[part]);
            box.addEventListener("change", () => {
                this.shown[part] = box.checked;
                localStorage.setItem(this.layers.key, JSON.stringify(this.shown));
                this.follow();
            });
        }
        this.follow();
    }

    bindCursor() {
        const strip = this.chart.strip;
        const [waves, wind] = ["waves", "wind"].map((name) => strip.querySelector(`[data-reading=${name}]`));
        this.chart.map.on("mousemove", ({ latlng: { lat, lng } }) => {
            const { frame } = this;
            if (!this.isOn || !frame?.holds(lat, lng) || this.isLand({ lat, lng })) {
                waves.textContent = wind.textContent = "–";
                return;
            }
            const [u, v] = [frame.read("windUKn", lat, lng), frame.read("windVKn", lat, lng)];
            const from = ((Math.atan2(-u, -v) * 180) / Math.PI + 360) % 360;
            const cm = frame.read("waveCm", lat, lng);
            waves.textContent = Number.isNaN(cm) ? "–" : `${number(cm / 100, 1)} m`;
            wind.textContent = `from ${course(from)} ${number(Math.hypot(u, v))} kn`;
        });
    }

    get isOn() {
        return Object.values(this.shown).some(Boolean);
    }

    /** Fetch and show weather only while a layer is on. */
    follow() {
        this.frames.switch(this.isOn);
        this.showSource();
        this.layer.redraw();
    }

    showTime(seconds) {
        this.frames.showTime(seconds);
    }

    take(frame, fault) {
        this.fault = fault;
        if (frame && frame !== this.frame) {
            this.frame = frame;
            this.field = this.isobars = undefined;
        }
        this.showSource();
        this.layer.redraw();
    }

    forget() {
        this.field = this.isobars = undefined;
        this.land.clear();
        this.layer.redraw();
    }

    isLand(place) {
        return this.chart.basemap.isLand(place);
    }

    paint(ctx) {
        const { frame, shown, chart: { map } } = this;
        if (!frame) return;
        if (shown.waves) {
            this.field ??= new WaveField(frame, map, this.limitM);
            this.field.draw(ctx, map);
            this.field.drawLimit(ctx, map);
        }
        if (shown.isobars) {
            this.isobars ??= new Isobars(frame, map);
            this.isobars.draw(ctx, map);
        }
        const isLand = (place) => this.isKnownLand(place);
        if (shown.direction) paintWaveDirection(ctx, map, frame, isLand);
        if (shown.swell) paintSwell(ctx, map, frame, isLand);
        if (shown.current) paintCurrent(ctx, map, frame, isLand);
        if (shown.wind) paintWind(ctx, map, frame, isLand);
        if (shown.waves) this.nameLimit(ctx, map);
    }

    /** Whether a position is on land, cached because all frames have the same grid. */
    isKnownLand(place) {
        const key = `${place.lat.toFixed(3)} ${place.lng.toFixed(3)}`;
        if (!this.land.has(key)) this.land.set(key, this.isLand(place));
        return this.land.get(key);
    }

    nameLimit(ctx, map) {
        const at = this.field.findLimitLabel(map);
        if (!at) return;
        ctx.font = `600 12px ${token("font")}`;
        ctx.textAlign = "center";
        ctx.textBaseline = "bottom";
        haloText(ctx, `${number(this.limitM, 1)} m limit`, at.x, at.y - 3, token("ink"), token("halo"));
    }

    showSource() {
        this.legend.hidden = !this.isOn;
        this.legend.querySelector("[data-weather=ramp]").hidden = !this.shown.waves;
        const { frame, fault } = this;
        this.legend.querySelector("[data-weather=time]").textContent = frame ? fullTime(frame.time) : "Loading the weather";
        this.legend.querySelector("[data-weather=source]").textContent = frame ? this.nameSource() : "";
        this.legend.querySelector("[data-weather=fault]").textContent = fault ?? "";
        this.chart.showLegend();
        this.onSwitch?.(this.isOn);
    }

    /** Describe the sources: each run with its layers, and layers from climatology or unknown. */
    nameSource() {
        const { frame, planned } = this;
        const from = Object.groupBy(
            Object.keys(PARTS).filter((part) => this.shown[part]),
            (part) => (isUnknown(frame, part) ? "" : (frame.sources[PARTS[part]]?.run ?? "")),
        );
        const words = Object.entries(from).map(([run, parts]) => {
            const what = parts.map((part) => NAMES[part] ?? part).join(", ");
            if (!run) {
                const [unknown, averaged] = [true, false].map((is) =>
                    parts.filter((part) => isUnknown(frame, part) === is).map((part) => NAMES[part] ?? part).join(", "),
                );
                return [averaged && `${averaged}: monthly average`, unknown && `${unknown}: not known`].filter(Boolean).join("; ");
            }
            const fades = parts.some((part) => frame.time > frame.sources[PARTS[part]].endsAt);
            const newer = !planned || planned.includes(run) ? "" : ", not the run used for planning";
            const { covers, issuedAt } = frame.sources[PARTS[parts[0]]];
            const part = covers === ALL_OCEANS ? "" : ` (${covers}; monthly average elsewhere)`;
            const age = issuedAt ? `, ${Math.max(0, Math.round((Date.now() - Date.parse(issuedAt)) / HOUR_MS))} h old` : "";
            return `${what}: ${runName(run)}${age}${part}${fades ? ", blended into the monthly average" : ""}${newer}`;
        });
        const text = words.join("; ");
        return text.charAt(0).toUpperCase() + text.slice(1);
    }
}
