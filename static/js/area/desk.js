// The open constraint: list, chart, form and tools follow it.

import { ask } from "../dialog.js";
import { clearFault, showFault } from "../forms.js";
import { number } from "../format.js";
import { toast } from "../toast.js";
import { CornerTable } from "./corner_table.js";
import { Drafts } from "./drafts.js";
import { Drawing } from "./drawing.js";
import { Editor } from "./editor.js";
import { AreaForm } from "./form.js";
import { AreaImpact } from "./impact.js";
import { areaNm2, circleOf, cornersOf, geometryOf, isAcross, polygonsOf, withHole } from "./outline.js";
import { save } from "./saving.js";
import { NEW } from "./store.js";

/** Fields of a constraint that say where it applies, and to whom. */
const OUTLINE = ["geometry", "level", "vessel_type_codes"];
const byId = (id) => document.getElementById(id);

export class Desk {
    /** `onDraw` shows the stored constraints in list and chart. */
    constructor(map, store, { mayDraw, draftOf, checkAddress }, onDraw) {
        Object.assign(this, { map, store, mayDraw, draw: onDraw, chosen: null, isDirty: false });
        /** The constraint as it was opened, for comparison after a conflict. */
        this.opened = null;
        /** Number that changes whenever another constraint is opened, or this one closed. */
        this.turn = 0;
        this.drafts = new Drafts(draftOf);
        this.editor = new Editor(map, (isNew) => this.changed(isNew));
        this.corners = new CornerTable(byId("corners"), byId("ring"), this.editor, () => this.markDirty(true));
        this.form = new AreaForm(byId("constraint"), this.editor, this.corners);
        this.impact = new AreaImpact(map, byId("affected"), checkAddress);
        this.drawing = new Drawing(map, {
            prompt: byId("draw-prompt"),
            reading: document.querySelector("[data-reading=from-last]"),
            buttons: [...document.querySelectorAll("[data-draw]")],
            mayStart: async (kind) => kind === "Hole" || this.leave(),
            onDrawn: (...drawn) => this.drawn(...drawn),
        });
    }

    markDirty(dirty) {
        this.isDirty = dirty;
        byId("unsaved").hidden = !dirty;
        if (!dirty) this.drafts.clear();
    }

    /** Store what is entered, which is not saved yet. */
    keep() {
        this.markDirty(true);
        this.drafts.keep({ ...this.withVersion(this.form.collect()), id: this.chosen?.id ?? null });
    }

    withVersion(body) {
        return { ...body, version: this.chosen?.version ?? null };
    }

    /** Read the request that saves the constraint; null, with errors shown, if it is not valid. */
    read() {
        const body = this.form.read();
        return body && this.withVersion(body);
    }

    /** Whether the open constraint may be closed; asks to save or discard unsaved changes. */
    async mayLeave() {
        if (!this.isDirty) return true;
        const dialog = byId("unsaved-changes");
        const name = this.form.form.name.value.trim() || "The new constraint";
        dialog.querySelector("[data-words]").textContent = `${name} has changes that are not saved.`;
        const choice = await ask(dialog);
        if (choice === "save") await save(this);
        return choice === "discard" || !this.isDirty;
    }

    /** Close the open constraint, unless the user continues editing; resolves to false then. */
    async leave() {
        const may = await this.mayLeave();
        if (may) this.close();
        return may;
    }

    async choose(constraint) {
        if (constraint.id === this.chosen?.id) return;
        if (await this.mayLeave()) this.open(this.store.find(constraint.id) ?? constraint);
    }

    open(constraint) {
        this.drawing.stop();
        this.form.round = circleOf(polygonsOf(constraint.geometry));
        this.chosen = this.opened = constraint;
        this.markDirty(false);
        this.show(constraint.name, constraint);
        this.form.fillCircle();
        this.showWhole();
    }

    openNew(constraint) {
        this.chosen = null;
        this.show("New constraint", { ...NEW, ...constraint });
        this.keep();
        this.form.form.name.focus();
    }

    /** Open a draft: of a stored constraint, or of a new one. */
    openDraft(kept) {
        const theirs = this.store.find(kept.id);
        if (!theirs) {
            this.openNew(kept);
            return;
        }
        this.open({ ...theirs, version: kept.version });
        this.form.fill(kept);
        this.editor.set(this.editor.inView(kept.geometry));
        this.keep();
    }

    /** Make the open constraint a new one. */
    renew() {
        this.chosen = null;
        byId("form-title").textContent = "New constraint";
        byId("delete").hidden = true;
        this.keep();
        this.draw();
    }

    close() {
        this.markDirty(false);
        this.clear();
    }

    /** Close what was open at a turn; a constraint opened since stays as it is. */
    closeOf(turn) {
        if (turn === this.turn) this.close();
        else this.draw();
    }

    clear() {
        this.turn += 1;
        this.chosen = this.form.round = null;
        this.editor.close();
        this.corners.forget();
        this.impact.clear();
        byId("form-title").textContent = this.mayDraw ? "New constraint" : "Constraint";
        this.showForm(false);
        byId("form-foot").hidden = true;
        this.showTools();
        this.draw();
    }

    show(title, constraint) {
        this.turn += 1;
        const locked = constraint.readOnly || !this.mayDraw;
        byId("form-title").textContent = title;
        this.showForm(true);
        byId("form-foot").hidden = locked;
        byId("delete").hidden = !this.chosen;
        for (const input of this.form.form.elements) input.disabled = locked;
        this.form.clearFaults();
        this.form.fill(constraint);
        this.corners.forget();
        this.editor.open(this.editor.inView(constraint.geometry), { editable: !locked });
        byId("ring").disabled = false;
        this.draw();
    }

    showForm(on) {
        byId("form-body").hidden = !on;
        byId("form-empty").hidden = on;
    }

    showWhole() {
        this.map.fitBounds(this.editor.bounds, { padding: [80, 80], maxZoom: 9 });
    }

    showTools() {
        const { editor } = this;
        const editable = editor.isOpen && editor.editable;
        byId("undo").disabled = !editable || !editor.history.canUndo;
        byId("redo").disabled = !editable || !editor.history.canRedo;
        document.querySelector("[data-draw=Hole]").disabled = !editable;
        byId("split").disabled = !editable || !isAcross(editor.polygons);
        byId("remove-ring").hidden = !editable || editor.polygons.flat().length < 2;
        this.form.circle.hidden = !this.form.round;
    }

    drawn(kind, polygons, round) {
        if (kind !== "Hole") {
            this.form.round = round;
            this.openNew({ geometry: geometryOf(polygons) });
            this.form.fillCircle();
            return;
        }
        const holed = withHole(this.editor.polygons, polygons[0][0]);
        if (holed) this.editor.set(holed);
        else toast("The hole must lie within the area. Draw it again.");
    }

    /** Update table, tools and affected voyages after a change of the outline. */
    changed(isNew) {
        const { editor, form } = this;
        clearFault(form.field("geometry"));
        this.corners.draw();
        form.followCircle();
        this.showTools();
        const cornerCount = cornersOf(editor.polygons).length;
        byId("size").textContent = cornerCount > 2 ? `${number(areaNm2(editor.polygons))} nm²` : "";
        if (isNew) this.keep();
        this.check();
    }

    /** Show the voyages that the area affects on its days, and faults of its outline. */
    check() {
        const { polygons } = this.editor;
        if (!this.editor.isOpen || polygons.some((rings) => rings.some((ring) => ring.length < 3))) {
            this.impact.clear();
            return;
        }
        this.ask(["start_date", "end_date"], ({ faults }) => {
            const fault = faults.find(({ pointer }) => pointer.startsWith("/geometry"));
            if (fault) showFault(this.form.form, "geometry", fault.detail);
            if (!this.form.hasValidDays()) this.impact.clear();
        });
    }

    /** Divide the area at the antimeridian. */
    split() {
        this.ask([], ({ split }) => split && this.editor.set(this.editor.inView(split)));
    }

    ask(names, onAnswer) {
        const body = this.form.collect();
        this.impact.ask(Object.fromEntries([...OUTLINE, ...names].map((name) => [name, body[name]])), onAnswer);
    }
}
