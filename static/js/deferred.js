// Loads the content of `<template data-deferred>` after the first paint: scripts and style sheets
// that the page does not need for its first interaction. Clicks and keys that come before they have
// run are not lost.

/** Elements whose clicks the browser itself acts on. */
const NATIVE = "a, summary, label, input, select, textarea, button:not([type=button])";

/** Resolve after the first paint; at once in a hidden tab, which is not painted. */
function firstPaint() {
    return new Promise((resolve) => {
        if (document.hidden) resolve();
        else requestAnimationFrame(() => setTimeout(resolve));
    });
}

/** Resolve when a script has run or a style sheet is loaded, or when either has failed. */
function settled(element) {
    if (element.matches("script:not([src])")) return Promise.resolve();
    return new Promise((resolve) => {
        element.onload = element.onerror = resolve;
    });
}

/** Keep clicks and keys; returns a function that repeats those that nothing has handled. */
function keepEarlyEvents() {
    const early = [];
    const keep = (event) => {
        if (event.type !== "click" || !event.target.closest(NATIVE)) early.push(event);
    };
    for (const type of ["click", "keydown"]) document.addEventListener(type, keep);
    return () => {
        for (const type of ["click", "keydown"]) document.removeEventListener(type, keep);
        for (const event of early.filter(({ defaultPrevented }) => !defaultPrevented)) {
            event.target.dispatchEvent(new event.constructor(event.type, event));
        }
    };
}

/** Insert the templates' content where they stand: links at once, scripts one after another. */
async function loadDeferred() {
    await firstPaint();
    const [links, scripts] = [[], []];
    for (const template of document.querySelectorAll("template[data-deferred]")) {
        for (const element of template.content.cloneNode(true).children) {
            (element.matches("link") ? links : scripts).push([element, template]);
        }
    }
    const sheets = links.filter(([link]) => link.rel === "stylesheet").map(([link]) => settled(link));
    for (const [link, template] of links) template.before(link);
    await Promise.all(sheets);
    for (const [script, template] of scripts) {
        const hasRun = settled(script);
        template.before(script);
        await hasRun;
    }
}

const repeatEarlyEvents = keepEarlyEvents();
await loadDeferred();
document.dispatchEvent(new Event("deferred-loaded")); // submits forms that wait for their scripts
repeatEarlyEvents();
