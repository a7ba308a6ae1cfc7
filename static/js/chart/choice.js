// Tracks that are best in other weather than the plan's, and where to decide on one of them.

const DECISION = `<svg viewBox="-9 -9 18 18" aria-hidden="true"><path d="M0-8 8 0 0 8-8 0Z"/></svg>`;

/** Draw them with a switch among the layers and a line in the legend; nothing where there are none. */
export function offerChoice(chart, { tracks, decision }, waypoints) {
    const box = chart.element.querySelector("[name=layer-choice]");
    if (!box) return;
    const layer = L.layerGroup();
    for (const { words, places } of tracks) {
        L.polyline(placeBy(chart.line[0], places), { className: "line-choice" }).bindTooltip(words, { sticky: true }).addTo(layer);
    }
    if (decision) {
        const { lat, lng } = waypoints[decision.waypointIndex];
        const icon = L.divIcon({ className: "decision", html: DECISION, iconSize: [18, 18] });
        const [place] = placeBy(chart.line[0], [[lat, lng]]);
        L.marker(place, { icon, alt: decision.words, keyboard: true }).bindTooltip(decision.words).addTo(layer);
    }
    const entry = chart.element.querySelector("[data-legend=choice]");
    const follow = () => {
        if (box.checked) layer.addTo(chart.map);
        else layer.remove();
        entry.hidden = !box.checked;
        chart.showLegend();
    };
    box.addEventListener("change", follow);
    follow();
}

/** Places on the copy of the world that the route's line lies on. */
function placeBy([, start], places) {
    const shift = 360 * Math.round((start - places[0][1]) / 360);
    return places.map(([lat, lng]) => [lat, lng + shift]);
}
