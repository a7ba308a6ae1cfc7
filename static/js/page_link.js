// State of a page in the fragment of its address, so that a link or a reload restores it.

const SETTLE_MS = 250;

const held = new URLSearchParams(window.location.hash.slice(1));
let settling;

/** Read a value from the address; null if there is none. */
export function readLink(name) {
    return held.get(name);
}

/** Write a value to the address, after a delay: browsers limit how often an address may change. */
export function keepInLink(name, value) {
    held.set(name, value);
    clearTimeout(settling);
    settling = setTimeout(() => {
        const words = new URLSearchParams([...held].filter(([, text]) => text !== ""));
        window.history.replaceState(null, "", `#${words}`);
    }, SETTLE_MS);
}
