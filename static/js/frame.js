// What every page has: the palettes, the clock, the account's menu.

import { clock, day } from "./format.js";
import { listenForPalettes } from "./palette.js";

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

function closeMenuOutside() {
    const menu = document.querySelector(".account");
    document.addEventListener("click", (event) => {
        if (menu?.open && !menu.contains(event.target)) menu.open = false;
    });
    menu?.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        menu.open = false;
        menu.querySelector("summary").focus();
    });
}

listenForPalettes();
runClock();
closeMenuOutside();
