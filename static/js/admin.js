// Admin pages: roles to change, and data to export or erase.

import "./confirm.js";
import "./copy.js";

for (const choice of document.querySelectorAll(".role select")) {
    const change = choice.form.querySelector("button");
    const show = () => {
        change.hidden = choice.selectedOptions[0].defaultSelected;
    };
    choice.addEventListener("change", show);
    show();
}

/** Ask for a subject where none is given, and name it in the question before it is erased. */
function followSubject(form) {
    const { subject, charting } = form.elements;
    const erase = form.querySelector("[data-confirm]");
    const { confirm } = erase.dataset;
    const name = () => {
        const typed = charting.value.trim();
        const chosen = subject.selectedOptions[0].dataset;
        subject.required = !typed;
        erase.dataset.confirmTitle = typed ? `Erase voyage ${typed} and everything that belongs to it?` : (chosen.erase ?? "");
        erase.dataset.confirm = (!typed && chosen.words) || confirm;
    };
    form.addEventListener("input", name);
    name();
}

const choice = document.getElementById("subject-choice");
if (choice) followSubject(choice);
