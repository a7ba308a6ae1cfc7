// What a page's layout gets wrong, read in the page by tests/e2e/screens.py.
({
    /** What makes the page wider than its screen; nothing when it fits. */
    sideways() {
        const { clientWidth: room, scrollWidth } = document.documentElement;
        if (scrollWidth <= room) return [];
        const rightOf = (element) => Math.round(element.getBoundingClientRect().right);
        const isClipped = (element) => {
            const around = element.parentElement;
            return around !== null && (getComputedStyle(around).overflowX !== "visible" || isClipped(around));
        };
        const wide = [...document.body.querySelectorAll("*")]
            .filter((element) => rightOf(element) > room && !isClipped(element))
            .map((element) => `to ${rightOf(element)}: ${element.outerHTML.slice(0, 110)}`);
        return [`${scrollWidth} px in ${room}`, ...wide.slice(0, 12)];
    },

    /** Controls on show that are smaller than `least` px. Exempt by WCAG 2.5.8: links in a sentence, what
     *  another control does as well (out of the order of tabs), and what stands where its figure is. */
    smallTargets(least) {
        const isShown = (element) =>
            element.checkVisibility({ visibilityProperty: true }) &&
            !element.closest("[inert], .visually-hidden, .skip-link, .leaflet-marker-pane, .front__plot") &&
            (element.tabIndex >= 0 || element.role === "tab");
        const isInText = (element) => getComputedStyle(element).display === "inline" && element.matches("a, .link");
        // A control's label, or the box that frames it, is hit as well.
        const boxOf = (element) => (element.closest("label, .field__box, .filter") ?? element).getBoundingClientRect();
        const controls = "a[href], button, select, summary, textarea, input:not([type=hidden])";
        return [...document.querySelectorAll(controls)]
            .filter((element) => isShown(element) && !isInText(element))
            .map((element) => [element, boxOf(element)])
            .filter(([, { width, height }]) => width > 0 && Math.min(width, height) < least - 0.5)
            .map(([element, { width, height }]) =>
                `${Math.round(width)}x${Math.round(height)} ${element.outerHTML.slice(0, 110)}`);
    },
});
