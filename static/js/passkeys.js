// Forms with `data-passkey` ask the browser to create or use a passkey, and send its answer.

import { clearFaults, showFaults, showNote, whileBusy } from "./forms.js";
import { request } from "./request.js";
import { createPasskey, usePasskey } from "./webauthn.js";

const CEREMONIES = { create: createPasskey, use: usePasskey };

function showFailure(form, { message = "", faults = [] }) {
    clearFaults(form);
    const others = showFaults(form, faults);
    showNote(form.querySelector("[role=alert]"), faults.length && !others.length ? "" : message);
}

async function askPasskey(form) {
    const options = await request(form.dataset.options, { method: "POST", body: new FormData(form) });
    return CEREMONIES[form.dataset.passkey](options);
}

document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (!("passkey" in form.dataset) || form.credential.value) return;
    event.preventDefault();
    showFailure(form, {});
    try {
        form.credential.value = await whileBusy(submitter, () => askPasskey(form));
    } catch (error) {
        showFailure(form, error);
        return;
    }
    form.requestSubmit(submitter);
});
