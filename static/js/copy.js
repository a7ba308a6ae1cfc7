// The button with `data-copy` copies what is shown only once: a field, or the lines of a list.

import { toast } from "./toast.js";

document.querySelector("[data-copy]")?.addEventListener("click", async () => {
    const secret = document.querySelector("[data-secret]");
    if (secret.select) secret.select();
    else getSelection().selectAllChildren(secret);
    try {
        await navigator.clipboard.writeText(secret.value ?? [...secret.children].map(({ textContent }) => textContent).join("\n"));
        toast("Copied.");
    } catch {
        toast("Press Ctrl+C to copy the selected text.");
    }
});
