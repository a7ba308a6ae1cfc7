// Tracks that are best for some ensemble members, and the point to decide between them.

import { lineNear } from "../geo.js";

const DECISION = `<svg viewBox="-9 -9 18 18" aria-hidden="true"><path d="M0-8 8 0 0 8-8 0Z"/></svg>`;

/** Draw the tracks, with a switch among the layers and an entry in the legend, if there are any. */
export function addEnsembleTracks(chart, { tracks, decision }, waypoints) {
    if (!tracks.length) return;
    const layer = L.layerGroup();
    const [[, start]] = chart.line;
    for (const { words, places } of tracks) {
        L.polyline(lineNear(places, start), { className: "line-ensemble" }).bindTooltip(words, { sticky: true }).addTo(layer);
    }
    if (decision) {
        const { lat, lng } = waypoints[decision.waypointIndex];
        const icon = L.divIcon({ className: "decision", html: DECISION, iconSize: [18, 18] });
        const [place] = lineNear([[lat, lng]], start);
        L.marker(place, { icon, alt: decision.words, keyboard: true }).bindTooltip(decision.words).addTo(layer);
    }
    chart.bindLayer("ensemble-tracks", layer);
}
