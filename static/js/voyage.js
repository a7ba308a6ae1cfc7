// The time cursor of the route page, with its slider, readings and keys. The page loads this module
// first, so that they work before the chart is loaded.

import { course, fullTime, number, position } from "./format.js";
import { TimeCursor } from "./time_cursor.js";
import { pageData } from "./page_data.js";
import { keepInLink, readLink } from "./page_link.js";

const PLAY_MS = 80;
const SAMPLES_PER_VOYAGE = 400;

export const data = pageData();
/** Null without a plan, and for plans of earlier releases, which have no profile. */
export const timeCursor = data.track.time.length ? new TimeCursor(data.track) : null;

/** Bind keys of the page; fields, buttons, tabs and the chart keep the keys that they use. */
export function bindKeys(acts) {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.target.closest("input:not([type=range]), select, textarea")) return;
        // A critical point that is chosen has nothing left to do.
        if (event.key === " " && event.target.closest("button:not([aria-current]), a, summary")) return;
        // The chart uses all arrow keys, tabs use them without Shift.
        const owner = event.shiftKey ? ".leaflet-container" : "[role=tab], .leaflet-container";
        if (event.key.startsWith("Arrow") && event.target.closest(owner)) return;
        const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!act) return;
        event.preventDefault();
        act(event);
    });
}

function showReadings() {
    const { track } = timeCursor;
    const fields = Object.fromEntries(
        [...document.querySelectorAll("[data-cursor]")].map((field) => [field.dataset.cursor, field]),
    );
    timeCursor.watch((at) => {
        fields.time.textContent = fullTime(track.time[at], track.time[0]);
        fields.position.textContent = position(track.lat[at], track.lng[at]);
        fields.course.textContent = course(track.courseDeg[at]);
        fields.done.textContent = `${number(track.cumulativeNm[at])}\u202fnm`;
    });
}

/** Bind the slider's keys; left and right are bound on the whole page. */
function bindSliderKeys(slider) {
    const acts = {
        ArrowUp: () => timeCursor.step(1),
        ArrowDown: () => timeCursor.step(-1),
        PageUp: () => timeCursor.step(6),
        PageDown: () => timeCursor.step(-6),
        Home: () => timeCursor.pin(0),
        End: () => timeCursor.pin(timeCursor.times.length - 1),
    };
    slider.addEventListener("keydown", (event) => {
        const act = acts[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
    });
}

function bindSlider() {
    const { track, times } = timeCursor;
    const slider = document.querySelector(".voyage-slider");
    // In minutes, on the same time axis as the profiles.
    const [start, end] = [Math.floor(times[0] / 60), Math.ceil(times.at(-1) / 60)];
    Object.assign(slider, { min: start, max: end, step: 1 });
    slider.addEventListener("input", () => timeCursor.pinTime(slider.value * 60_000));
    bindSliderKeys(slider);
    timeCursor.watch((at) => {
        slider.value = times[at] / 60;
        slider.style.setProperty("--done", `${((slider.value - start) / (end - start)) * 100}%`);
        const waves = track.waveHeightM[at];
        const sea = waves === null ? "" : `, waves ${number(waves, 1)} m`;
        slider.setAttribute("aria-valuetext", `${fullTime(track.time[at], track.time[0])}, ${position(track.lat[at], track.lng[at], 1)}${sea}`);
    });
}

function bindPlay() {
    const button = document.querySelector("[data-play]");
    const stride = Math.max(1, Math.round(timeCursor.times.length / SAMPLES_PER_VOYAGE));
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
        if (timeCursor.pinned === timeCursor.times.length - 1) timeCursor.pin(0);
        button.setAttribute("aria-pressed", "true");
        timer = setInterval(() => {
            timeCursor.pin(timeCursor.pinned + stride * (still ? 10 : 1));
            if (timeCursor.pinned === timeCursor.times.length - 1) stop();
        }, still ? PLAY_MS * 10 : PLAY_MS);
    };
    button.addEventListener("click", (event) => {
        event.preventDefault(); // handled: it is not repeated when the other scripts have loaded
        play();
    });
    return play;
}

/** Show the time in the address, of a voyage under way otherwise now, and update the address when a time is pinned. */
function followLink() {
    if (Number.isFinite(Date.parse(readLink("time")))) timeCursor.pinTime(readLink("time"));
    else if (data.ship) timeCursor.pinTime(Date.now());
    timeCursor.watchPins((at) => keepInLink("time", timeCursor.track.time[at]));
}

if (timeCursor) {
    showReadings();
    bindSlider();
    const step = (hours) => ({ shiftKey }) => timeCursor.step(hours * (shiftKey ? 6 : 1));
    bindKeys({ " ": bindPlay(), ArrowLeft: step(-1), ArrowRight: step(1) });
    followLink();
}
