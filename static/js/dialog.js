// Modal dialogs.

/** Show a dialog; resolves to the value of the button that closed it, or "" after Escape. */
export function ask(dialog) {
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    });
}
