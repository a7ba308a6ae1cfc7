// Comparison of departures: started, followed while it runs, and one of them planned.

import { fillProgress } from "./dom.js";
import { clearFaults, readNumbers, readTimes, showNote, showRefusal, whileBusy } from "./forms.js";
import { RequestFailed, request, willRetry } from "./request.js";

const POLL_MS = 2000;
const TIMES = ["departFrom", "departTo"];
const HOURS = ["departStepH", "departDurationH"];
/** Controls that keep the focus when the departures are shown anew. */
const CONTROLS = ["input:checked", "[data-cancel-departures]", "[data-plan]"];

export class Departures {
    constructor(section) {
        this.section = section;
        this.form = section.querySelector("form");
        this.summary = section.querySelector("summary");
        this.shown = section.querySelector("[data-compared]");
        this.shown.addEventListener("change", () => this.describe());
        this.shown.addEventListener("click", ({ target }) => {
            if (target.matches("[data-plan]")) this.plan(target);
            if (target.matches("[data-cancel-departures]")) this.cancel(target);
        });
        this.form?.addEventListener("submit", (event) => {
            event.preventDefault();
            this.compare(event.submitter);
        });
        this.showProgress("active" in section.dataset);
    }

    get chosen() {
        return this.shown.querySelector("input:checked");
    }

    /** Show the progress, and poll while the comparison runs. */
    showProgress(isActive) {
        fillProgress(this.shown.querySelector("[role=progressbar]"));
        this.describe();
        if (isActive) setTimeout(() => this.poll(), POLL_MS);
    }

    async poll() {
        try {
            this.show(await request(this.section.dataset.address));
        } catch (error) {
            this.showProgress(willRetry(error, () => this.poll()));
        }
    }

    /** Show the departures compared so far; the chosen departure stays chosen, and the focus where it is. */
    show({ html, isActive }) {
        const value = this.chosen?.value;
        const { activeElement } = document;
        const focused = this.shown.contains(activeElement) && CONTROLS.find((control) => activeElement.matches(control));
        this.shown.innerHTML = html;
        const again = [...this.shown.querySelectorAll("input")].find((input) => input.value === value);
        if (again) again.checked = true;
        this.showProgress(isActive);
        if (focused) (this.shown.querySelector(`${focused}:enabled`) ?? this.summary)?.focus({ preventScroll: true });
    }

    /** Describe the chosen departure; one without a result cannot be planned. */
    describe() {
        const { chosen } = this;
        const words = this.shown.querySelector("[data-departure-words]");
        if (words) words.textContent = chosen?.dataset.words ?? "";
        const button = this.shown.querySelector("[data-plan]");
        if (button) button.hidden = !chosen || "closed" in chosen.dataset;
    }

    /** Read the window from the form; null, with errors shown, if it is not valid. */
    read() {
        const body = { ...readTimes(this.form, TIMES, TIMES), ...readNumbers(this.form, HOURS) };
        return this.form.querySelector(".field--wrong") ? null : body;
    }

    async compare(button) {
        clearFaults(this.form);
        const body = this.read();
        const answer = body && (await this.send(button, "", body));
        if (!answer) return;
        // Folded in, the form would lose the focus.
        if (this.form.contains(document.activeElement)) this.summary.focus({ preventScroll: true });
        this.form.closest("details").open = false;
        this.show(answer);
    }

    async cancel(button) {
        const answer = await this.send(button, "/cancel");
        if (answer) this.show({ ...answer, isActive: false });
    }

    async plan(button) {
        if (await this.send(button, "/plan", { departure: this.chosen.value })) window.location.reload();
    }

    /** Send a button's request; null, with the error shown, if it fails. */
    async send(button, path, body) {
        const fault = this.section.querySelector("[data-departures-fault]");
        showNote(fault, "");
        try {
            return await whileBusy(button, () => request(this.section.dataset.address + path, { method: "POST", body }));
        } catch (error) {
            if (!(error instanceof RequestFailed)) throw error;
            showRefusal(this.form ?? this.section, fault, error);
            return null;
        }
    }
}
