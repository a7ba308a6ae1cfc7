// List of voyages: selection for comparing and archiving, and cancelling of planning.

import { cancelPlanning } from "./planning.js";

const form = document.getElementById("voyages");

function showChosen() {
    const count = form.querySelectorAll("[name=id]:checked").length;
    for (const button of form.querySelectorAll("[data-least]")) {
        const { least, most } = button.dataset;
        button.disabled = count < Number(least) || count > Number(most ?? Infinity);
    }
    if (count) document.getElementById("chosen-note").textContent = `${count} selected.`;
}

if (form) {
    form.addEventListener("change", showChosen);
    form.addEventListener("click", ({ target }) => {
        const button = target.closest("[data-cancel]");
        if (button) cancelPlanning(button, () => window.location.reload());
    });
    showChosen();
}

document.getElementById("voyage-filters").addEventListener("change", ({ target }) => {
    if (target.matches("select")) target.form.requestSubmit();
});
