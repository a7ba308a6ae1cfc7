// Chart: the map from folium with base map, border, labels, readings and tools.

import { position } from "../format.js";
import { watchDepth } from "./depth.js";
import { paintAreaNames } from "./areas.js";
import { Basemap } from "./basemap.js";
import { CanvasLayer } from "./canvas_layer.js";
import { paintBorder, paintGraticuleLabels } from "./graticule.js";
import { Measure } from "./measure.js";
import { paintSeaNames } from "./sea_names.js";
import { showScaleBar } from "./scale_bar.js";

// Canvas text does not load fonts, so the italic font of the sea names is loaded here.
const ITALIC = new URL("../../vendor/ibm-plex-sans/ibm-plex-sans-latin-400-italic.woff2", import.meta.url);
const SEA_FONT = new FontFace("Sea names", `url(${ITALIC})`, { style: "italic" });
document.fonts.add(SEA_FONT);

/** Possible corners of the legend, the preferred first; the tools are at the bottom right. */
const CORNERS = ["bottom-left", "top-left", "top-right"];
const AROUND_PX = 12;
const NARROW_PX = 560;
/** Room around the content [px]; on the right it keeps clear of the tools. */
const FIT_PADDING = { paddingTopLeft: [40, 40], paddingBottomRight: [84, 40] };
/** Width of most names at the right of their place [px]. */
const NAME_PX = 80;

/** Whether two boxes on the screen overlap, or nearly. */
function overlap(a, b) {
    return b.right > a.left - AROUND_PX && b.left < a.right + AROUND_PX
        && b.bottom > a.top - AROUND_PX && b.top < a.bottom + AROUND_PX;
}

function addPane(map, name, zIndex) {
    const pane = map.createPane(name);
    pane.style.zIndex = zIndex;
    pane.style.pointerEvents = "none";
}

function watchCursor(map, strip) {
    const reading = strip?.querySelector("[data-reading=cursor]");
    if (!reading) return;
    map.on("mousemove", ({ latlng }) => {
        reading.textContent = position(Math.max(-90, Math.min(90, latlng.lat)), latlng.lng);
    });
}

function addTools(chart, element) {
    const { map, measure } = chart;
    const acts = {
        "zoom-in": () => map.zoomIn(1),
        "zoom-out": () => map.zoomOut(1),
        fit: () => chart.fit(),
        measure: () => measure.toggle(),
        layers: () => chart.toggleLayers(),
    };
    element.addEventListener("click", (event) => {
        const act = acts[event.target.closest("[data-tool]")?.dataset.tool];
        if (act) act();
    });
    element.querySelector(".layers")?.addEventListener("keydown", ({ key }) => {
        if (key !== "Escape") return;
        chart.toggleLayers();
        element.querySelector("[data-tool=layers]").focus();
    });
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.target.closest("input, select, textarea, dialog")) return;
        const act = { f: acts.fit, m: acts.measure, l: acts.layers }[event.key.toLowerCase()];
        if (act) act();
    });
}

export class Chart {
    constructor(element) {
        this.element = element;
        this.map = window[element.querySelector(".folium-map").id];
        this.map.setMinZoom(2).setMaxZoom(16);
        this.home = { centre: this.map.getCenter(), zoom: this.map.getZoom() };
        this.strip = element.parentElement.querySelector(".strip");
        this.measure = new Measure(this.map, (on) => {
            element.querySelector("[data-tool=measure]")?.setAttribute("aria-pressed", String(on));
        });
        this.addLayers();
        this.foldLegend();
        addTools(this, element);
        watchCursor(this.map, this.strip);
        watchDepth(this.map, this.strip, element.dataset.depth);
    }

    addLayers() {
        const { map } = this;
        addPane(map, "weather", 210);
        addPane(map, "unproven", 215);
        addPane(map, "land", 220);
        addPane(map, "names", 250);
        addPane(map, "marks", 450);
        const url = this.element.dataset.tiles;
        new Basemap({ url, part: "sea" }).addTo(map);
        this.basemap = new Basemap({ url, part: "land", pane: "land" }).addTo(map);
        const areaNames = (ctx) => paintAreaNames(ctx, map, this.basemap.options.areas);
        const seas = (ctx, _map, size) => paintSeaNames(ctx, map, size, this.legendBox());
        const labels = (ctx, _map, size) => paintGraticuleLabels(ctx, map, size, this.legendBox());
        const words = [seas, labels, areaNames].map((paint) =>
            new CanvasLayer(paint, { pane: "names" }).addTo(map),
        );
        this.words = words;
        this.graticuleWords = words[1];
        Promise.all([SEA_FONT.load(), document.fonts.ready]).then(() => {
            this.redrawWords();
        });
        const border = this.element.querySelector(".chart__border");
        const scale = this.strip?.querySelector(".strip__scale");
        const follow = () => {
            paintBorder(border, map);
            if (scale) showScaleBar(scale, map);
        };
        map.on("move zoomend resize", follow);
        document.addEventListener("palettechange", follow);
        new ResizeObserver(() => map.invalidateSize({ pan: false })).observe(this.element);
        follow();
        map.getContainer().setAttribute("aria-label", this.element.dataset.label);
        map.getContainer().setAttribute("role", "application");
    }

    /** Box of the legend in the chart [px]; null if there is none to be seen. */
    legendBox() {
        const box = this.element.querySelector(".legend")?.getBoundingClientRect();
        if (!box?.width) return null;
        const { left, top } = this.map.getContainer().getBoundingClientRect();
        return new DOMRect(box.x - left, box.y - top, box.width, box.height);
    }

    /** Close the legend by default on a narrow chart. */
    foldLegend() {
        const legend = this.element.querySelector(".legend");
        if (!legend) return;
        legend.open = this.element.clientWidth >= NARROW_PX;
        // It is opened, shown and filled at different times, and seen once it has a place.
        legend.style.visibility = "hidden";
        new ResizeObserver(() => {
            this.placeLegend();
            legend.style.visibility = "";
            this.redrawWords();
        }).observe(legend);
    }

    /** Write the names and degrees on the chart anew, clear of the legend. */
    redrawWords() {
        for (const layer of this.words) layer.redraw();
    }

    /** Show areas: [{name, kind, avoided, rings of [lat, lng]}]. */
    showAreas(areas) {
        this.basemap.setAreas(areas);
        this.redrawWords();
        this.showLegend();
    }

    /** Show or hide the graticule and its labels. */
    showGraticule(on) {
        this.basemap.setGraticule(on);
        if (on) this.graticuleWords.addTo(this.map);
        else this.graticuleWords.remove();
    }

    /** Update the legend to what is on the chart. */
    showLegend() {
        const legend = this.element.querySelector(".legend");
        if (!legend) return;
        const { areas } = this.basemap.options;
        legend.querySelector("[data-legend=avoided]").hidden = !areas.some(({ avoided }) => avoided);
        legend.querySelector("[data-legend=off]").hidden = !areas.some(({ isOff }) => isOff);
        legend.querySelector("[data-legend=caution]").hidden = !areas.some(({ avoided, isOff }) => !avoided && !isOff);
        legend.hidden = [...legend.querySelectorAll("[data-legend]")].every(({ hidden }) => hidden);
    }

    /**
     * Place the legend clear of the tools, where it covers the least of the route, above all not its ends and marks;
     * it stays where it is if no corner is better.
     */
    placeLegend() {
        const legend = this.element.querySelector(".legend");
        if (!legend || legend.hidden || !this.line) return;
        const { left, top } = this.map.getContainer().getBoundingClientRect();
        const points = this.line.map((place) => this.map.latLngToContainerPoint(place))
            .map(({ x, y }) => new DOMRect(x + left, y + top, 0, 0));
        const marks = [...this.element.querySelectorAll(".critical-mark, .chart-label--end, .chart-label--port span")]
            .map((mark) => mark.getBoundingClientRect());
        const tools = this.element.querySelector(".tools").getBoundingClientRect();
        const important = [points[0], points.at(-1), ...marks];
        const covered = (corner) => {
            legend.dataset.corner = corner;
            const box = legend.getBoundingClientRect();
            if (overlap(box, tools)) return Infinity;
            const isUnder = (other) => overlap(box, other);
            return important.filter(isUnder).length * points.length + points.filter(isUnder).length;
        };
        const { corner: present } = legend.dataset;
        const counts = CORNERS.map(covered);
        const best = CORNERS.filter((_, n) => counts[n] === Math.min(...counts));
        legend.dataset.corner = best.includes(present) ? present : best[0];
        this.redrawWords();
    }

    /** Show a layer, and its entry in the legend, while its switch is on. */
    bindLayer(name, layer) {
        const box = this.element.querySelector(`[name=layer-${name}]`);
        const entry = this.element.querySelector(`[data-legend=${name}]`);
        const follow = () => {
            if (box.checked) layer.addTo(this.map);
            else layer.remove();
            entry.hidden = !box.checked;
            this.showLegend();
        };
        box.addEventListener("change", follow);
        follow();
    }

    toggleLayers() {
        const button = this.element.querySelector("[data-tool=layers]");
        const list = this.element.querySelector(".layers");
        if (!button || !list) return;
        list.hidden = !list.hidden;
        button.setAttribute("aria-expanded", String(!list.hidden));
        if (!list.hidden) list.querySelector("input")?.focus();
    }

    /** Pan as little as brings a place and its name into view, clear of tools and legend. */
    panInside(place) {
        const { paddingTopLeft, paddingBottomRight: [right, bottom] } = FIT_PADDING;
        this.map.panInside(place, { paddingTopLeft, paddingBottomRight: [right + NAME_PX, bottom], animate: false });
        this.placeLegend();
    }

    /** Fit the chart to bounds, usually of the page's content; restore its initial view if there are none. */
    fit(bounds = this.bounds) {
        if (bounds?.isValid()) {
            this.map.fitBounds(bounds, { ...FIT_PADDING, maxZoom: 11, animate: false });
            this.placeLegend();
        } else this.map.setView(this.home.centre, this.home.zoom);
    }
}
