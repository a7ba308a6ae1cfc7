// Forms and buttons marked `data-sure` ask before they send what can't be taken back.

import { ask } from "./ask.js";
import { element } from "./dom.js";

/** Whether the user is sure; focus rests on the safe choice. */
async function isSure({ sure, sureTitle, sureAct }) {
    const dialog = element("dialog", "dialog");
    dialog.setAttribute("aria-labelledby", "sure-title");
    const heading = element("h2", "", sureTitle);
    heading.id = "sure-title";
    const buttons = element("form", "dialog__acts");
    buttons.method = "dialog";
    const keep = element("button", "button", "Keep");
    keep.autofocus = true;
    const go = element("button", "button button--danger", sureAct);
    go.value = "yes";
    buttons.append(keep, go);
    dialog.append(heading, element("p", "", sure), buttons);
    document.body.append(dialog);
    const answer = await ask(dialog);
    dialog.remove();
    return answer === "yes";
}

document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    const asked = [submitter, form].find((part) => part?.dataset.sure);
    if (!asked) return;
    // Sent when the user was sure; until it comes here it may have waited for a session.
    if ("isSure" in form.dataset) {
        delete form.dataset.isSure;
        return;
    }
    event.preventDefault();
    if (!(await isSure(asked.dataset))) return;
    form.dataset.isSure = "";
    form.requestSubmit(submitter);
});
