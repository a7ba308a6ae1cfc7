// Short messages, shown one at a time for eight seconds, longer under the pointer or with focus.

const SHOWN_MS = 8000;
let current;

export function toast(words, { act, onAct } = {}) {
    current?.remove();
    const element = document.createElement("div");
    element.className = "toast";
    element.append(words);
    if (act) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = act;
        button.addEventListener("click", () => {
            element.remove();
            onAct();
        });
        element.append(button);
    }
    let timer;
    const wait = () => (timer = setTimeout(() => element.remove(), SHOWN_MS));
    const hold = () => clearTimeout(timer);
    for (const event of ["mouseenter", "focusin"]) element.addEventListener(event, hold);
    for (const event of ["mouseleave", "focusout"]) element.addEventListener(event, wait);
    document.getElementById("toasts").append(element);
    current = element;
    wait();
}
