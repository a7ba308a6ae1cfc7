// Form of a vessel's particulars, checked while they are typed.

import { element } from "./dom.js";
import { NO_NUMBER, clearFault, clearFaults, focusFault, readNumber, showFault, showNote, showRefusal, whileBusy } from "./forms.js";
import { loadAgain, pageData } from "./page_data.js";
import { RequestFailed, request } from "./request.js";
import { parseTime } from "./times.js";
import { askBeforeLeaving } from "./unsaved.js";

const REST_MS = 350;

const { address, method, check } = pageData();
let { version } = pageData();
const form = document.getElementById("vessel");
const figures = document.getElementById("figures");
const note = document.getElementById("checked-note");
const WAITING = note.textContent;

const valuesOf = (filled) => Object.fromEntries([...filled.querySelectorAll("[name]")].map(({ name, value }) => [name, value]));
let opened = valuesOf(form);

/** Convert a day to ISO 8601; other text is sent as typed, and the server reports it. */
function readDay(text) {
    const named = /\d{4}/.test(text) ? parseTime(text) : null;
    return named?.toISOString().slice(0, 10) ?? text;
}

/** List the names of the number fields whose text is no number. */
function listUnread() {
    const numbers = [...form.querySelectorAll("[inputmode=decimal]")];
    return numbers.filter((input) => Number.isNaN(readNumber(input))).map(({ name }) => name);
}

/** Read the fields that are neither empty nor unreadable, by name. */
function read() {
    const body = {};
    const unread = listUnread();
    for (const input of form.querySelectorAll("input, select, textarea")) {
        if (!input.value.trim() || unread.includes(input.name)) continue;
        const isNumber = input.inputMode === "decimal" || input.name === "type";
        body[input.name] = isNumber ? readNumber(input) : input.value.trim();
        if (input.name === "dateConstructed") body[input.name] = readDay(input.value);
    }
    return body;
}

const isEmpty = (name) => !form.elements[name]?.value.trim();

let checking;

/** Check the form and show errors; empty fields are not reported before saving. Only the last check is shown. */
async function validate() {
    checking?.abort();
    checking = new AbortController();
    const { signal } = checking;
    const found = await request(check, { method: "POST", isPreview: true, body: read(), signal });
    const unread = listUnread();
    const hints = found.hints.map(({ pointer, detail }) => [pointer.split("/")[1], detail]).filter(([name]) => !unread.includes(name));
    hints.push(...unread.map((name) => [name, NO_NUMBER]));
    const wrong = new Set(hints.map(([name]) => name));
    for (const field of form.querySelectorAll(".field--wrong")) {
        if (!wrong.has(field.dataset.field)) clearFault(field);
    }
    for (const [name, detail] of hints) {
        if (!isEmpty(name)) showFault(form, name, detail);
    }
    note.hidden = Boolean(found.figures);
    note.textContent = hints.some(([name]) => !isEmpty(name)) ? "Some values are implausible: see the fields." : WAITING;
    const rows = (found.figures ?? []).map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value)));
    figures.replaceChildren(...rows);
}

/** Take another user's changes into the form, and report them; own entries stay. */
async function takeChanges() {
    const page = await loadAgain();
    if (!page) return;
    const theirs = valuesOf(page.getElementById("vessel"));
    for (const name of Object.keys(theirs).filter((each) => theirs[each] !== opened[each])) {
        const input = form.elements[name];
        const isOwn = input.value !== opened[name];
        showFault(form, name, isOwn ? `Another user entered “${theirs[name]}”.` : "Changed by another user.");
        if (!isOwn) input.value = theirs[name];
    }
    opened = theirs;
    ({ version } = pageData(page));
}

async function save() {
    clearFaults(form);
    const fault = document.getElementById("vessel-fault");
    showNote(fault, "");
    const unread = listUnread();
    if (unread.length) {
        for (const name of unread) showFault(form, name, NO_NUMBER);
        focusFault(form);
        return;
    }
    try {
        const headers = version ? { "If-Match": `"${version}"` } : {};
        const saved = await whileBusy(form.querySelector(".button--primary"), () => request(address, { method, body: read(), headers }));
        opened = valuesOf(form);
        window.location.assign(saved.address);
    } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        if (error.status === 412) await takeChanges();
        showRefusal(form, fault, error);
    }
}

let timer;
form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => validate().catch(() => {}), REST_MS);
});
form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    checking?.abort();
    save();
});
askBeforeLeaving(() => JSON.stringify(valuesOf(form)) !== JSON.stringify(opened));
validate().catch(() => {});
