// Short messages, shown one at a time for eight seconds, longer under the pointer or with focus.
// A message that is kept stays until it is dismissed.

import { button, element } from "./dom.js";

const SHOWN_MS = 8000;
let current;

export function toast(words, { act, onAct, isKept = false } = {}) {
    const shown = element("div", "toast", words);
    const add = (label, onClick) => {
        const accept = () => {
            shown.remove();
            onClick?.();
        };
        shown.append(button("", accept, label));
    };
    if (act) add(act, onAct);
    if (isKept) add("Dismiss");
    else replaceCurrent(shown);
    document.getElementById("toasts").append(shown);
}

/** Remove the message shown before, and this one when its time is over. */
function replaceCurrent(shown) {
    current?.remove();
    current = shown;
    let timer;
    const wait = () => (timer = setTimeout(() => shown.remove(), SHOWN_MS));
    const hold = () => clearTimeout(timer);
    for (const event of ["mouseenter", "focusin"]) shown.addEventListener(event, hold);
    for (const event of ["mouseleave", "focusout"]) shown.addEventListener(event, wait);
    wait();
}
