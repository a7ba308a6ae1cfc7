// Pages for admins: secrets copied, loss asked about, choices sent at once.

import { element } from "./dom.js";
import { toast } from "./toast.js";

/** Ask before what can't be taken back; focus rests on the safe choice. */
function ask(title, words, act) {
    const dialog = element("dialog", "dialog");
    dialog.setAttribute("aria-labelledby", "sure-title");
    const heading = element("h2", "", title);
    heading.id = "sure-title";
    const buttons = element("form", "dialog__acts");
    buttons.method = "dialog";
    const keep = element("button", "button", "Keep");
    keep.autofocus = true;
    const go = element("button", "button button--danger", act);
    go.value = "yes";
    buttons.append(keep, go);
    dialog.append(heading, element("p", "", words), buttons);
    document.body.append(dialog);
    dialog.showModal();
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes");
        });
    });
}

for (const button of document.querySelectorAll("button[data-sure]")) {
    button.addEventListener("click", async (event) => {
        if (button.dataset.asked) return;
        event.preventDefault();
        const { sure, sureTitle, sureAct } = button.dataset;
        if (!(await ask(sureTitle, sure, sureAct))) return;
        button.dataset.asked = "yes";
        button.form.requestSubmit(button);
    });
}

for (const form of document.querySelectorAll("form[data-sure]")) {
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const { sure, sureTitle, sureAct } = form.dataset;
        if (await ask(sureTitle, sure, sureAct)) form.submit();
    });
}

for (const choice of document.querySelectorAll("[data-submit]")) {
    choice.addEventListener("change", () => choice.form.requestSubmit());
}

document.querySelector("[data-copy]")?.addEventListener("click", async () => {
    const secret = document.querySelector("[data-secret]");
    secret.select();
    try {
        await navigator.clipboard.writeText(secret.value);
        toast("Copied.");
    } catch {
        toast("Press Ctrl+C to copy the selected text.");
    }
});
