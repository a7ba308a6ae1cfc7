// Note on the planning form: the shorter route that the avoided zones close.

import { number } from "./format.js";
import { RequestFailed, request } from "./request.js";

const REST_MS = 250;
const WAIT_MS = 500;

const upper = (text) => text[0].toUpperCase() + text.slice(1);

function words({ label, distance_nm: nm, open_label: open, open_distance_nm: openNm, closed_by: by }) {
    const route = `The route then goes ${label}, ${number(nm)} nm instead of ${number(openNm)} nm.`;
    const avoiding = by.length ? `avoiding ${by.join(" or ")}` : "avoiding these areas together";
    return `${upper(avoiding)} closes the route ${open}. ${route}`;
}

export class ClosedRoute {
    constructor(note, address) {
        Object.assign(this, { note, address });
    }

    hide() {
        clearTimeout(this.timer);
        this.abort?.abort();
        this.note.hidden = true;
    }

    say(text) {
        this.note.textContent = text;
        this.note.hidden = false;
    }

    ask(order) {
        clearTimeout(this.timer);
        this.abort?.abort();
        this.abort = new AbortController();
        const { signal } = this.abort;
        this.timer = setTimeout(() => this.show(new URLSearchParams(order), signal), REST_MS);
        const wait = setTimeout(() => this.say("Checking whether the avoided areas close a shorter route …"), REST_MS + WAIT_MS);
        signal.addEventListener("abort", () => clearTimeout(wait));
        this.wait = wait;
    }

    async show(query, signal) {
        try {
            const { closed } = await request(`${this.address}?${query}`, { signal });
            clearTimeout(this.wait);
            if (closed) this.say(words(closed));
            else this.note.hidden = true;
        } catch (error) {
            if (error.name === "AbortError") return;
            if (!(error instanceof RequestFailed)) throw error;
            // The note is optional; the route request is checked by the server.
            this.hide();
        }
    }
}
