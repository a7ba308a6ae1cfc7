// Import of noon reports: preview of a file, mapping of its columns, then import.

import "./confirm.js";
import { element, fillProgress, icon } from "./dom.js";
import { acceptDrops } from "./file_drop.js";
import { showNote } from "./forms.js";
import { number } from "./format.js";
import { refreshOnce } from "./live_refresh.js";
import { pageData } from "./page_data.js";
import { request, RequestFailed } from "./request.js";

const POLL_MS = 2000;

const { preview, import: importAddress, fields, symbols } = pageData();
const form = document.getElementById("noon");
const file = document.getElementById("file");
const status = document.getElementById("status");
const order = document.getElementById("order");
const keep = document.getElementById("keep");
const importButton = document.getElementById("import");
const cancelButton = document.getElementById("cancel");
const run = document.getElementById("run");
const columnRows = document.getElementById("columns");

/** Column mappings chosen by the user, by header. */
const chosen = new Map();
let shown = null;
let asking = null;
/** Whether the import that is shown was started here. */
let isFollowed = false;
let polling = 0;

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
        const isAborted = fault.name === "AbortError";
        status.textContent = isAborted ? "Cancelled. Nothing is stored." : "";
        if (isAborted && !isPreview) {
            // the server may have taken the file already
            status.textContent = "Cancelled here. If the import has begun, it is shown below.";
            await refreshImport();
        }
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

/** Enable the import if none is running, all columns are mapped, and there is no error or valid rows are kept. */
function takeState() {
    const isReady = shown && !isImporting() && !shown.missing.length && shown.goodRows > 0;
    importButton.disabled = !isReady || (shown.faultCount > 0 && !keep.checked);
}

function showFaults({ faults, faultCount, columns }) {
    const isHeader = (name) => columns.some(({ column }) => column === name);
    // a field of which the file has no column
    const labelOf = (name) => fields.find((field) => field.name === name)?.label ?? name;
    const rows = faults.map(({ row, column, value, detail }) => {
        const cells = [(isHeader(column) ? column : labelOf(column)) || "–", value || "–", detail].map((words) => element("td", "", words));
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

function columnRow({ column, field, unit, isUnitAssumed, samples, fault, remark }) {
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
        element("td", "", boxed(pick, icon("down")), remark ? element("p", "quiet small", remark) : null),
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
    const hadFocus = document.activeElement === importButton;
    const isTaken = await ask(importAddress, "Sending the file…", false);
    // The button was disabled meanwhile, and is hidden after the import.
    if (hadFocus) (isTaken ? run : importButton).focus({ preventScroll: true });
    if (!isTaken) return;
    status.textContent = "";
    isFollowed = true;
    await refreshImport();
}

const importStatus = () => document.querySelector("#run [data-status]")?.dataset.status;
const isImporting = () => ["QUEUED", "RUNNING"].includes(importStatus());

/** Refresh the newest import and the stored reports until the import has ended. */
async function refreshImport() {
    clearTimeout(polling);
    await refreshOnce();
    followImport();
}

function followImport() {
    fillProgress(document.querySelector("#run [role=progressbar]"));
    takeState();
    if (isImporting()) polling = setTimeout(refreshImport, POLL_MS);
    else if (isFollowed && importStatus() === "COMPLETED") clearPreview();
}

function clearPreview() {
    isFollowed = false;
    show("result", false);
    shown = null;
}

async function cancelImport({ target }) {
    const button = target.closest("[data-cancel-import]");
    if (!button) return;
    run.focus({ preventScroll: true });
    button.disabled = true;
    try {
        await request(button.dataset.cancelImport, { method: "POST" });
    } catch (fault) {
        // The import may have ended; its result is shown next.
        if (!(fault instanceof RequestFailed)) throw fault;
    }
    await refreshImport();
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
cancelButton.addEventListener("click", () => asking?.abort());
run.addEventListener("click", cancelImport);
form.addEventListener("submit", store);
acceptDrops(document.getElementById("drop"), file, chooseFile);
// A file may have been chosen before this script was loaded.
chooseFile();
followImport();
