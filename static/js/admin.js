// Admin pages: copying secrets, and selections that are submitted at once.

import "./confirm.js";
import { toast } from "./toast.js";

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
