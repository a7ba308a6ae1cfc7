// Script of every page: palettes, clock, keyboard shortcuts and menus.

import { clock, day } from "./format.js";
import { listenForPalettes } from "./palette.js";
// Imported for its listener: forms ask to sign in again after the session has ended.
import "./session.js";

function runClock() {
    const element = document.querySelector("[data-clock]");
    const [date, time] = element.querySelectorAll("b");
    const show = () => {
        const now = new Date();
        date.textContent = day(now);
        time.textContent = clock(now);
        setTimeout(show, 60_000 - (now % 60_000));
    };
    show();
}

function closeMenuOutside(menu) {
    document.addEventListener("click", (event) => {
        if (menu.open && !menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        menu.open = false;
        menu.querySelector("summary").focus();
    });
}

/** Single-key shortcuts work outside fields, unless the user has switched them off. */
function listenForKeys() {
    const dialog = document.getElementById("keys");
    const on = dialog.querySelector("[name=single-keys]");
    on.checked = localStorage.getItem("keys") !== "off";
    on.addEventListener("change", () => localStorage.setItem("keys", on.checked ? "on" : "off"));
    const show = () => dialog.showModal();
    document.querySelector("[data-show-keys]")?.addEventListener("click", show);
    const search = document.querySelector("[data-key='/']");
    // In the capture phase, so that no other listener gets keys that are switched off.
    window.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1) return;
        if (event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea, dialog")) return;
        if (event.key === "?") show();
        else if (!on.checked) event.stopPropagation();
        else if (event.key === "/" && search) {
            event.preventDefault();
            search.focus();
        }
    }, { capture: true });
}

listenForPalettes();
listenForKeys();
runClock();
document.querySelectorAll(".account, .weather-badge").forEach(closeMenuOutside);
