// States of something that is edited, with undo and redo; a state is what JSON can hold.

const DEEPEST = 50;

export class History {
    constructor(state) {
        this.begin(state);
    }

    begin(state) {
        this.past = [JSON.stringify(state)];
        this.future = [];
    }

    /** Take a state down; false if it is the last one. */
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

    /** The state before the present one; null where there is none. */
    undo() {
        if (!this.canUndo) return null;
        this.future.push(this.past.pop());
        return JSON.parse(this.past.at(-1));
    }

    /** The state that was undone last; null where there is none. */
    redo() {
        if (!this.canRedo) return null;
        this.past.push(this.future.pop());
        return JSON.parse(this.past.at(-1));
    }
}
