// What every page has: the palettes, the clock, the account's menu.

import { clock, day } from "./format.js";
import { listenForPalettes } from "./palette.js";
// Forms of every page wait for a session that has ended.
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

/** Single keys act anywhere but in fields, unless they are switched off. */
function listenForKeys() {
    const dialog = document.getElementById("keys");
    const on = dialog.querySelector("[name=single-keys]");
    on.checked = localStorage.getItem("keys") !== "off";
    on.addEventListener("change", () => localStorage.setItem("keys", on.checked ? "on" : "off"));
    const show = () => dialog.showModal();
    document.querySelector("[data-show-keys]")?.addEventListener("click", show);
    const search = document.querySelector("[data-key='/']");
    // Before any other listener, so that keys that are off reach none.
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
