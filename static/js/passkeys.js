// Forms with `data-passkey` ask the browser to create or use a passkey, and send its answer.

import { clearFaults, showNote, showRefusal, whileBusy } from "./forms.js";
import { request } from "./request.js";
import { createPasskey, usePasskey } from "./webauthn.js";

const CEREMONIES = { create: createPasskey, use: usePasskey };

async function askPasskey(form) {
    const options = await request(form.dataset.options, { method: "POST", body: new FormData(form) });
    return CEREMONIES[form.dataset.passkey](options);
}

document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (!("passkey" in form.dataset)) return;
    if (form.credential.value) {
        event.isConfirmed = true; // or base.html would hold the form back until this script has run
        return;
    }
    event.preventDefault();
    const note = form.querySelector("[role=alert]");
    clearFaults(form);
    showNote(note, "");
    try {
        form.credential.value = await whileBusy(submitter, () => askPasskey(form));
    } catch (error) {
        showRefusal(form, note, error);
        return;
    }
    form.requestSubmit(submitter);
});
