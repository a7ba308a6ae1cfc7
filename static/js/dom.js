// Creation of elements; text is never parsed as markup.

const ICONS = new URL("../img/icons.svg", import.meta.url).pathname;

/** Create an element of a drawing. */
export function shape(name, attributes, ...content) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
}

export function icon(name) {
    return shape("svg", { class: "icon", "aria-hidden": "true" }, shape("use", { href: `${ICONS}#${name}` }));
}

export function element(tag, className, ...content) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...content.filter((part) => part !== null && part !== undefined));
    return made;
}

/** Create a button that calls `act` and submits nothing. */
export function button(className, act, ...content) {
    const made = element("button", className, ...content);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
}

/** Create a note for a list or a figure without content. */
export function emptyNote(tag, title, words) {
    return element(tag, "empty", element("strong", "", title), element("p", "", words));
}

/** Fill a progress bar to its `aria-valuenow`, which the server has written. */
export function fillProgress(bar) {
    bar?.firstElementChild.style.setProperty("--share", Number(bar.getAttribute("aria-valuenow")) / 100);
}
