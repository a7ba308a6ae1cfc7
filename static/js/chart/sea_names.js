// Names of seas in italics, each from its own zoom level.

import { lngNear } from "../geo.js";
import { token } from "../palette.js";
import { haloText } from "./graticule.js";
import { overlaps } from "./labels.js";

const LAST_ZOOM = 8;

/** Name, latitude, longitude, zoom from which the name is shown, and its size [px]. */
const SEAS = [
    ["North Atlantic Ocean", 33, -42, 2, 17],
    ["South Atlantic Ocean", -28, -15, 2, 17],
    ["North Pacific Ocean", 30, -165, 2, 17],
    ["South Pacific Ocean", -30, -130, 2, 17],
    ["Indian Ocean", -20, 78, 2, 17],
    ["Southern Ocean", -61, 40, 2, 15],
    ["Southern Ocean", -61, -120, 2, 15],
    ["Arctic Ocean", 79, -150, 2, 15],
    ["Labrador Sea", 57.5, -51.5, 4, 13],
    ["Baffin Bay", 73.5, -66, 3, 13],
    ["Hudson Bay", 60, -85.5, 3, 13],
    ["Davis Strait", 65.5, -57.5, 4, 12],
    ["Denmark Strait", 66.5, -27, 4, 12],
    ["Greenland Sea", 76, -6, 3, 13],
    ["Norwegian Sea", 68, 2, 3, 13],
    ["Barents Sea", 74, 38, 3, 13],
    ["Kara Sea", 75.5, 70, 3, 13],
    ["Laptev Sea", 76, 125, 3, 13],
    ["North Sea", 56.2, 3.2, 4, 13],
    ["Skagerrak", 57.9, 9.2, 6, 12],
    ["Kattegat", 56.7, 11.5, 6, 12],
    ["Baltic Sea", 56.2, 18.6, 5, 13],
    ["Gulf of Bothnia", 61.8, 19.6, 5, 12],
    ["Gulf of Finland", 59.85, 25.5, 6, 12],
    ["Irish Sea", 53.7, -5.1, 6, 12],
    ["Celtic Sea", 50.2, -8.3, 5, 12],
    ["English Channel", 50.0, -2.4, 6, 12],
    ["Dover Strait", 51.02, 1.48, 8, 12],
    ["German Bight", 54.2, 7.3, 7, 12],
    ["Bay of Biscay", 45.4, -5, 4, 13],
    ["Sargasso Sea", 28.5, -63, 4, 13],
    ["Gulf of Mexico", 25, -90, 3, 13],
    ["Caribbean Sea", 15, -75.5, 3, 13],
    ["Gulf of Maine", 43, -68.2, 6, 12],
    ["Gulf of St Lawrence", 48.1, -61.8, 5, 12],
    ["Grand Banks", 45.2, -51.5, 5, 12],
    ["Gulf of Guinea", 2, 3, 3, 13],
    ["Strait of Gibraltar", 35.95, -5.55, 7, 12],
    ["Alboran Sea", 36, -3.2, 6, 12],
    ["Balearic Sea", 40.6, 1.8, 6, 12],
    ["Mediterranean Sea", 34.4, 19.5, 3, 13],
    ["Tyrrhenian Sea", 40, 12.2, 5, 12],
    ["Ligurian Sea", 43.5, 8.9, 6, 12],
    ["Adriatic Sea", 43.1, 15.2, 5, 12],
    ["Ionian Sea", 37.8, 18.6, 5, 12],
    ["Aegean Sea", 38.9, 25, 5, 12],
    ["Sea of Marmara", 40.72, 28.1, 7, 12],
    ["Black Sea", 43.2, 34.5, 4, 13],
    ["Caspian Sea", 41.8, 50.6, 4, 13],
    ["Red Sea", 20.5, 38.3, 4, 13],
    ["Gulf of Suez", 28.7, 33.1, 7, 12],
    ["Gulf of Aden", 12.1, 47.5, 4, 13],
    ["Persian Gulf", 26.6, 51.6, 4, 13],
    ["Gulf of Oman", 24.6, 58.8, 5, 12],
    ["Arabian Sea", 15, 63.5, 3, 14],
    ["Laccadive Sea", 8, 75.3, 5, 12],
    ["Bay of Bengal", 14, 88, 3, 14],
    ["Andaman Sea", 10.5, 95.7, 4, 13],
    ["Malacca Strait", 3.9, 99.8, 6, 12],
    ["Singapore Strait", 1.2, 104.1, 8, 12],
    ["Gulf of Thailand", 9.8, 101.7, 5, 12],
    ["South China Sea", 13, 114, 3, 14],
    ["Java Sea", -5, 111, 4, 13],
    ["Sulu Sea", 8.4, 120, 5, 12],
    ["Celebes Sea", 3.4, 122.2, 4, 13],
    ["Banda Sea", -5.6, 127, 4, 13],
    ["Timor Sea", -11.2, 127.5, 4, 13],
    ["Arafura Sea", -9.3, 134.8, 4, 13],
    ["Philippine Sea", 19, 132.5, 3, 14],
    ["East China Sea", 28.5, 125, 4, 13],
    ["Yellow Sea", 35.4, 123.4, 5, 13],
    ["Sea of Japan", 40, 134.5, 4, 13],
    ["Sea of Okhotsk", 54, 149.5, 3, 13],
    ["Bering Sea", 58, -177.5, 3, 14],
    ["Gulf of Alaska", 56.8, -145.5, 3, 13],
    ["Beaufort Sea", 72.3, -137, 3, 13],
    ["Chukchi Sea", 69.5, -171, 3, 12],
    ["Gulf of California", 26.5, -110.4, 5, 12],
    ["Gulf of Panama", 8.05, -79.2, 7, 12],
    ["Coral Sea", -17, 153, 3, 14],
    ["Tasman Sea", -39, 160.5, 3, 14],
    ["Great Australian Bight", -34.2, 130.5, 4, 13],
    ["Bass Strait", -39.9, 145.6, 6, 12],
    ["Mozambique Channel", -18.5, 41.2, 4, 13],
    ["Drake Passage", -58.7, -65, 3, 13],
    ["Scotia Sea", -57.2, -45, 4, 13],
    ["Weddell Sea", -72.5, -45, 3, 13],
    ["Ross Sea", -75.5, -172, 3, 13],
];

function sizeAt(zoom, fromZoom, size) {
    if (zoom < fromZoom + 1) return size - 3;
    return Math.min(size + 5, size + (zoom - fromZoom - 1) * 1.5);
}

/** Names of oceans are split into two lines at low zoom. */
function lines(name, zoom) {
    const at = name.lastIndexOf(" ");
    return zoom < 3 && at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [name];
}

/** Whether neither the border nor the legend, if there is one, cuts the box of a name [px]. */
export function isWhole(box, view, legend) {
    return box.left >= 34 && box.right <= view.x - 8 && !(legend && overlaps(box, legend));
}

/** Paint the names of seas in view. `legend` is the box of the legend in the chart [px]; null without a legend. */
export function paintSeaNames(ctx, map, view, legend) {
    const zoom = map.getZoom();
    if (zoom > LAST_ZOOM) return;
    const [ink, halo, font] = [token("sealabel"), token("halo"), token("font")];
    const centre = map.getCenter().lng;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const [name, lat, lng, fromZoom, size] of SEAS) {
        if (zoom < fromZoom) continue;
        // On the copy of the world that is in view.
        const { x, y } = map.latLngToContainerPoint([lat, lngNear(lng, centre)]);
        if (y < 12 || y > view.y - 28) continue;
        const pixels = sizeAt(zoom, fromZoom, size);
        ctx.font = `italic 400 ${pixels}px 'Sea names', ${font}`;
        ctx.letterSpacing = `${(pixels * 0.14).toFixed(1)}px`;
        const words = lines(name, zoom);
        const half = Math.max(...words.map((line) => ctx.measureText(line).width)) / 2;
        const below = (words.length - 0.5) * pixels * 1.3;
        if (!isWhole({ left: x - half, right: x + half, top: y - pixels / 2, bottom: y + below }, view, legend)) continue;
        words.forEach((line, i) => haloText(ctx, line, x, y + i * pixels * 1.3, ink, halo));
    }
    ctx.letterSpacing = "0px";
}
