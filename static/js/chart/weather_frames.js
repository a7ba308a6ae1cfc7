// Weather in the view, fetched every three hours of forecast time and interpolated linearly between.
// Only one request runs at a time, for the sake of slow links; then the latest time is fetched.

import { request, willRetry } from "../request.js";

const HOUR = 3_600_000;
const HOURS_3 = 3 * HOUR;
/** Columns interpolated in time; directions by their unit vectors. */
const MIXED = ["waveCm", "windUKn", "windVKn", "currentUDkn", "currentVDkn", "waveToU", "waveToV", "pressureDhPa", "swellCm", "swellToU", "swellToV"];
const APART_PX = 16;
const STEPS = [0.1, 0.25, 0.5, 1, 2, 4, 5, 10];
const MARGIN = 0.15;
const NORTHERNMOST = 84;
/** Limits of a request; a wide screen shows parts of the world twice. */
const [WESTERNMOST, EASTERNMOST] = [-360, 540];
const KEPT = 80;
const SETTLE_MS = 150;
const RETRY_MS = 20_000;

/** One component of the unit vectors towards which waves run; null where unknown. */
const towards = (fromDeg, component) => fromDeg.map((from) => (from === null ? null : -component((from * Math.PI) / 180)));

/** Weather on a grid at one time. */
export class Frame {
    constructor(answer) {
        Object.assign(this, answer);
        this.columns = this.lngs.length;
        this.step = this.lngs[1] - this.lngs[0];
        this.waveToU ??= towards(this.waveFromDeg, Math.sin);
        this.waveToV ??= towards(this.waveFromDeg, Math.cos);
        this.swellToU ??= towards(this.swellFromDeg, Math.sin);
        this.swellToV ??= towards(this.swellFromDeg, Math.cos);
    }

    /** The weather interpolated towards the next frame of the same view. */
    mixedWith(next, share, time) {
        const mixed = { ...this, time: new Date(time).toISOString().replace(".000", "") };
        for (const name of MIXED) {
            const [from, to] = [this[name], next[name]];
            if (from.length === to.length) {
                mixed[name] = from.map((value, i) => (value === null || to[i] === null ? null : value + (to[i] - value) * share));
            }
        }
        return new Frame(mixed);
    }

    /**
     * Value of a column at a position by bilinear interpolation between the known ones of the four points around;
     * NaN if their weight is less than half.
     */
    read(name, lat, lng) {
        const values = this[name];
        const y = Math.max(0, Math.min(this.lats.length - 1.001, (this.lats[0] - lat) / this.step));
        const x = Math.max(0, Math.min(this.columns - 1.001, (lng - this.lngs[0]) / this.step));
        const [row, column] = [Math.floor(y), Math.floor(x)];
        const [down, right] = [y - row, x - column];
        const at = row * this.columns + column;
        const below = at + this.columns;
        const corners = [[at, (1 - right) * (1 - down)], [at + 1, right * (1 - down)], [below, (1 - right) * down], [below + 1, right * down]];
        const known = corners.filter(([i]) => values[i] !== null && values[i] !== undefined);
        const weight = known.reduce((sum, [, share]) => sum + share, 0);
        return weight < 0.5 ? NaN : known.reduce((sum, [i, share]) => sum + values[i] * share, 0) / weight;
    }

    /** Whether a column is unknown everywhere in the view. */
    lacks(name) {
        return this[name].every((value) => value === null);
    }

    holds(lat, lng) {
        return lat <= this.lats[0] && lat >= this.lats.at(-1) && lng >= this.lngs[0] && lng <= this.lngs.at(-1);
    }
}

function stepFor(map) {
    const pixelsPerDegree = (256 * 2 ** map.getZoom()) / 360;
    return STEPS.find((step) => step * pixelsPerDegree >= APART_PX) ?? STEPS.at(-1);
}

/** Area to request: the view with a margin, rounded to the grid. */
function partOf(map) {
    const bounds = map.getBounds();
    const step = stepFor(map);
    const [low, high] = [bounds.getSouth(), bounds.getNorth()];
    const [left, right] = [bounds.getWest(), bounds.getEast()];
    const [tall, wide] = [Math.max((high - low) * MARGIN, 2 * step), Math.max((right - left) * MARGIN, 2 * step)];
    const whole = (value, round) => Number((round(value / step) * step).toFixed(4));
    return {
        south: Math.max(-NORTHERNMOST, whole(low - tall, Math.floor)),
        north: Math.min(NORTHERNMOST, whole(high + tall, Math.ceil)),
        west: Math.max(WESTERNMOST, whole(left - wide, Math.floor)),
        east: Math.min(EASTERNMOST, whole(right + wide, Math.ceil)),
        step,
    };
}

function covers(part, map) {
    const bounds = map.getBounds();
    return (
        part !== undefined &&
        part.step === stepFor(map) &&
        part.west <= Math.max(bounds.getWest(), WESTERNMOST) &&
        part.east >= Math.min(bounds.getEast(), EASTERNMOST) &&
        part.south <= Math.max(bounds.getSouth(), -NORTHERNMOST) &&
        part.north >= Math.min(bounds.getNorth(), NORTHERNMOST)
    );
}

export class WeatherFrames {
    /** `onChange(frame, fault)` gets the frame to show, or undefined and an error message. */
    constructor(map, address, onChange) {
        Object.assign(this, { map, address, onChange, frames: new Map(), isOn: false });
        let settling;
        map.on("moveend", () => {
            clearTimeout(settling);
            settling = setTimeout(() => this.show(), SETTLE_MS);
        });
    }

    switch(isOn) {
        this.isOn = isOn;
        this.show();
    }

    /** Show the weather of the nearest whole hour [s]. */
    showTime(seconds) {
        const time = Math.round((seconds * 1000) / HOUR) * HOUR;
        if (time === this.time) return;
        this.time = time;
        this.show();
    }

    show() {
        if (!this.isOn || this.time === undefined) return;
        if (!covers(this.part, this.map)) this.part = partOf(this.map);
        const key = this.key(this.time);
        if (this.frames.has(key)) {
            this.onChange(this.frames.get(key));
            return;
        }
        const before = Math.floor(this.time / HOURS_3) * HOURS_3;
        const share = (this.time - before) / HOURS_3;
        const [from, to] = [before, before + HOURS_3].map((time) => this.frames.get(this.key(time)));
        if (from && to) {
            const mixed = from.mixedWith(to, share, this.time);
            this.keep(key, mixed);
            this.onChange(mixed);
        } else this.fetch(from ? before + HOURS_3 : before);
    }

    key(time) {
        return `${new URLSearchParams(this.part)}&time=${new Date(time).toISOString()}`;
    }

    async fetch(time) {
        if (this.isFetching) return;
        this.isFetching = true;
        clearTimeout(this.retrying);
        const key = this.key(time);
        try {
            const frame = new Frame(await request(`${this.address}?${key}`));
            this.keep(key, frame);
            // Shown even if another time is selected now, so that a slow link shows some weather.
            this.onChange(frame);
            this.isFetching = false;
            this.show();
        } catch (fault) {
            this.isFetching = false;
            this.onChange(undefined, fault.message);
            if (willRetry(fault, () => this.show())) this.retrying = setTimeout(() => this.show(), RETRY_MS);
        }
    }

    keep(key, frame) {
        if (this.frames.size >= KEPT) this.frames.delete(this.frames.keys().next().value);
        this.frames.set(key, frame);
    }
}
