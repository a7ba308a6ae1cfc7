// The unsaved constraint of a user, stored in the browser in case the page is closed.

const DRAFTS = "constraint-draft";

export class Drafts {
    constructor(owner) {
        this.key = `${DRAFTS}:${owner}`;
    }

    keep(draft) {
        localStorage.setItem(this.key, JSON.stringify({ ...draft, keptAt: new Date().toISOString() }));
    }

    clear() {
        localStorage.removeItem(this.key);
    }

    /** Return the draft, or null; those of other users are removed. */
    find() {
        for (const key of Object.keys(localStorage)) {
            if (key.startsWith(DRAFTS) && key !== this.key) localStorage.removeItem(key);
        }
        return JSON.parse(localStorage.getItem(this.key) ?? "null");
    }
}
