// The planning form as it was left, kept in the tab until it is planned or reset.

/** Of one user, and of one address: a copy of a request has its own. */
const KEY = `planning ${document.getElementById("session-template").dataset.user} ${window.location.search}`;

/** Whether the user has come back to the page or reloaded it. */
const isReturn = () => performance.getEntriesByType("navigation")[0]?.type !== "navigate";

export class OrderDraft {
    /** `collect` returns what is entered. */
    constructor(collect) {
        this.read = () => JSON.stringify(collect());
        window.addEventListener("pagehide", () => this.keep());
    }

    /** Treat the form as it is now as not changed by the user. */
    settle() {
        this.settled = this.read();
    }

    keep() {
        const entered = this.read();
        if (entered === this.settled) sessionStorage.removeItem(KEY);
        else sessionStorage.setItem(KEY, entered);
    }

    /** Find the draft; that of a copied request is not used when the request is copied again. */
    find({ isCopy }) {
        const kept = isCopy && !isReturn() ? null : sessionStorage.getItem(KEY);
        return kept && JSON.parse(kept);
    }
}
