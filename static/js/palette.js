// Day, dusk and night. The choice is set before first paint by the page's head;
// this module only changes it. It never changes by itself.

export const PALETTES = ["day", "dusk", "night"];

// Tokens of the palette: to ask the page makes it compute its styles first.
const tokens = new Map();

export function currentPalette() {
    return document.documentElement.dataset.palette;
}

export function setPalette(name) {
    document.documentElement.dataset.palette = name;
    tokens.clear();
    localStorage.setItem("palette", name);
    for (const button of document.querySelectorAll("[data-set-palette]")) {
        button.setAttribute("aria-pressed", String(button.dataset.setPalette === name));
    }
    document.dispatchEvent(new CustomEvent("palettechange", { detail: name }));
}

/** The colour of a token, for what is painted on canvas. */
export function token(name) {
    if (!tokens.has(name)) {
        const styles = getComputedStyle(document.documentElement);
        tokens.set(name, styles.getPropertyValue(`--${name}`).trim());
    }
    return tokens.get(name);
}

export function listenForPalettes() {
    setPalette(currentPalette());
    document.addEventListener("click", (event) => {
        const button = event.target.closest("[data-set-palette]");
        if (button) setPalette(button.dataset.setPalette);
    });
    // Two windows side by side on a bridge change together.
    window.addEventListener("storage", (event) => {
        if (event.key === "palette" && PALETTES.includes(event.newValue)) setPalette(event.newValue);
    });
}
