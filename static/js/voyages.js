// List of voyages: selection for comparing and archiving, and cancelling of planning.

import { cancelPlanning } from "./planning.js";

const form = document.getElementById("voyages");
const note = document.getElementById("chosen-note");
const prompt = note?.textContent;

function showChosen() {
    const count = form.querySelectorAll("[name=id]:checked").length;
    for (const button of form.querySelectorAll("[data-least]")) {
        const { least, most } = button.dataset;
        button.disabled = count < Number(least) || count > Number(most ?? Infinity);
    }
    note.textContent = count ? `${count} selected.` : prompt;
}

if (form) {
    form.addEventListener("change", showChosen);
    form.addEventListener("click", ({ target }) => {
        const button = target.closest("[data-cancel]");
        if (button) cancelPlanning(button, () => window.location.reload());
    });
    // When this script runs, the browser has not restored the ticks of a page gone back to.
    window.addEventListener("pageshow", showChosen);
    showChosen();
}

document.getElementById("voyage-filters").addEventListener("change", ({ target }) => {
    if (target.matches("select")) target.form.requestSubmit();
});
