// Forms and buttons with `data-confirm` ask for confirmation before they send what cannot be undone.

import { ask } from "./dialog.js";
import { element } from "./dom.js";

/** Show the confirmation; resolves to true if the user confirms. The safe choice has the focus. */
async function isConfirmed({ confirm, confirmTitle, confirmAction }) {
    const dialog = element("dialog", "dialog");
    dialog.setAttribute("aria-labelledby", "confirm-title");
    const heading = element("h2", "", confirmTitle);
    heading.id = "confirm-title";
    const buttons = element("form", "dialog__acts");
    buttons.method = "dialog";
    const keep = element("button", "button", "Cancel");
    keep.autofocus = true;
    const proceed = element("button", "button button--danger", confirmAction);
    proceed.value = "yes";
    buttons.append(keep, proceed);
    dialog.append(heading, element("p", "", confirm), buttons);
    document.body.append(dialog);
    const choice = await ask(dialog);
    dialog.remove();
    return choice === "yes";
}

document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    const asking = [submitter, form].find((part) => part?.dataset.confirm);
    if (!asking) return;
    // A flag, because the second submit may first wait until the user has signed in again.
    if ("isConfirmed" in form.dataset) {
        delete form.dataset.isConfirmed;
        event.isConfirmed = true; // or base.html would hold the form back until this script has run
        return;
    }
    event.preventDefault();
    if (!(await isConfirmed(asking.dataset))) return;
    form.dataset.isConfirmed = "";
    form.requestSubmit(submitter);
});
