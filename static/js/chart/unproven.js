// Layer of unproven water: hatched where the depth is not known to be enough for the ship.

import { number } from "../format.js";
import { token } from "../palette.js";
import { request } from "../request.js";
import { makeHatch } from "./areas.js";

const UnprovenWater = L.GridLayer.extend({
    options: { pane: "unproven", minZoom: 5, maxZoom: 16, updateWhenZooming: false },

    onAdd(map) {
        this._repaint = () => {
            for (const { el } of Object.values(this._tiles)) if (el.unproven) this._hatch(el);
        };
        document.addEventListener("palettechange", this._repaint);
        L.GridLayer.prototype.onAdd.call(this, map);
    },

    onRemove(map) {
        document.removeEventListener("palettechange", this._repaint);
        L.GridLayer.prototype.onRemove.call(this, map);
    },

    createTile(coords, done) {
        const canvas = document.createElement("canvas");
        const { x: width, y: height } = this.getTileSize();
        Object.assign(canvas, { width, height });
        const count = 2 ** coords.z;
        const column = ((coords.x % count) + count) % count;
        const address = this.options.address.replace("{z}", coords.z).replace("{x}", column).replace("{y}", coords.y);
        if (coords.y < 0 || coords.y >= count) queueMicrotask(() => done(null, canvas));
        else {
            request(address).then(
                (tile) => {
                    canvas.unproven = tile;
                    this._hatch(canvas);
                    done(null, canvas);
                },
                (error) => done(error, canvas),
            );
        }
        return canvas;
    },

    _hatch(canvas) {
        const { side, runs } = canvas.unproven;
        const sample = canvas.width / side;
        const ctx = canvas.getContext("2d");
        ctx.clearRect(0, 0, canvas.width, canvas.height);
        ctx.beginPath();
        for (const [row, first, count] of runs) ctx.rect(first * sample, row * sample, count * sample, sample);
        ctx.fillStyle = makeHatch(token("danger"));
        ctx.fill();
    },
});

/** Bind the layer's switch, and show its entry in the legend while it is on. */
export function addUnprovenWater(chart, { address, deeperThanM, minZoom, maxZoom }) {
    const layer = new UnprovenWater({ address, minZoom, maxNativeZoom: maxZoom });
    const words = chart.element.querySelector("[data-legend=unproven] span");
    words.textContent = `unproven for ships that need over ${number(deeperThanM)} m`;
    chart.bindLayer("unproven", layer);
}
