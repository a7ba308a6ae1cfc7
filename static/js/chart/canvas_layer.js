// A canvas that covers the view and is repainted when the view changes.

export const CanvasLayer = L.Layer.extend({
    options: { pane: "overlayPane" },

    initialize(paint, options) {
        L.setOptions(this, options);
        this._paint = paint;
    },

    onAdd(map) {
        this._canvas = L.DomUtil.create("canvas", "chart__canvas", this.getPane());
        this._canvas.setAttribute("aria-hidden", "true");
        // Before a page is printed there is no further frame.
        this._onPalette = () => this._draw();
        document.addEventListener("palettechange", this._onPalette);
        map.on("move moveend zoomend resize viewreset", this.redraw, this);
        this.redraw();
    },

    onRemove(map) {
        document.removeEventListener("palettechange", this._onPalette);
        map.off("move moveend zoomend resize viewreset", this.redraw, this);
        this._canvas.remove();
    },

    redraw() {
        this._frame ??= requestAnimationFrame(() => {
            this._frame = undefined;
            if (this._map) this._draw();
        });
        return this;
    },

    _draw() {
        const size = this._map.getSize();
        const ratio = window.devicePixelRatio || 1;
        L.DomUtil.setPosition(this._canvas, this._map.containerPointToLayerPoint([0, 0]));
        this._canvas.width = size.x * ratio;
        this._canvas.height = size.y * ratio;
        this._canvas.style.width = `${size.x}px`;
        this._canvas.style.height = `${size.y}px`;
        const ctx = this._canvas.getContext("2d");
        ctx.scale(ratio, ratio);
        this._paint(ctx, this._map, size);
    },
});
