// Loads the content of `<template data-deferred>` after the first paint: scripts and style sheets
// that the page does not need for its first interaction.

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

loadDeferred();
