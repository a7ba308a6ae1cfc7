// History of states with undo and redo; a state is any JSON value.

const DEEPEST = 50;

/** Step that a key press asks for: "undo", "redo", or nothing. */
export function stepOf({ ctrlKey, metaKey, shiftKey, key }) {
    const isZ = (ctrlKey || metaKey) && key.toLowerCase() === "z";
    if (isZ) return shiftKey ? "redo" : "undo";
    return ctrlKey && key.toLowerCase() === "y" ? "redo" : undefined;
}

export class History {
    /** `restore(state)` is called with a state that is undone or redone to. */
    constructor(state, restore) {
        this.restore = restore;
        this.begin(state);
    }

    begin(state) {
        this.past = [JSON.stringify(state)];
        this.future = [];
    }

    /** Record a state; false if it equals the last one. */
    record(state) {
        const written = JSON.stringify(state);
        if (written === this.past.at(-1)) return false;
        this.past = [...this.past, written].slice(-DEEPEST - 1);
        this.future = [];
        return true;
    }

    get canUndo() {
        return this.past.length > 1;
    }

    get canRedo() {
        return this.future.length > 0;
    }

    /** Restore the previous state, if there is one. */
    undo() {
        if (!this.canUndo) return;
        this.future.push(this.past.pop());
        this.restore(JSON.parse(this.past.at(-1)));
    }

    /** Restore the state that was undone last, if there is one. */
    redo() {
        if (!this.canRedo) return;
        this.past.push(this.future.pop());
        this.restore(JSON.parse(this.past.at(-1)));
    }
}
