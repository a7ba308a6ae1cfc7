// Depth at the cursor, requested once the cursor rests.

import { number } from "../format.js";
import { request } from "../request.js";

const REST_MS = 120;

function words({ depthM, isLand }) {
    if (isLand) return "land";
    return depthM === null ? "unknown" : `about ${number(depthM)} m`;
}

export function watchDepth(map, strip, address) {
    const reading = strip?.querySelector("[data-reading=depth]");
    if (!reading) return;
    let timer;
    let abort;
    const ask = async ({ lat, lng }) => {
        abort = new AbortController();
        const place = `${address}?lat=${lat.toFixed(4)}&lng=${lng.toFixed(4)}`;
        try {
            reading.textContent = words(await request(place, { signal: abort.signal }));
        } catch (error) {
            if (error.name !== "AbortError") reading.textContent = "unknown";
        }
    };
    map.on("mousemove", ({ latlng }) => {
        clearTimeout(timer);
        abort?.abort();
        const lat = Math.max(-90, Math.min(90, latlng.lat));
        timer = setTimeout(() => ask({ lat, lng: latlng.wrap().lng }), REST_MS);
    });
}
