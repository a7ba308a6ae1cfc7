// Passage plan: the chosen palette on screen, the day palette in print.

import { currentPalette } from "./palette.js";

const root = document.documentElement;
const kept = localStorage.getItem("palette") ?? currentPalette();
root.dataset.palette = kept;
window.addEventListener("beforeprint", () => (root.dataset.palette = "day"));
window.addEventListener("afterprint", () => (root.dataset.palette = kept));
document.querySelector("[data-print]").addEventListener("click", () => window.print());
