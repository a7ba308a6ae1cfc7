// Scale bar in nautical miles, for the latitude of the chart's centre.

import { distanceNm } from "../geo.js";
import { number } from "../format.js";

const ROUND = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const WIDEST = 130;

export function showScaleBar(element, map) {
    const size = map.getSize();
    const ends = [size.x / 2 - 50, size.x / 2 + 50].map((x) => {
        const { lat, lng } = map.containerPointToLatLng([x, size.y / 2]);
        return [lat, lng];
    });
    const perPixel = distanceNm(...ends) / 100;
    const length = ROUND.findLast((nm) => nm / perPixel <= WIDEST) ?? ROUND[0];
    const width = Math.round(length / perPixel);
    const ticks = [0, 0.25, 0.5, 1]
        .map((share) => `M${1 + share * width} ${share % 1 ? 4 : 2}V9`)
        .join("");
    element.innerHTML = `<svg class="scale" width="${width + 2}" height="10" aria-hidden="true"><path fill="none" d="${ticks}M1 9H${width + 1}"/></svg><span></span>`;
    element.lastChild.textContent = `${number(length, length < 1 ? 1 : 0)} nm`;
}
