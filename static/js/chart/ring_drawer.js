// Drawing of a no-go area: clicks add corners, Backspace removes the last, Enter closes, Esc stops.

const FEWEST = 3;

export class RingDrawer {
    constructor(map, prompt) {
        Object.assign(this, { map, prompt, ring: [], layer: L.layerGroup() });
        this.onClick = ({ latlng }) => this.add([latlng.lat, latlng.lng]);
        this.onMove = ({ latlng }) => this.show([latlng.lat, latlng.lng]);
        this.onKey = (event) => this.onPressed(event);
        prompt.querySelector("[data-remove]").addEventListener("click", () => this.removeLast());
        prompt.querySelector("[data-close]").addEventListener("click", (event) => this.press(event, () => this.close()));
        prompt.querySelector("[data-stop]").addEventListener("click", (event) => this.press(event, () => this.stop()));
    }

    /** Let the user draw an area; resolves to its corners, or null if drawing is stopped. */
    draw() {
        this.stop();
        this.ring = [];
        this.layer.addTo(this.map);
        this.map.doubleClickZoom.disable();
        this.map.on("click", this.onClick).on("mousemove", this.onMove);
        document.addEventListener("keydown", this.onKey, { capture: true });
        this.prompt.hidden = false;
        this.show();
        this.opener = document.activeElement;
        this.map.getContainer().focus();
        return new Promise((resolve) => (this.resolve = resolve));
    }

    onPressed(event) {
        const act = { Enter: () => this.close(), Backspace: () => this.removeLast(), Escape: () => this.stop() }[event.key];
        if (!act || event.target.closest("button, input, select, textarea")) return;
        event.preventDefault();
        event.stopPropagation();
        this.press(event, act);
    }

    /** Act; after a key that ends drawing the focus goes back to where it began. A click has a `detail`. */
    press({ detail }, act) {
        act();
        if (!this.resolve && !detail) this.opener.focus();
    }

    add(place) {
        this.ring.push(place);
        this.show();
    }

    removeLast() {
        this.ring.pop();
        this.show();
    }

    close() {
        if (this.ring.length >= FEWEST) this.finish(this.ring);
    }

    stop() {
        this.finish(null);
    }

    finish(ring) {
        if (!this.resolve) return;
        this.layer.clearLayers().remove();
        this.map.doubleClickZoom.enable();
        this.map.off("click", this.onClick).off("mousemove", this.onMove);
        document.removeEventListener("keydown", this.onKey, { capture: true });
        this.prompt.hidden = true;
        this.resolve(ring);
        this.resolve = null;
    }

    show(cursor) {
        this.layer.clearLayers();
        const places = cursor ? [...this.ring, cursor] : this.ring;
        L.polygon(places, { className: "drawing", interactive: false }).addTo(this.layer);
        for (const place of this.ring) {
            const icon = L.divIcon({ className: "corner", iconSize: [10, 10] });
            L.marker(place, { icon, interactive: false, keyboard: false }).addTo(this.layer);
        }
        const count = this.ring.length;
        this.prompt.querySelector("b").textContent = `${count} ${count === 1 ? "corner" : "corners"}`;
        this.prompt.querySelector("[data-remove]").disabled = count === 0;
        this.prompt.querySelector("[data-close]").disabled = count < FEWEST;
    }
}
