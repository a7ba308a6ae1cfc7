// Error messages at form fields, numbers and times as typed, and busy buttons.

import { NO_TIME, parseTime } from "./times.js";

/** Message for a number that is none. */
export const NO_NUMBER = "Enter a number.";

export function showFault(form, name, words) {
    const field = form.querySelector(`[data-field="${name}"]`);
    if (!field) return false;
    field.classList.add("field--wrong");
    field.querySelector(".field__error").textContent = words;
    for (const input of field.querySelectorAll("input, select, textarea")) {
        input.setAttribute("aria-invalid", "true");
    }
    return true;
}

/**
 * Show a refused request: its errors at their fields, which `names` maps from those of the request;
 * the others, or the message if there are none, in a note.
 */
export function showRefusal(form, note, { message, faults = [] }, names = {}) {
    const elsewhere = faults.filter(({ pointer, detail }) => {
        const name = pointer.split("/")[1];
        return !showFault(form, names[name] ?? name, detail);
    });
    const words = elsewhere.map(({ detail }) => detail).join(" ");
    showNote(note, faults.length ? words : message);
    focusFault(form);
}

/** Focus the first field with an error. */
export function focusFault(form) {
    const first = form?.querySelector(".field--wrong :is(input, select, textarea)");
    const details = first?.closest("details");
    if (details) details.open = true;
    first?.focus();
}

/** Show a message in a note that is hidden while it has none. */
export function showNote(note, words) {
    note.textContent = words;
    note.hidden = !words;
}

export function clearFault(field) {
    field.classList.remove("field--wrong");
    const words = field.querySelector(".field__error");
    if (words) words.textContent = "";
    for (const input of field.querySelectorAll("[aria-invalid]")) {
        input.removeAttribute("aria-invalid");
    }
}

export function clearFaults(form) {
    form.querySelectorAll(".field--wrong").forEach(clearFault);
}

document.addEventListener("input", ({ target }) => {
    const field = target.closest(".field--wrong");
    if (field) clearFault(field);
});

const THOUSANDS = /^\d{1,3}(,\d{3})+$/;

/**
 * Read the number typed into a field, with a decimal comma or point; null if it is empty, NaN if it
 * is no number. In a field of whole numbers, commas before three digits separate thousands.
 */
export function readNumber({ value, dataset }) {
    const typed = value.replace(/\s/g, "");
    if (typed === "") return null;
    const isGrouped = "whole" in dataset && THOUSANDS.test(typed);
    return Number(isGrouped ? typed.replaceAll(",", "") : typed.replace(",", "."));
}

/** Read the numbers of some fields, with errors shown at those without one; only the `required` may not be empty. */
export function readNumbers(form, names, required = []) {
    const numbers = {};
    for (const name of names) {
        const value = readNumber(form[name]);
        if (Number.isNaN(value) || (value === null && required.includes(name))) showFault(form, name, NO_NUMBER);
        else if (value !== null) numbers[name] = value;
    }
    return numbers;
}

/** Read the times of some fields as {@link readNumbers} reads numbers. */
export function readTimes(form, names, required = []) {
    const times = {};
    for (const name of names) {
        const time = parseTime(form[name].value);
        if (time) times[name] = time.toISOString();
        else if (form[name].value || required.includes(name)) showFault(form, name, NO_TIME);
    }
    return times;
}

function ignore(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
}

/** Ignore clicks on a button during work; it is not disabled, which would lose the focus. */
export async function whileBusy(button, work) {
    button.setAttribute("aria-busy", "true");
    button.setAttribute("aria-disabled", "true");
    button.addEventListener("click", ignore, { capture: true });
    try {
        return await work();
    } finally {
        button.removeAttribute("aria-busy");
        button.removeAttribute("aria-disabled");
        button.removeEventListener("click", ignore, { capture: true });
    }
}
