// List of the fleet with figures, searched and sorted.

import { element } from "./dom.js";
import { number } from "./format.js";
import { RequestFailed, request } from "./request.js";
import { toast } from "./toast.js";

/** Compare by a figure, greatest first, vessels without it last. */
const byFigure = (figure) => (a, b) => (figure(b) ?? -Infinity) - (figure(a) ?? -Infinity);

export class FleetList {
    constructor() {
        this.list = document.getElementById("fleet");
        this.form = document.getElementById("fleet-search");
        this.none = document.getElementById("fleet-none");
        this.rows = [...this.list.children].map((row, place) => ({ row, place, link: row.querySelector("[data-vessel]") }));
        this.form.addEventListener("input", () => this.show());
        this.form.addEventListener("submit", (event) => event.preventDefault());
        document.getElementById("fleet-clear").addEventListener("click", () => {
            this.form.words.value = "";
            this.show();
            this.form.words.focus();
        });
        // Only the list is scrolled, not the page.
        const chosen = this.list.querySelector("[aria-current]");
        if (chosen) this.list.scrollTop += chosen.getBoundingClientRect().top - this.list.getBoundingClientRect().top;
    }

    async load(address) {
        try {
            const { vessels } = await request(address);
            for (const each of this.rows) {
                each.figures = vessels[each.link.dataset.vessel] ?? { rating: null, kgPerNm: null, offPct: null };
                this.fill(each);
            }
            this.show();
        } catch (error) {
            if (!(error instanceof RequestFailed)) throw error;
            toast(`The fleet's statistics could not be loaded. ${error.message}`, { act: "Try again", onAct: () => this.load(address) });
        }
    }

    fill({ link, figures: { rating, kgPerNm, offPct } }) {
        const [place, perMile, off] = link.querySelectorAll(".fleet__rating, .fleet__figure");
        place.replaceChildren(rating ? element("span", `rating rating--${rating.toLowerCase()}`, rating) : "–");
        perMile.textContent = number(kgPerNm, 1);
        off.textContent = offPct === null ? "–" : `${offPct > 0 ? "+" : ""}${number(offPct, 1)}\u202f%`;
    }

    /** Show the vessels that match every search word, in the chosen order. */
    show() {
        const words = this.form.words.value.toLowerCase().split(/\s+/);
        const order = this.form.order.value;
        const nameOf = ({ link }) => link.querySelector("strong").textContent;
        const sorts = {
            "": (a, b) => a.place - b.place,
            name: (a, b) => nameOf(a).localeCompare(nameOf(b)),
            // A letter later in the alphabet is worse.
            rating: byFigure(({ figures }) => figures?.rating?.charCodeAt(0)),
            kgPerNm: byFigure(({ figures }) => figures?.kgPerNm),
            offPct: byFigure(({ figures }) => figures?.offPct),
        };
        for (const { row, link } of this.rows) {
            const text = `${nameOf({ link })} ${link.querySelector(".fleet__who").textContent} ${link.dataset.imo}`.toLowerCase();
            row.hidden = !words.every((word) => text.includes(word));
        }
        this.list.append(...[...this.rows].sort(sorts[order]).map(({ row }) => row));
        this.none.hidden = this.rows.some(({ row }) => !row.hidden);
    }
}
