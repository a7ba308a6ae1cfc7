// Day, dusk and night palettes. A script in the page's head sets the palette before first paint;
// this module changes it when the user does.

const PALETTES = ["day", "dusk", "night"];

// Cache of CSS variables, because reading one makes the browser compute styles.
const tokens = new Map();

export function currentPalette() {
    return document.documentElement.dataset.palette;
}

function setPalette(name) {
    document.documentElement.dataset.palette = name;
    tokens.clear();
    localStorage.setItem("palette", name);
    for (const button of document.querySelectorAll("[data-set-palette]")) {
        button.setAttribute("aria-pressed", String(button.dataset.setPalette === name));
    }
    document.dispatchEvent(new CustomEvent("palettechange", { detail: name }));
}

/** Value of a CSS variable, for painting on a canvas. */
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
    // All windows change together.
    window.addEventListener("storage", (event) => {
        if (event.key === "palette" && PALETTES.includes(event.newValue)) setPalette(event.newValue);
    });
}
