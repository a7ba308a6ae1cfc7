// Import of noon reports: preview of a file, mapping of its columns, then import.

import { element, icon } from "./dom.js";
import { acceptDrops } from "./file_drop.js";
import { showNote } from "./forms.js";
import { number } from "./format.js";
import { pageData } from "./page_data.js";
import { request, RequestFailed } from "./request.js";

const POLL_MS = 1000;

const { preview, import: importAddress, fields, symbols } = pageData();
const form = document.getElementById("noon");
const file = document.getElementById("file");
const status = document.getElementById("status");
const order = document.getElementById("order");
const keep = document.getElementById("keep");
const importButton = document.getElementById("import");
const cancelButton = document.getElementById("cancel");
const columnRows = document.getElementById("columns");

/** Column mappings chosen by the user, by header. */
const chosen = new Map();
let shown = null;
let asking = null;
let running = null;
const bar = document.querySelector("#running [role=progressbar]");

const show = (id, isShown) => {
    document.getElementById(id).hidden = !isShown;
};

const showFault = (words) => showNote(document.getElementById("noon-fault"), words);

function body() {
    const sent = new FormData();
    sent.set("file", file.files[0]);
    const mapping = [...chosen].map(([column, said]) => ({ column, ...said }));
    sent.set("request", JSON.stringify({ mapping, dateOrder: order.value || null }));
    sent.set("keepGoodRows", keep.checked ? "true" : "false");
    return sent;
}

/** Send the file; a newer call aborts the previous one. Null if it fails or is aborted. */
async function ask(address, words, isPreview) {
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    showFault("");
    status.textContent = words;
    form.setAttribute("aria-busy", "true");
    importButton.disabled = true;
    cancelButton.hidden = false;
    try {
        return await request(address, { method: "POST", isPreview, body: body(), signal: mine.signal });
    } catch (fault) {
        if (asking !== mine) return null;
        status.textContent = fault.name === "AbortError" ? "Cancelled. Nothing is stored." : "";
        if (fault.name !== "AbortError") showFault(fault.faults?.length === 1 ? fault.faults[0].detail : fault.message);
        return null;
    } finally {
        if (asking === mine) {
            form.removeAttribute("aria-busy");
            cancelButton.hidden = true;
            takeState();
        }
    }
}

/** Enable the import if all columns are mapped and there is no error, or valid rows are kept. */
function takeState() {
    const isReady = shown && !shown.missing.length && shown.goodRows > 0;
    importButton.disabled = !isReady || (shown.faultCount > 0 && !keep.checked);
}

function showFaults({ faults, faultCount }) {
    const rows = faults.map(({ row, column, value, detail }) => {
        const cells = [column || "–", value || "–", detail].map((words) => element("td", "", words));
        return element("tr", "", element("td", "number", String(row)), ...cells);
    });
    document.getElementById("faults").replaceChildren(...rows);
    show("faults-part", faultCount > 0);
    show("keep-part", faultCount > 0);
    const more = document.getElementById("more-faults");
    more.hidden = faultCount <= faults.length;
    more.textContent = `The first ${faults.length} of ${number(faultCount)}.`;
}

const unitOf = (name) => fields.find((field) => field.name === name)?.unit ?? "";

function columnRow({ column, field, unit, isUnitAssumed, samples, fault }) {
    const pick = element("select");
    pick.append(new Option("Left out", ""), ...fields.map(({ name, label }) => new Option(label, name)));
    pick.value = field ?? "";
    pick.setAttribute("aria-label", `Field of column ${column}`);
    const typed = element("input");
    const symbol = symbols[unit] ?? unit ?? "";
    typed.value = chosen.get(column)?.unit ?? (isUnitAssumed ? "" : symbol);
    typed.placeholder = isUnitAssumed ? symbol : "";
    typed.disabled = !unitOf(field);
    typed.setAttribute("aria-label", `Unit of ${column}`);
    const take = () => {
        chosen.set(column, { field: pick.value || null, unit: typed.value.trim() || null });
        readFile();
    };
    pick.addEventListener("change", () => {
        typed.value = "";
        take();
    });
    typed.addEventListener("change", take);
    const boxed = (...inner) => element("div", "field__box", ...inner);
    return element(
        "tr",
        "",
        element("td", "", column),
        element("td", "quiet", samples.join(", ")),
        element("td", "", boxed(pick, icon("down"))),
        element("td", "", boxed(typed), fault ? element("p", "field__error", fault) : null),
    );
}

function describe({ form: kind, rows, goodRows, faultCount, missing }) {
    if (missing.length) {
        const names = missing.map((choices) => choices.map((name) => fields.find((f) => f.name === name).label).join(" or "));
        return `${kind}. Name the column of: ${names.join("; ")}.`;
    }
    const faults = faultCount === 0 ? "no errors" : faultCount === 1 ? "1 error" : `${number(faultCount)} errors`;
    return `${kind}: ${number(rows)} rows, ${number(goodRows)} valid, ${faults}.`;
}

async function readFile() {
    const found = await ask(preview, "Reading…", true);
    if (!found) return;
    shown = found;
    status.textContent = describe(found);
    showFaults(found);
    columnRows.replaceChildren(...found.columns.filter(({ column }) => column).map(columnRow));
    show("order-part", found.dateOrder !== null || order.value !== "");
    order.options[0].text = found.dateOrder === "MDY" ? "month first, as the column shows" : "day first, as the column shows";
    show("result", true);
    takeState();
}

async function store(event) {
    event.preventDefault();
    if (importButton.disabled) return;
    follow(await ask(importAddress, "Importing…", false));
}

/** Show the progress of an import until it has ended. */
function follow(found) {
    if (!found) return;
    const isActive = found.status === "QUEUED" || found.status === "RUNNING";
    running = isActive ? found : null;
    cancelButton.hidden = !isActive;
    show("running", isActive);
    if (isActive) {
        const percent = Math.round(100 * found.progress);
        bar.setAttribute("aria-valuenow", percent);
        bar.firstElementChild.style.setProperty("--share", found.progress);
        status.textContent = `Importing: ${percent} %, ${found.stage?.toLowerCase() ?? "waiting for a worker"}`;
        importButton.disabled = true;
        setTimeout(poll, POLL_MS);
        return;
    }
    takeState();
    if (found.status === "COMPLETED") showStored(found.result);
    else if (found.status === "CANCELLED") status.textContent = "Cancelled. Nothing is stored.";
    else {
        status.textContent = "Nothing is stored.";
        showFault(found.failure.detail);
    }
}

async function poll() {
    if (!running) return;
    try {
        follow(await request(running.address));
    } catch (fault) {
        if (!(fault instanceof RequestFailed)) throw fault;
        if (fault.status === 0 || fault.status >= 500) setTimeout(poll, POLL_MS);
        else showFault(fault.message);
    }
}

async function cancel() {
    asking?.abort();
    if (!running) return;
    const { cancel: address } = running;
    status.textContent = "Cancelling…";
    try {
        await request(address, { method: "POST" });
    } catch (fault) {
        // The import may have ended; the next poll shows its result.
        if (!(fault instanceof RequestFailed)) throw fault;
    }
}

function showStored(found) {
    const again = found.duplicates ? `, ${number(found.duplicates)} already stored` : "";
    const left = found.rows - found.stored - found.duplicates;
    const out = left ? `, ${number(left)} left out` : "";
    const noun = found.stored === 1 ? "report" : "reports";
    status.textContent = `${number(found.stored)} ${noun} stored${again}${out}.`;
    const stored = document.getElementById("stored");
    stored.textContent = number(Number(stored.textContent.replace(/\D/g, "")) + found.stored);
    show("result", false);
    shown = null;
}

function chooseFile() {
    const [one] = file.files;
    if (!one) return;
    document.querySelector("[data-file]").textContent = one.name;
    chosen.clear();
    order.value = "";
    keep.checked = false;
    show("result", false);
    readFile();
}

file.addEventListener("change", chooseFile);
order.addEventListener("change", readFile);
keep.addEventListener("change", takeState);
cancelButton.addEventListener("click", cancel);
form.addEventListener("submit", store);
acceptDrops(document.getElementById("drop"), file, chooseFile);
// A file may have been chosen before this script was loaded.
chooseFile();
