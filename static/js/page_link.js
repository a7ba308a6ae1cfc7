// What is looked at, kept in the page's address: a link or a reload opens on the same.

const SETTLE_MS = 250;

const held = new URLSearchParams(window.location.hash.slice(1));
let settling;

/** What the address says of a thing; null when nothing. */
export function readLink(name) {
    return held.get(name);
}

/** Browsers refuse an address that changes with every step of a voyage that is played. */
export function keepInLink(name, value) {
    held.set(name, value);
    clearTimeout(settling);
    settling = setTimeout(() => {
        const words = new URLSearchParams([...held].filter(([, text]) => text !== ""));
        window.history.replaceState(null, "", `#${words}`);
    }, SETTLE_MS);
}
