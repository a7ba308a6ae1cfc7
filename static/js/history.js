// History of states with undo and redo; a state is any JSON value.

const DEEPEST = 50;

export class History {
    constructor(state) {
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

    /** Return the previous state; null if there is none. */
    undo() {
        if (!this.canUndo) return null;
        this.future.push(this.past.pop());
        return JSON.parse(this.past.at(-1));
    }

    /** Return the state that was undone last; null if there is none. */
    redo() {
        if (!this.canRedo) return null;
        this.past.push(this.future.pop());
        return JSON.parse(this.past.at(-1));
    }
}
