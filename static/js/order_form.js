// Planning form: defaults from the vessel, errors at their fields.

import { ClosedRoute } from "./closed_route.js";
import { parseAngle } from "./coordinates.js";
import { number, position } from "./format.js";
import { NO_NUMBER, clearFault, clearFaults, focusFault, readNumber, readNumbers, readTimes, showFault, showNote, showRefusal, whileBusy } from "./forms.js";
import { OrderDraft } from "./order_draft.js";
import { RequestFailed, request } from "./request.js";
import { NO_TIME, nextDeparture, parseTime, writeTime } from "./times.js";
import { toast } from "./toast.js";
import { PortField } from "./typeahead.js";

const REQUIRED = ["speedRangeMin", "speedRangeMax", "draft", "trim", "dwt", "lbp", "pitch", "rpm"];
const OPTIONAL = ["maxWaveHeight", "maxWindBf", "departStepH", "departDurationH"];
const NUMBERS = [...REQUIRED, ...OPTIONAL];
const LATITUDES = ["maxNorthLat", "maxSouthLat"];
const SWITCHES = ["avoidPiracyAreas", "avoidWarZones", "avoidEca", "isAlterFrom"];
const CHOICES = ["optimizationType", "routeType"];
// Fields of a request without an input; a copied request keeps them.
const CARRIED = ["ciiTarget", "waveUnit", "windUnit", "owner", "triggeredBy", "onboardingUploadedFileKey"];
const TIMES = ["startDate", "endDate", "departFrom", "departTo"];
const UNITS = { meters: "m", douglas: "Douglas", bf: "Bf", "m/s": "m/s" };
// Inputs of the ports, and the ends of a request that they stand for.
const ENDS = [["portFrom", "From"], ["portTo", "To"]];
// Fields of the request whose input has another name.
const SHOWN_AT = Object.fromEntries(
    ENDS.flatMap(([input, end]) => [`lat${end}`, `lng${end}`, `nid${end}`, `port${end}Name`].map((name) => [name, input])),
);
// Inputs filled with the vessel's defaults, in full: a rounded draught could exceed the scantling draught.
const DEFAULTS = ["speedRangeMin", "speedRangeMax", "draft", "dwt", "lbp", "pitch", "rpm"];
/** Key of the vessel of the last request, which the next one begins with. */
const LAST_VESSEL = "vessel";

const noLatitude = (text) => `“${text}” is not a latitude. Enter one from 90 S to 90 N, for example 40 S.`;

const writeLatitude = (degrees) => `${Number(Math.abs(degrees).toFixed(6))}° ${degrees < 0 ? "S" : "N"}`;

export class OrderForm {
    constructor(form, { addresses, vessels, extras, pickPosition, stopPicking, onPort, onOrdered }) {
        Object.assign(this, { form, addresses, vessels, extras, onPort, onOrdered });
        this.closedRoute = new ClosedRoute(form.querySelector("#closed-route"), addresses.routePreview);
        this.note = form.querySelector("#order-fault");
        this.ports = {};
        this.fields = {};
        for (const [name] of ENDS) {
            this.fields[name] = new PortField(form.querySelector(`[data-field=${name}]`), {
                address: addresses.ports,
                onChoose: (port) => this.setPort(name, port),
                onPick: async () => {
                    const place = await pickPosition(name === "portFrom" ? "departure" : "arrival");
                    if (place) this.fields[name].take({ name: position(place.lat, place.lng), ...place });
                },
                stopPicking,
            });
        }
        form.vesselId.addEventListener("change", () => this.takeDefaults());
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.order();
        });
        form.addEventListener("reset", () => {
            const left = this.collect();
            setTimeout(() => this.reset());
            toast("The form was reset.", { act: "Undo", onAct: () => this.takeDraft(left) });
        });
        form.addEventListener("change", (event) => this.onChange(event.target));
        this.draft = new OrderDraft(() => this.collect());
        this.reset();
    }

    /** Fill in the form: as it was left, or from an earlier request, of the `rest` of a voyage or not, or with defaults. */
    open(earlier, rest) {
        if (earlier) this.takeEarlier(earlier, rest);
        const draft = this.draft.find({ isCopy: Boolean(earlier) });
        if (draft) this.takeDraft(draft);
    }

    /** Return what is entered, valid or not. */
    collect() {
        const values = Object.fromEntries(new FormData(this.form));
        const vesselName = this.vessel ? this.vessel.name : this.missingVessel;
        return { values, vesselName, ports: this.ports, carried: this.carried, extras: this.extras.read() };
    }

    takeDraft({ values, vesselName, ports, carried, extras }) {
        this.chooseVessel(values.vesselId, vesselName);
        for (const input of this.form.elements) {
            if (["checkbox", "radio"].includes(input.type)) input.checked = values[input.name] === input.value;
            else if (input.name in values && input.name !== "vesselId") input.value = values[input.name];
        }
        for (const [name, port] of Object.entries(ports)) if (port) this.fields[name].take(port);
        this.carry(carried);
        this.extras.take(extras);
        this.checkDraught();
    }

    reset() {
        clearFaults(this.form);
        showNote(this.note, "");
        this.ports = {};
        for (const [name, field] of Object.entries(this.fields)) {
            field.clear();
            this.setPort(name, null);
        }
        this.form.startDate.value = writeTime(nextDeparture());
        const last = this.vessels.find(({ id }) => id === localStorage.getItem(LAST_VESSEL));
        this.chooseVessel((last ?? this.vessels[0]).id);
        this.carry({});
        this.form.querySelector("#copied").hidden = true;
        this.extras.clear();
        this.draft.settle();
    }

    /** Fill in the form from an earlier request; the rest of a voyage starts from the ship's position. */
    takeEarlier(asked, rest) {
        this.chooseVessel(asked.vesselId, asked.vesselName);
        for (const [name, end] of ENDS) {
            this.fields[name].take({
                name: asked[`port${end}Name`],
                lat: asked[`lat${end}`],
                lng: asked[`lng${end}`],
                locode: asked[`nid${end}`],
                ...(end === "From" && { shown: rest?.from, note: rest?.position }),
            });
        }
        for (const name of NUMBERS) this.form[name].value = asked[name] ?? "";
        for (const name of LATITUDES) this.form[name].value = asked[name] == null ? "" : writeLatitude(asked[name]);
        for (const name of SWITCHES) this.form[name].checked = asked[name];
        for (const name of CHOICES) this.form.elements[name].value = asked[name];
        this.form.risk.value = asked.risk ?? "";
        for (const name of TIMES) this.form[name].value = asked[name] ? writeTime(new Date(asked[name])) : "";
        this.carry(asked);
        this.extras.take(asked);
        this.checkDraught();
        this.showCopied(asked, rest?.note);
        this.draft.settle();
    }

    /** Keep fields without an input, and show the units of limits. */
    carry(asked) {
        this.carried = Object.fromEntries(CARRIED.filter((name) => asked[name] != null).map((name) => [name, asked[name]]));
        const unit = (name, words) => (this.form[name].parentElement.querySelector(".field__unit").textContent = words);
        unit("maxWaveHeight", UNITS[this.carried.waveUnit ?? "meters"]);
        unit("maxWindBf", UNITS[this.carried.windUnit ?? "bf"]);
    }

    showCopied({ portFromName, portToName, startDate }, words) {
        const note = this.form.querySelector("#copied");
        const isPast = !words && new Date(startDate) < new Date();
        note.textContent = words ?? `Copied from ${portFromName} to ${portToName}.${isPast ? " The departure has passed: enter a new one, or plan with past weather." : ""}`;
        note.classList.toggle("note--caution", isPast);
        note.hidden = false;
    }

    setPort(name, port) {
        this.ports[name] = port;
        this.onPort(name, port);
        this.checkClosedRoute();
        if (port) clearFault(this.form.querySelector(`[data-field=${name}]`));
    }

    get vessel() {
        return this.vessels.find(({ id }) => id === this.form.vesselId.value);
    }

    /** Select a vessel with its defaults; none, with an error at the field, if the fleet no longer has it. */
    chooseVessel(vesselId, name) {
        const isInFleet = this.vessels.some(({ id }) => id === vesselId);
        this.form.vesselId.value = isInFleet ? vesselId : "";
        this.missingVessel = isInFleet ? null : (name ?? "The vessel");
        clearFault(this.form.querySelector("[data-field=vesselId]"));
        this.checkVessel();
        this.takeDefaults();
    }

    /** Check that a vessel is chosen. */
    checkVessel() {
        if (this.vessel) return;
        showFault(this.form, "vesselId", `${this.missingVessel} is no longer in the fleet: choose a vessel.`);
    }

    takeDefaults() {
        const ship = this.vessel;
        this.form.querySelector("#vessel-note").textContent = ship ? `${number(ship.dwt)} dwt, ${number(ship.loa)} m` : "";
        if (!ship) return;
        for (const name of DEFAULTS) this.form[name].value = Number(ship.defaults[name].toFixed(6));
    }

    onChange(input) {
        this.checkClosedRoute();
        if (input.dataset.time !== undefined && input.value) {
            const time = parseTime(input.value);
            if (time) input.value = writeTime(time);
            else showFault(this.form, input.name, NO_TIME);
        }
        if (LATITUDES.includes(input.name) && input.value) {
            const degrees = parseAngle(input.value, 90);
            if (Number.isNaN(degrees)) showFault(this.form, input.name, noLatitude(input.value));
            else input.value = writeLatitude(degrees);
        }
        if (NUMBERS.includes(input.name) && Number.isNaN(readNumber(input))) showFault(this.form, input.name, NO_NUMBER);
        if (input.name === "draft") this.checkDraught();
    }

    checkDraught() {
        const [ship, draught] = [this.vessel, readNumber(this.form.draft)];
        if (!ship || !(draught > ship.draftScant)) return true;
        const [asked, most] = [draught, ship.draftScant].map((metres) => Number(metres.toFixed(6)));
        const whose = ship.name ? `${ship.name}'s` : "the vessel's";
        showFault(this.form, "draft", `${asked} m is deeper than ${whose} scantling draught of ${most} m. Enter ${most} or less.`);
        return false;
    }

    /** Check whether the avoided zones close a shorter route. */
    checkClosedRoute() {
        const { portFrom, portTo } = this.ports;
        const startsAt = parseTime(this.form.startDate.value);
        const draft = readNumber(this.form.draft);
        if (!portFrom || !portTo || !this.vessel || !startsAt || !(draft > 0)) {
            this.closedRoute.hide();
            return;
        }
        this.closedRoute.ask({
            latFrom: portFrom.lat,
            lngFrom: portFrom.lng,
            latTo: portTo.lat,
            lngTo: portTo.lng,
            startDate: startsAt.toISOString(),
            vesselId: this.form.vesselId.value,
            draft,
            avoidPiracyAreas: this.form.avoidPiracyAreas.checked,
            avoidWarZones: this.form.avoidWarZones.checked,
        });
    }

    /** Read the request body; null, with errors shown, if it is not valid. */
    read() {
        const body = { ...this.carried, vesselId: this.form.vesselId.value };
        const wrong = (name, words) => showFault(this.form, name, words);
        for (const [name, end] of ENDS) {
            const port = this.ports[name];
            if (!port) {
                wrong(name, "Choose a port from the list, or pick a position on the chart.");
                continue;
            }
            Object.assign(body, { [`port${end}Name`]: port.name, [`lat${end}`]: port.lat, [`lng${end}`]: port.lng });
            if (port.locode) body[`nid${end}`] = port.locode;
        }
        Object.assign(body, readNumbers(this.form, NUMBERS, REQUIRED), readTimes(this.form, TIMES, ["startDate"]));
        for (const name of LATITUDES) {
            const text = this.form[name].value.trim();
            const degrees = parseAngle(text, 90);
            if (text && Number.isNaN(degrees)) wrong(name, noLatitude(text));
            else if (text) body[name] = degrees;
        }
        for (const name of SWITCHES) body[name] = this.form[name].checked;
        for (const name of CHOICES) body[name] = this.form.elements[name].value;
        if (this.form.risk.value) body.risk = this.form.risk.value;
        Object.assign(body, this.extras.read());
        this.checkVessel();
        this.checkDraught();
        return this.form.querySelector(".field--wrong") ? null : body;
    }

    async order() {
        clearFaults(this.form);
        showNote(this.note, "");
        // A typed port name may still be looked up.
        await Promise.all(Object.values(this.fields).map((field) => field.resolve()));
        const body = this.read();
        if (!body) {
            focusFault(this.form);
            return;
        }
        try {
            const button = this.form.querySelector("[type=submit]");
            const ordered = await whileBusy(button, () => request(this.addresses.order, { method: "POST", isOnce: true, body }));
            localStorage.setItem(LAST_VESSEL, body.vesselId);
            this.draft.settle();
            this.onOrdered(ordered);
        } catch (error) {
            if (!(error instanceof RequestFailed)) throw error;
            const faults = error.faults.map((fault) => this.extras.nameItem(fault));
            showRefusal(this.form, this.note, { message: error.message, faults }, SHOWN_AT);
        }
    }
}
