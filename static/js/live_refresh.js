// Parts of a page that are refreshed at events of the organization.

import { element } from "./dom.js";
import { clock } from "./format.js";
import { loadAgain } from "./page_data.js";
import { untilSignedIn } from "./session.js";

/** Events that change the pages of voyages under way. */
const KINDS = ["voyage.started", "voyage.finished", "voyage.abandoned", "charting.advice", "charting.completed"];
/** New positions send no event, so the page is refreshed at intervals too. */
const REFRESH_MS = 60_000;

const pause = () => new Promise((resolve) => setTimeout(resolve, REFRESH_MS));

const inPart = (part, selector) => [...part.querySelectorAll(selector)];

const isInUse = (form) =>
    form.matches("details[open] > form, :focus-within, :has(.field--wrong)") ||
    inPart(form, "input").some(({ value, defaultValue }) => value !== defaultValue);

/** Replace the content of a part; forms in use, scroll position, open details and focus are kept. */
function replaceContent(part, fresh) {
    const { scrollTop } = part;
    const { activeElement } = document;
    const foldedOut = new Set(inPart(part, "details[open] > summary").map(({ textContent }) => textContent));
    const focusAt = inPart(part, "a, button, summary").indexOf(activeElement);
    for (const form of inPart(part, "form").filter(isInUse)) {
        fresh.querySelector(`form[action="${form.getAttribute("action")}"]`)?.replaceWith(form);
    }
    part.replaceChildren(...fresh.childNodes);
    for (const summary of inPart(part, "summary")) summary.parentElement.open = foldedOut.has(summary.textContent);
    const focused = part.contains(activeElement) ? activeElement : inPart(part, "a, button, summary")[focusAt];
    focused?.focus({ preventScroll: true });
    part.scrollTop = scrollTop;
}

/**
 * Refresh the content of every element with `data-live` from the current page, by its id.
 * Return the new document; null if the page cannot be loaded.
 */
export async function refreshOnce() {
    const fresh = await loadAgain();
    if (!fresh) return null;
    for (const part of document.querySelectorAll("[data-live]")) {
        replaceContent(part, fresh.getElementById(part.id) ?? fresh.createElement("div"));
    }
    return fresh;
}

/** A note of the time of what is shown, for as long as it cannot be refreshed. */
class StaleNote {
    constructor() {
        this.seenAt = new Date();
        this.note = element("p", "note note--caution session-note");
        this.note.setAttribute("role", "status");
        document.body.append(this.note);
    }

    show(isFresh) {
        if (isFresh) this.seenAt = new Date();
        this.note.textContent = isFresh ? "" : `No connection. Data from ${clock(this.seenAt)} UTC; trying again.`;
    }
}

/** Refresh the live parts at events and at intervals; `onRefresh` gets the new document. */
export function refreshLiveParts(onRefresh = () => {}) {
    const stale = new StaleNote();
    const refresh = async () => {
        const fresh = await refreshOnce();
        stale.show(fresh !== null);
        if (fresh) onRefresh(fresh);
    };
    listen(refresh);
    refreshAtIntervals(refresh);
}

/** Refresh at events. The browser asks for more by itself, but not once the server has refused. */
function listen(refresh) {
    const stream = new EventSource(document.querySelector("[data-events]").dataset.events);
    for (const kind of KINDS) stream.addEventListener(kind, refresh);
    stream.addEventListener("error", async () => {
        if (stream.readyState !== EventSource.CLOSED) return;
        await pause();
        await untilSignedIn();
        listen(refresh);
    });
}

async function refreshAtIntervals(refresh) {
    for (;;) {
        await pause();
        if (!document.hidden) await refresh();
    }
}
