// Forms with `data-passkey` ask the browser to create or use a passkey, and send its answer.

import { clearFaults, showFault, whileBusy } from "./forms.js";
import { request } from "./request.js";
import { createPasskey, usePasskey } from "./webauthn.js";

const CEREMONIES = { create: createPasskey, use: usePasskey };

function showFaults(form, { message = "", faults = [] }) {
    clearFaults(form);
    const others = faults.filter(({ pointer, detail }) => !showFault(form, pointer.slice(1), detail));
    const note = form.querySelector("[role=alert]");
    note.hidden = !message || (faults.length > 0 && others.length === 0);
    note.textContent = note.hidden ? "" : message;
}

async function askPasskey(form) {
    const options = await request(form.dataset.options, { method: "POST", body: new FormData(form) });
    return CEREMONIES[form.dataset.passkey](options);
}

document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (!("passkey" in form.dataset) || form.credential.value) return;
    event.preventDefault();
    showFaults(form, {});
    try {
        form.credential.value = await whileBusy(submitter, () => askPasskey(form));
    } catch (error) {
        showFaults(form, error);
        return;
    }
    form.requestSubmit(submitter);
});
