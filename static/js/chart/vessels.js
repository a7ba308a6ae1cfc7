// Vessels at their last reported positions, with one-hour speed vectors.

import { element, shape } from "../dom.js";
import { shortTime } from "../format.js";
import { destination } from "../geo.js";
import { thinLabels } from "./labels.js";

const STALE_MS = 26 * 3600 * 1000;
const SHIP = "M0 -9L5 7L-5 7Z";

function shipIcon({ headingDeg, at }) {
    const stale = Date.now() - new Date(at) > STALE_MS;
    const hulls = ["vessel__halo", "vessel__hull"].map((name) =>
        shape("path", { class: name, d: SHIP, transform: `rotate(${headingDeg})` }),
    );
    return shape("svg", { viewBox: "-12 -12 24 24", class: stale ? "vessel vessel--stale" : "vessel" }, ...hulls);
}

function mark(vessel) {
    const link = element("a", "vessel-mark", shipIcon(vessel), element("span", "chart-label", vessel.name ?? "Vessel"));
    link.href = vessel.address;
    link.setAttribute("aria-label", `${vessel.name ?? "Vessel"}, ${vessel.speedKn} kn, reported ${shortTime(vessel.at)} UTC`);
    link.title = `${vessel.speedKn} kn, ${shortTime(vessel.at)} UTC`;
    const icon = L.divIcon({ className: "", html: link, iconSize: [0, 0] });
    return L.marker([vessel.lat, vessel.lng], { icon, keyboard: false });
}

/** Hide names that overlap others; a vessel under the pointer or with focus always shows its name. */
function thinNames(map, links) {
    const names = links.map((link) => link.querySelector(".chart-label"));
    thinLabels(map, names, (name, isHidden) => name.parentElement.classList.toggle("vessel-mark--bare", isHidden));
}

/** Add a layer with the vessels at `positions`. */
export function showVessels(map, positions) {
    const links = [];
    const layer = L.layerGroup().addTo(map);
    for (const vessel of positions) {
        const place = [vessel.lat, vessel.lng];
        if (vessel.speedKn >= 1) {
            const ahead = destination(place, vessel.headingDeg, vessel.speedKn);
            L.polyline([place, ahead], { className: "vessel-vector", interactive: false }).addTo(layer);
        }
        const marker = mark(vessel).addTo(layer);
        links.push(marker.getElement().querySelector("a"));
    }
    const thin = () => thinNames(map, links);
    thin();
    layer.on("add", thin);
    map.on("moveend zoomend", thin);
    return layer;
}
