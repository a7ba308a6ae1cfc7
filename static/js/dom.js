// Creation of elements; text is never parsed as markup.

const ICONS = new URL("../img/icons.svg", import.meta.url).pathname;

export function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${ICONS}#${name}`);
    svg.append(use);
    return svg;
}

export function element(tag, className, ...content) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...content.filter((part) => part !== null && part !== undefined));
    return made;
}

/** Fill a progress bar to its `aria-valuenow`, which the server has written. */
export function fillProgress(bar) {
    bar?.firstElementChild.style.setProperty("--share", Number(bar.getAttribute("aria-valuenow")) / 100);
}
