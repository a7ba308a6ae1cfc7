// Time bar of the chart's weather: the current hour until the user chooses another.

import { fullTime } from "./format.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export class TimeBar {
    constructor(bar, weather) {
        Object.assign(this, { bar, weather, slider: bar.querySelector("input"), time: bar.querySelector("output") });
        bar.hidden = !weather.isOn;
        weather.onSwitch = (isOn) => {
            bar.hidden = !isOn;
        };
        this.slider.addEventListener("input", () => this.show());
        bar.querySelector("[data-now]").addEventListener("click", () => {
            this.slider.value = 0;
            this.show();
        });
        this.show();
        // The slider is relative to the current hour, which advances.
        setInterval(() => this.show(), MINUTE_MS);
    }

    show() {
        const hour = (Math.round(Date.now() / HOUR_MS) + Number(this.slider.value)) * HOUR_MS;
        const words = fullTime(hour);
        this.time.textContent = words;
        this.slider.setAttribute("aria-valuetext", words);
        this.weather.showTime(hour / 1000);
    }
}
