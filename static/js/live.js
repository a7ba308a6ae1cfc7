// Parts of a page that follow what happens: fetched anew at events of the organization.

/** Events that may change a page of voyages under way. */
const KINDS = ["voyage.started", "voyage.finished", "voyage.abandoned", "charting.advice", "charting.completed"];
/** Positions come without events. */
const REFRESH_MS = 60_000;

const isBeingFilledIn = (part) => part.querySelector("details[open] form, form:focus-within") !== null;

const inPart = (part, selector) => [...part.querySelectorAll(selector)];

/** The reader's place in the part stays: scrolled, what is folded out, and focus. */
function replaceContent(part, nodes) {
    const { scrollTop } = part;
    const foldedOut = new Set(inPart(part, "details[open] > summary").map(({ textContent }) => textContent));
    const focusAt = inPart(part, "a, button, summary").indexOf(document.activeElement);
    part.replaceChildren(...nodes);
    for (const summary of inPart(part, "summary")) summary.parentElement.open = foldedOut.has(summary.textContent);
    inPart(part, "a, button, summary")[focusAt]?.focus({ preventScroll: true });
    part.scrollTop = scrollTop;
}

/**
 * Replace every element marked `data-live` by its like, of the same id, on the page as it is now;
 * none of them while the user fills in a form of one. `onRefresh` is given the new document.
 */
export function keepLive(onRefresh = () => {}) {
    const refresh = async () => {
        const answer = await fetch(window.location.href).catch(() => null);
        if (!answer?.ok || answer.redirected) return;
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        const parts = [...document.querySelectorAll("[data-live]")];
        if (parts.some(isBeingFilledIn)) return;
        for (const part of parts) replaceContent(part, fresh.getElementById(part.id)?.childNodes ?? []);
        onRefresh(fresh);
    };
    const stream = new EventSource(document.querySelector("[data-events]").dataset.events);
    for (const kind of KINDS) stream.addEventListener(kind, refresh);
    setInterval(() => document.hidden || refresh(), REFRESH_MS);
}
