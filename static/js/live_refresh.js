// Parts of a page that are refreshed at events of the organization.

import { loadAgain } from "./page_data.js";

/** Events that change the pages of voyages under way. */
const KINDS = ["voyage.started", "voyage.finished", "voyage.abandoned", "charting.advice", "charting.completed"];
/** New positions send no event, so the page is refreshed at intervals too. */
const REFRESH_MS = 60_000;

const inPart = (part, selector) => [...part.querySelectorAll(selector)];

const isBeingFilledIn = (part) =>
    part.querySelector("details[open] form, form:focus-within") !== null ||
    inPart(part, ":not(details) > form input").some(({ value, defaultValue }) => value !== defaultValue);

/** Replace the content of a part; scroll position, open details and focus are kept. */
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
 * Refresh the content of every element with `data-live` from the current page, by its id, but not
 * while the user fills in a form in one of them. `onRefresh` gets the new document.
 */
export function refreshLiveParts(onRefresh = () => {}) {
    const refresh = async () => {
        const fresh = await loadAgain();
        if (!fresh) return;
        const parts = [...document.querySelectorAll("[data-live]")];
        if (parts.some(isBeingFilledIn)) return;
        for (const part of parts) replaceContent(part, fresh.getElementById(part.id)?.childNodes ?? []);
        onRefresh(fresh);
    };
    const stream = new EventSource(document.querySelector("[data-events]").dataset.events);
    for (const kind of KINDS) stream.addEventListener(kind, refresh);
    setInterval(() => document.hidden || refresh(), REFRESH_MS);
}
