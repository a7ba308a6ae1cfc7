// Port field: an editable combobox with suggestions (WAI-ARIA Authoring Practices).

import { parsePosition } from "./coordinates.js";
import { element } from "./dom.js";
import { position } from "./format.js";
import { request } from "./request.js";

const WAIT_MS = 150;
const SHORTEST = 2;

/** A name with the typed part marked. */
function marked(text, typed) {
    const at = text.toLowerCase().indexOf(typed.toLowerCase());
    if (at < 0) return element("span", "", text);
    const end = at + typed.length;
    return element("span", "", text.slice(0, at), element("mark", "", text.slice(at, end)), text.slice(end));
}

/** UN/LOCODE with its space: "NL RTM". */
function spacedLocode(locode) {
    return locode ? `${locode.slice(0, 2)} ${locode.slice(2).trim()}` : "";
}

export class PortField {
    constructor(field, { address, onChoose, onPick, stopPicking }) {
        this.field = field;
        this.input = field.querySelector("[role=combobox]");
        this.list = field.querySelector("[role=listbox]");
        this.unit = field.querySelector(".field__unit");
        this.note = field.querySelector(".field__label small");
        Object.assign(this, { address, onChoose, onPick, stopPicking, options: [], at: -1 });
        this.input.addEventListener("input", () => this.onTyped());
        this.input.addEventListener("keydown", (event) => this.onKey(event));
        this.input.addEventListener("blur", () => {
            this.close();
            this.resolve();
        });
        // At mousedown, because blur closes the list before a click.
        this.list.addEventListener("mousedown", (event) => {
            event.preventDefault();
            const option = event.target.closest("[role=option]");
            if (option) this.choose(this.options[Number(option.dataset.at)]);
        });
    }

    onTyped() {
        if (this.isPicking) this.stopPicking();
        this.clear();
        this.onChoose(null);
        clearTimeout(this.timer);
        this.abort?.abort();
        const typed = this.input.value.trim();
        if (typed.length < SHORTEST || parsePosition(typed)) this.close();
        else this.timer = setTimeout(() => this.search(typed), WAIT_MS);
    }

    async search(typed) {
        const found = await this.fetch(typed);
        if (found) this.show(found, typed);
    }

    /** Open the list again, which Escape or a choice has closed. */
    reopen() {
        const typed = this.input.value.trim();
        if (typed.length >= SHORTEST && !parsePosition(typed)) this.search(typed);
    }

    /** Fetch the ports that match the input, else similar ones: {items, isSimilar}; undefined if the request fails or is replaced. */
    async fetch(typed) {
        this.abort?.abort();
        this.abort = new AbortController();
        const query = new URLSearchParams({ search: typed });
        try {
            return await request(`${this.address}?${query}`, { signal: this.abort.signal });
        } catch (error) {
            if (error.name !== "AbortError") this.unit.textContent = "search failed";
            return undefined;
        }
    }

    /** Accept a typed position or the only matching port; with `offer`, list several matches. */
    async resolve({ offer = false } = {}) {
        const typed = this.input.value.trim();
        if (this.chosen || this.isPicking || typed.length < SHORTEST) return;
        const place = parsePosition(typed);
        if (place) {
            this.take({ name: position(place.lat, place.lng), ...place });
            return;
        }
        clearTimeout(this.timer);
        const found = await this.fetch(typed);
        if (!found || this.input.value.trim() !== typed) return;
        const { items, isSimilar } = found;
        if (items.length === 1 && !isSimilar) this.choose(items[0]);
        else if (offer) this.show(found, typed);
    }

    /** List ports, the best one chosen by Enter or Tab; a similar one is chosen only on purpose. */
    show({ items: ports, isSimilar }, typed) {
        this.options = [...ports, { pick: true }];
        this.unit.textContent = `${ports.length} ${isSimilar ? "similar " : ""}${ports.length === 1 ? "port" : "ports"}`;
        this.list.replaceChildren(...this.options.map((port, i) => this.option(port, i, typed)));
        this.list.hidden = false;
        this.input.setAttribute("aria-expanded", "true");
        this.moveTo(ports.length && !isSimilar ? 0 : -1);
        // The only port is chosen already: the first arrow down stays on it.
        this.isOffered = ports.length === 1 && !isSimilar;
    }

    option(port, i, typed) {
        const item = element("li");
        item.setAttribute("role", "option");
        item.id = `${this.list.id}-${i}`;
        item.dataset.at = i;
        if (port.pick) {
            item.className = "suggestions__action";
            item.textContent = "Pick a position on the chart";
            return item;
        }
        const place = position(port.lat, port.lng, 1);
        const name = marked(port.name, typed);
        if (port.otherName) name.append(" (", marked(port.otherName, typed), ")");
        item.append(
            name,
            element("small", "", spacedLocode(port.locode)),
            element("small", "", [port.country, place].filter(Boolean).join(", ")),
        );
        return item;
    }

    onKey(event) {
        if (event.key === "Escape" && !this.list.hidden) {
            event.stopPropagation();
            this.close();
        }
        if (this.list.hidden) {
            if (event.key === "ArrowDown") this.reopen();
            if (event.key !== "Enter" || this.chosen || !this.input.value.trim()) return;
            // The list is loading or closed: choose a port before the form is submitted.
            event.preventDefault();
            this.resolve({ offer: true });
            return;
        }
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            event.preventDefault();
            if (!this.isOffered || step < 0) this.moveTo((this.at + step + this.options.length) % this.options.length);
            this.isOffered = false;
        }
        if (event.key === "Enter" && this.at >= 0) {
            event.preventDefault();
            this.choose(this.options[this.at]);
        }
        if (event.key === "Tab" && this.at >= 0 && !this.options[this.at].pick) {
            this.choose(this.options[this.at]);
        }
    }

    moveTo(at) {
        this.at = at;
        [...this.list.children].forEach((item, i) => {
            item.setAttribute("aria-selected", String(i === at));
            if (i === at) item.scrollIntoView({ block: "nearest" });
        });
        if (at >= 0) this.input.setAttribute("aria-activedescendant", `${this.list.id}-${at}`);
        else this.input.removeAttribute("aria-activedescendant");
    }

    async choose(option) {
        this.close();
        if (!option.pick) {
            this.take(option);
            return;
        }
        this.isPicking = true;
        await this.onPick();
        this.isPicking = false;
    }

    /**
     * Set the chosen port: {name, lat, lng, locode, country}. The unit distinguishes it from others of its name.
     * `shown` replaces the name in the field, with a `note` above it.
     */
    take(port) {
        if (this.isPicking) this.stopPicking();
        this.input.value = port.shown ?? port.name;
        this.note.textContent = port.note ?? "";
        this.unit.textContent = spacedLocode(port.locode) || port.country || "";
        this.chosen = port;
        this.onChoose(port);
    }

    /** Clear the chosen port. */
    clear() {
        this.chosen = null;
        this.unit.textContent = "";
        this.note.textContent = "";
    }

    /** Close the list; one that has not arrived yet is not opened. */
    close() {
        clearTimeout(this.timer);
        this.abort?.abort();
        this.list.hidden = true;
        this.input.setAttribute("aria-expanded", "false");
        this.input.removeAttribute("aria-activedescendant");
        if (/ports?$/.test(this.unit.textContent)) this.unit.textContent = "";
    }
}
