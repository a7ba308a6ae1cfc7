// Short messages, shown one at a time for eight seconds, longer under the pointer or with focus.

import { button, element } from "./dom.js";

const SHOWN_MS = 8000;
let current;

export function toast(words, { act, onAct } = {}) {
    current?.remove();
    const shown = element("div", "toast", words);
    if (act) {
        const accept = () => {
            shown.remove();
            onAct();
        };
        shown.append(button("", accept, act));
    }
    let timer;
    const wait = () => (timer = setTimeout(() => shown.remove(), SHOWN_MS));
    const hold = () => clearTimeout(timer);
    for (const event of ["mouseenter", "focusin"]) shown.addEventListener(event, hold);
    for (const event of ["mouseleave", "focusout"]) shown.addEventListener(event, wait);
    document.getElementById("toasts").append(shown);
    current = shown;
    wait();
}
