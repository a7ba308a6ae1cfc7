// Day, dusk and night palettes. A script in the page's head sets the palette before first paint;
// this module changes it when the user does.

const PALETTES = ["day", "dusk", "night"];

// Cache of CSS variables, because reading one makes the browser compute styles.
const tokens = new Map();

export function currentPalette() {
    return document.documentElement.dataset.palette;
}

function showPalette(name) {
    document.documentElement.dataset.palette = name;
    tokens.clear();
    document.dispatchEvent(new CustomEvent("palettechange", { detail: name }));
}

function setPalette(name) {
    localStorage.setItem("palette", name);
    for (const button of document.querySelectorAll("[data-set-palette]")) {
        button.setAttribute("aria-pressed", String(button.dataset.setPalette === name));
    }
    showPalette(name);
}

/**
 * Print by the day palette. Chromium prints a canvas that was painted just before as strokes, opaque
 * white where it was cleared; therefore copies of the repainted canvases are printed.
 */
function listenForPrint() {
    let chosen = "day";
    let copied = [];
    window.addEventListener("beforeprint", () => {
        chosen = currentPalette();
        if (chosen !== "day") showPalette("day");
    });
    // Plots are painted between two listeners.
    window.addEventListener("beforeprint", () => {
        if (chosen === "day") return;
        copied = [...document.querySelectorAll("canvas")].map((canvas) => [canvas, canvas.cloneNode()]);
        for (const [canvas, copy] of copied) {
            if (canvas.width && canvas.height) copy.getContext("2d").drawImage(canvas, 0, 0);
            canvas.replaceWith(copy);
        }
    });
    window.addEventListener("afterprint", () => {
        for (const [canvas, copy] of copied) copy.replaceWith(canvas);
        copied = [];
        if (chosen !== currentPalette()) showPalette(chosen);
    });
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
    listenForPrint();
    document.addEventListener("click", (event) => {
        const button = event.target.closest("[data-set-palette]");
        if (button) setPalette(button.dataset.setPalette);
    });
    // All windows change together.
    window.addEventListener("storage", (event) => {
        if (event.key === "palette" && PALETTES.includes(event.newValue)) setPalette(event.newValue);
    });
}
