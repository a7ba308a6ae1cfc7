// Tracks that are best for some ensemble members, and the point to decide between them.

const DECISION = `<svg viewBox="-9 -9 18 18" aria-hidden="true"><path d="M0-8 8 0 0 8-8 0Z"/></svg>`;

/** Draw the tracks, with a switch among the layers and an entry in the legend, if there are any. */
export function addEnsembleTracks(chart, { tracks, decision }, waypoints) {
    const box = chart.element.querySelector("[name=layer-ensemble-tracks]");
    if (!box) return;
    const layer = L.layerGroup();
    for (const { words, places } of tracks) {
        L.polyline(placeBy(chart.line[0], places), { className: "line-ensemble" }).bindTooltip(words, { sticky: true }).addTo(layer);
    }
    if (decision) {
        const { lat, lng } = waypoints[decision.waypointIndex];
        const icon = L.divIcon({ className: "decision", html: DECISION, iconSize: [18, 18] });
        const [place] = placeBy(chart.line[0], [[lat, lng]]);
        L.marker(place, { icon, alt: decision.words, keyboard: true }).bindTooltip(decision.words).addTo(layer);
    }
    const entry = chart.element.querySelector("[data-legend=ensemble-tracks]");
    const follow = () => {
        if (box.checked) layer.addTo(chart.map);
        else layer.remove();
        entry.hidden = !box.checked;
        chart.showLegend();
    };
    box.addEventListener("change", follow);
    follow();
}

/** Shift positions by a multiple of 360° to the route's line. */
function placeBy([, start], places) {
    const shift = 360 * Math.round((start - places[0][1]) / 360);
    return places.map(([lat, lng]) => [lat, lng + shift]);
}
