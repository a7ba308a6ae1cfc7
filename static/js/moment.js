// One moment of the voyage, everywhere at once: map, slider, profiles, rows.

/** Index of the sample nearest to a time; `times` ascend. */
export function nearest(times, time) {
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] < time) low = middle;
        else high = middle;
    }
    return time - times[low] < times[high] - time ? low : high;
}

export class Moment {
    constructor(track) {
        this.track = track;
        this.times = track.time.map((time) => Date.parse(time) / 1000);
        this.pinned = 0;
        this.at = 0;
        this.watchers = [];
        this.pinWatchers = [];
    }

    /** Called with each sample that is pinned from now on. */
    watchPins(watcher) {
        this.pinWatchers.push(watcher);
    }

    watch(watcher) {
        this.watchers.push(watcher);
        watcher(this.at);
    }

    /** Look at a sample for as long as the pointer is there. */
    show(at) {
        const inside = Math.max(0, Math.min(this.times.length - 1, at));
        if (inside === this.at) return;
        this.at = inside;
        for (const watcher of this.watchers) watcher(inside);
    }

    /** Look at the sample nearest to a time: text as the API writes it, or milliseconds. */
    showTime(time) {
        this.show(this.find(time));
    }

    find(time) {
        return nearest(this.times, new Date(time).getTime() / 1000);
    }

    /** Stay there. */
    pin(at = this.at) {
        this.show(at);
        this.pinned = this.at;
        for (const watcher of this.pinWatchers) watcher(this.at);
    }

    pinTime(time) {
        this.pin(this.find(time));
    }

    /** The pointer has left: back to where it was pinned. */
    release() {
        this.show(this.pinned);
    }

    step(hours) {
        const wanted = this.times[this.pinned] + hours * 3600;
        const found = nearest(this.times, wanted);
        this.pin(found === this.pinned ? found + Math.sign(hours) : found);
    }
}
