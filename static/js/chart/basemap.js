// Base map of coast and depths, painted from vector tiles of the sea atlas.

import { token } from "../palette.js";
import { makeHatch, paintAreas } from "./areas.js";
import { graticuleStep } from "./graticule.js";

const EXTENT = 4096;
const TILE_MAX_ZOOM = 12;
const KEPT = 400;
const tiles = new Map();
const probe = document.createElement("canvas").getContext("2d");

function readRings(rings) {
    const path = new Path2D();
    for (const ring of rings) {
        let [x, y] = ring;
        path.moveTo(x, y);
        for (let i = 2; i < ring.length; i += 2) {
            x += ring[i];
            y += ring[i + 1];
            path.lineTo(x, y);
        }
        path.closePath();
    }
    return path;
}

function loadTile(url, z, x, y) {
    const key = `${z}/${x}/${y}`;
    if (!tiles.has(key)) {
        if (tiles.size > KEPT) tiles.delete(tiles.keys().next().value);
        const address = url.replace("{z}", z).replace("{x}", x).replace("{y}", y);
        const tile = fetch(address)
            .then((answer) => {
                if (!answer.ok) {
                    answer.body?.cancel(); // an unread body would keep its connection busy
                    throw new Error(`chart tile ${key}: ${answer.status}`);
                }
                return answer.json();
            })
            .then(({ land, depth }) => ({ land: readRings(land), depth: depth.map(readRings) }));
        // A tile that failed to load is requested again next time.
        tile.catch(() => tiles.delete(key));
        tiles.set(key, tile);
    }
    return tiles.get(key);
}

function readColours() {
    return {
        sea: token("sea"),
        depths: [token("depth-3"), token("depth-2"), token("depth-1")],
        graticule: token("grat"),
        land: token("land"),
        coast: token("coast"),
        zone: token("zone"),
        hatch: makeHatch(token("zone")),
    };
}

/** Request all tiles of a layer again; Leaflet's own redraw asks for tiles of fractional zooms. */
function redrawTiles(layer) {
    layer._removeAllTiles();
    layer._resetView();
}

export const Basemap = L.GridLayer.extend({
    /** `part`: "sea" paints water and depths, "land" paints land, coast, graticule and areas. */
    options: { url: "", part: "land", areas: [], graticule: true, minZoom: 0, maxZoom: 16, keepBuffer: 2, updateWhenZooming: false },

    onAdd(map) {
        this._colours = readColours();
        this._repaint = () => {
            this._colours = readColours();
            this._paintAll();
        };
        document.addEventListener("palettechange", this._repaint);
        // Tiles that were refused after the session had ended are requested again.
        this._reload = () => redrawTiles(this);
        document.addEventListener("signedin", this._reload);
        map.on("zoomend", this._paintRescaled, this);
        L.GridLayer.prototype.onAdd.call(this, map);
    },

    onRemove(map) {
        document.removeEventListener("palettechange", this._repaint);
        document.removeEventListener("signedin", this._reload);
        map.off("zoomend", this._paintRescaled, this);
        L.GridLayer.prototype.onRemove.call(this, map);
    },

    createTile(coords, done) {
        const canvas = document.createElement("canvas");
        const z = Math.min(coords.z, TILE_MAX_ZOOM);
        const shrink = 2 ** (coords.z - z);
        const count = 2 ** z;
        const [column, row] = [Math.floor(coords.x / shrink), Math.floor(coords.y / shrink)];
        if (row < 0 || row >= count) {
            queueMicrotask(() => done(null, canvas));
            return canvas;
        }
        const wrapped = ((column % count) + count) % count;
        loadTile(this.options.url, z, wrapped, row).then(
            (tile) => {
                canvas.chartTile = { ...tile, coords, shrink, column, row };
                this._paint(canvas);
                done(null, canvas);
            },
            (error) => done(error, canvas),
        );
        return canvas;
    },

    setAreas(areas) {
        this.options.areas = areas;
        this._paintAll();
    },

    setGraticule(on) {
        this.options.graticule = on;
        this._paintAll();
    },

    _paintAll() {
        for (const { el } of Object.values(this._tiles ?? {})) if (el.chartTile) this._paint(el);
    },

    // At half zoom levels Leaflet scales tiles; they are repainted at that scale to stay sharp.
    _paintRescaled() {
        const stretch = this._stretch();
        for (const { el } of Object.values(this._tiles ?? {})) {
            if (el.chartTile && el.chartTile.stretch !== stretch) this._paint(el);
        }
    },

    _stretch() {
        return this._map.getZoomScale(this._map.getZoom(), this._tileZoom);
    },

    _paint(canvas) {
        const { coords, land, depth } = canvas.chartTile;
        const stretch = this._stretch();
        // Tiles that are scaled down are painted at twice the resolution to stay sharp.
        const finer = stretch < 1 ? 2 : 1;
        const ratio = Math.min(3, (window.devicePixelRatio || 1) * stretch * finer);
        // One pixel of overlap hides the seam between tiles.
        const side = this.getTileSize().x + 1;
        canvas.chartTile.stretch = stretch;
        canvas.width = canvas.height = Math.ceil(side * ratio);
        canvas.style.width = canvas.style.height = `${side}px`;
        const ctx = canvas.getContext("2d");
        const { unit, left, top } = this._measure(canvas.chartTile);
        const toTile = () => ctx.setTransform(ratio * unit, 0, 0, ratio * unit, left * ratio, top * ratio);
        if (this.options.part === "sea") {
            this._paintSea(ctx, canvas, depth, toTile);
            return;
        }
        this._paintLines(ctx, coords, ratio, stretch);
        toTile();
        ctx.fillStyle = this._colours.land;
        ctx.fill(land, "evenodd");
        ctx.strokeStyle = this._colours.coast;
        ctx.lineWidth = 0.7 / (unit * stretch);
        ctx.lineJoin = "round";
        ctx.stroke(land);
    },

    _paintSea(ctx, canvas, depth, toTile) {
        ctx.fillStyle = this._colours.sea;
        ctx.fillRect(0, 0, canvas.width, canvas.height);
        toTile();
        depth.forEach((band, i) => {
            ctx.fillStyle = this._colours.depths[i];
            ctx.fill(band, "evenodd");
        });
    },

    /** Pixels per unit of the loaded tile, and the position of its corner in the painted tile. */
    _measure({ coords, shrink, column, row }) {
        const side = this.getTileSize().x;
        return {
            unit: (side * shrink) / EXTENT,
            left: (column * shrink - coords.x) * side,
            top: (row * shrink - coords.y) * side,
        };
    },

    /** Whether a position is on land; false while its tile is not loaded. */
    isLand(place) {
        const side = this.getTileSize().x;
        const pixel = this._map.project(place, this._tileZoom);
        const coords = L.point(Math.floor(pixel.x / side), Math.floor(pixel.y / side));
        coords.z = this._tileZoom;
        const tile = this._tiles[this._tileCoordsToKey(coords)]?.el.chartTile;
        if (!tile) return false;
        const { unit, left, top } = this._measure(tile);
        const [x, y] = [(pixel.x - coords.x * side - left) / unit, (pixel.y - coords.y * side - top) / unit];
        return probe.isPointInPath(tile.land, x, y, "evenodd");
    },

    /** Paint graticule and areas on the sea; land is painted over them. */
    _paintLines(ctx, coords, ratio, stretch) {
        const bounds = this._tileCoordsToBounds(coords);
        const origin = coords.scaleBy(this.getTileSize());
        const place = (lat, lng) => this._map.project([lat, lng], coords.z).subtract(origin);
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        if (this.options.graticule) this._paintGraticule(ctx, bounds, place, stretch);
        paintAreas(ctx, this.options.areas, bounds, place, { ...this._colours, stretch });
    },

    _paintGraticule(ctx, bounds, place, stretch) {
        const step = graticuleStep(this._map);
        ctx.strokeStyle = this._colours.graticule;
        ctx.globalAlpha = 0.7;
        ctx.lineWidth = 0.75 / stretch;
        ctx.beginPath();
        for (let i = Math.floor(bounds.getWest() / step); i * step <= bounds.getEast(); i += 1) {
            const { x } = place(0, i * step);
            ctx.moveTo(x, -1);
            ctx.lineTo(x, 300);
        }
        for (let i = Math.floor(bounds.getSouth() / step); i * step <= bounds.getNorth(); i += 1) {
            const { y } = place(i * step, 0);
            ctx.moveTo(-1, y);
            ctx.lineTo(300, y);
        }
        ctx.stroke();
        ctx.globalAlpha = 1;
    },
});
