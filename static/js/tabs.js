// Tabs, operated by click, arrow keys, Home and End.

export function openTabs(list) {
    const tabs = [...list.querySelectorAll("[role=tab]")];
    const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
    const select = (chosen) => {
        const hadFocus = tabs.includes(document.activeElement);
        for (const tab of tabs) {
            tab.setAttribute("aria-selected", String(tab === chosen));
            tab.tabIndex = tab === chosen ? 0 : -1;
            panel(tab).hidden = tab !== chosen;
        }
        if (hadFocus) chosen.focus();
        chosen.dispatchEvent(new CustomEvent("tabopen", { bubbles: true }));
    };
    list.addEventListener("click", (event) => {
        const tab = event.target.closest("[role=tab]");
        if (tab) select(tab);
    });
    list.addEventListener("keydown", (event) => {
        if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
        const at = tabs.indexOf(document.activeElement);
        const last = tabs.length - 1;
        const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at > 0 ? at - 1 : last, Home: 0, End: last }[event.key];
        if (at < 0 || next === undefined) return;
        event.preventDefault();
        tabs[next].focus();
        select(tabs[next]);
    });
    return select;
}
