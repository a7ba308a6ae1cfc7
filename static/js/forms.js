// Error messages at form fields, numbers as typed, and busy buttons.

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

/** Show errors of a request at their fields; returns those without a field in the form. */
export function showFaults(form, faults, names = {}) {
    return faults.filter(({ pointer, detail }) => {
        const name = pointer.split("/")[1];
        return !showFault(form, names[name] ?? name, detail);
    });
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
