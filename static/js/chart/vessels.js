// Vessels at their last reported positions, with one-hour speed vectors.

import { element, shape } from "../dom.js";
import { shortTime } from "../format.js";
import { destination, lngNear } from "../geo.js";
import { thinLabels } from "./labels.js";

const STALE_MS = 26 * 3600 * 1000;
const SHIP = "M0 -9L5 7L-5 7Z";
const SHIP_WITHOUT_HEADING = "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0Z";

function shipIcon({ headingDeg, at }) {
    const stale = Date.now() - new Date(at) > STALE_MS;
    const hull =
        headingDeg === null ? { d: SHIP_WITHOUT_HEADING } : { d: SHIP, transform: `rotate(${headingDeg})` };
    const hulls = ["vessel__halo", "vessel__hull"].map((name) => shape("path", { class: name, ...hull }));
    return shape("svg", { viewBox: "-12 -12 24 24", class: stale ? "vessel vessel--stale" : "vessel" }, ...hulls);
}

function nameLink(vessel) {
    const name = vessel.name ?? "Vessel";
    const speed = vessel.speedKn === null ? "" : `${vessel.speedKn} kn, `;
    const link = element("a", "vessel-mark", shipIcon(vessel), element("span", "chart-label", name));
    link.href = vessel.address;
    link.setAttribute("aria-label", `${name}, ${speed}reported ${shortTime(vessel.at)} UTC`);
    link.title = `${speed}${shortTime(vessel.at)} UTC`;
    return link;
}

/** Mark and speed vector of a vessel; `place` draws them on the copy of the world that is in view. */
class VesselMark {
    constructor(vessel) {
        this.vessel = vessel;
        this.link = nameLink(vessel);
        const icon = L.divIcon({ className: "", html: this.link, iconSize: [0, 0] });
        this.marker = L.marker([vessel.lat, vessel.lng], { icon, keyboard: false });
        this.vector = L.polyline([], { className: "vessel-vector", interactive: false });
    }

    place(centre) {
        const { lat, lng, headingDeg, speedKn } = this.vessel;
        const here = [lat, lngNear(lng, centre.lng)];
        this.marker.setLatLng(here);
        const hasVector = headingDeg !== null && speedKn >= 1;
        this.vector.setLatLngs(hasVector ? [here, destination(here, headingDeg, speedKn)] : []);
    }
}

/** Hide names that overlap others; a vessel under the pointer or with focus always shows its name. */
function thinNames(map, links) {
    const names = links.map((link) => link.querySelector(".chart-label"));
    thinLabels(map, names, (name, isHidden) => name.parentElement.classList.toggle("vessel-mark--bare", isHidden));
}

/** Add a layer with the vessels at `positions`; its method `show` replaces them by later ones. */
export function showVessels(map, positions) {
    const layer = L.layerGroup().addTo(map);
    let [marks, shown] = [[], null];
    const arrange = () => {
        for (const mark of marks) mark.place(map.getCenter());
        if (map.hasLayer(layer)) thinNames(map, marks.map(({ link }) => link));
    };
    layer.show = (vessels) => {
        const written = JSON.stringify(vessels);
        if (written === shown) return;
        shown = written;
        layer.clearLayers();
        marks = vessels.map((vessel) => new VesselMark(vessel));
        for (const { vector, marker } of marks) layer.addLayer(vector).addLayer(marker);
        arrange();
    };
    layer.show(positions);
    layer.on("add", arrange);
    map.on("moveend zoomend", arrange);
    return layer;
}
