// Changes that are not saved.

/** Let the browser ask before the page is left while `hasChanges()`. */
export function askBeforeLeaving(hasChanges) {
    window.addEventListener("beforeunload", (event) => {
        if (hasChanges()) event.preventDefault();
    });
}
