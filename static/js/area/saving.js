// Saving, deletion and import of constraints, with conflicts and undo. `desk` has the open constraint.

import { ask } from "../dialog.js";
import { showNote, showRefusal, whileBusy } from "../forms.js";
import { RequestFailed, request } from "../request.js";
import { toast } from "../toast.js";
import { showConflict } from "./conflict.js";
import { NEW } from "./store.js";

const FIELD_OF = { organization_ids: "level", vesselTypeIds: "vessel_type_codes", orgIds: "level" };
const RESTORED = ["name", "type", "level", "vessel_type_codes", "start_date", "end_date", "is_active", "description", "geometry"];

const byId = (id) => document.getElementById(id);

function refuse({ form }, error) {
    showRefusal(form.form, form.note, error, FIELD_OF);
}

function describeEffect({ is_active: isActive, end_date: lastDay }) {
    if (!isActive) return ", switched off: routes do not avoid it yet.";
    if (lastDay && lastDay < new Date().toISOString().slice(0, 10)) return ". Its last day has passed: no route avoids it.";
    return ". Routes planned from now on avoid it.";
}

function close(desk, turn, saved) {
    desk.closeOf(turn);
    toast(`Constraint saved${describeEffect(saved)}`);
}

export async function save(desk) {
    const { form, store, chosen, turn } = desk;
    showNote(form.note, "");
    const body = desk.read();
    if (!body) {
        form.form.querySelector(".field--wrong input")?.focus();
        return;
    }
    try {
        const send = () => (chosen ? store.update(chosen, body) : store.create(body, { isOnce: true }));
        close(desk, turn, await whileBusy(form.form.querySelector("[type=submit]"), send));
    } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        if (error.data?.current) await settle(desk, error, body);
        else if (error.status === 404) await settleDeleted(desk);
        else refuse(desk, error);
    }
}

/** Resolve a conflict with another user's change; nothing is overwritten without asking. */
async function settle(desk, error, mine) {
    const theirs = error.data.current;
    desk.store.replace(theirs);
    const choice = await showConflict(byId("conflict"), error.message, mine, theirs, desk.opened);
    if (choice === "theirs") desk.open(theirs);
    if (choice === "copy") {
        const copy = { ...mine, name: `${mine.name} (copy)`.slice(0, 200), version: null };
        const { turn } = desk;
        try {
            close(desk, turn, await desk.store.create(copy));
        } catch (failure) {
            refuse(desk, failure);
        }
    }
}

/** Go on with a constraint that another user has deleted as with a new one. */
async function settleDeleted(desk) {
    const gone = desk.chosen;
    desk.store.drop(gone);
    desk.renew();
    const dialog = byId("deleted");
    dialog.querySelector("[data-words]").textContent = `${gone.name} was deleted after you opened it. Nothing is saved yet.`;
    const choice = await ask(dialog);
    if (choice === "new") await save(desk);
    if (choice === "discard") desk.close();
}

export async function remove(desk) {
    const { chosen: gone, turn } = desk;
    try {
        await desk.store.delete(gone);
    } catch (error) {
        if (turn === desk.turn) showNote(desk.form.note, error.message);
        else toast(`${gone.name} was not deleted. ${error.message}`);
        return;
    }
    desk.closeOf(turn);
    toast(`${gone.name} deleted.`, { act: "Undo", onAct: () => restore(desk, gone) });
}

async function restore(desk, gone) {
    const body = Object.fromEntries(RESTORED.map((name) => [name, gone[name]]));
    if (!body.vessel_type_codes.length) body.vessel_type_codes = null;
    try {
        await desk.store.create(body);
        desk.draw();
        toast("Constraint restored.");
    } catch (error) {
        toast(`${gone.name} was not restored. ${error.message}`, { act: "Try again", onAct: () => restore(desk, gone) });
    }
}

/** The first names of a list, and the number of the others. */
function brief(names, most = 5) {
    const more = names.length > most ? ` and ${names.length - most} more` : "";
    return names.slice(0, most).join(", ") + more;
}

/** Import a file: a single area is opened for review, several are saved switched off. */
export async function importFile(desk, address, file) {
    if (!(await desk.leave())) return;
    let count = 0;
    try {
        const body = new FormData();
        body.append("file", file);
        const { areas, leftOut } = await request(address, { method: "POST", body });
        const words = leftOut.length ? `${file.name} holds more than areas. Left out: ${brief(leftOut)}.` : "";
        if (areas.length === 1) {
            desk.openNew(areas[0]);
            if (words) toast(words, { isKept: true });
            desk.showWhole();
            return;
        }
        for (const area of areas) {
            await desk.store.create({ ...NEW, vessel_type_codes: null, ...area, is_active: false });
            count += 1;
        }
        desk.close();
        const saved = `${areas.length} areas saved, all switched off. Review them and switch them on.`;
        toast(`${saved} ${words}`, { isKept: Boolean(words) });
    } catch (error) {
        desk.draw();
        const words = count ? `Only the first ${count} areas of ${file.name} were saved, switched off.` : `${file.name} was not imported.`;
        toast(`${words} ${error.message}`, { isKept: count > 0 });
    }
}
