// The selected time of the voyage, shared by chart, slider, profiles and rows.

/** Index of the sample nearest to a time; `times` are in ascending order. */
function nearest(times, time) {
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] < time) low = middle;
        else high = middle;
    }
    return time - times[low] < times[high] - time ? low : high;
}

export class TimeCursor {
    constructor(track) {
        this.track = track;
        this.times = track.time.map((time) => Date.parse(time) / 1000);
        this.pinned = 0;
        this.at = 0;
        this.watchers = [];
        this.pinWatchers = [];
    }

    /** Call `watcher` with the index of each sample that is pinned. */
    watchPins(watcher) {
        this.pinWatchers.push(watcher);
    }

    /** Call `watcher` with the index of the current sample, now and at each change. */
    watch(watcher) {
        this.watchers.push(watcher);
        watcher(this.at);
    }

    /** Show a sample until `release`. */
    show(at) {
        const inside = Math.max(0, Math.min(this.times.length - 1, at));
        if (inside === this.at) return;
        this.at = inside;
        for (const watcher of this.watchers) watcher(inside);
    }

    /** Show the sample nearest to a time, which is an RFC 3339 text or milliseconds. */
    showTime(time) {
        this.show(this.find(time));
    }

    find(time) {
        return nearest(this.times, new Date(time).getTime() / 1000);
    }

    /** Show a sample and keep it after `release`. */
    pin(at = this.at) {
        this.show(at);
        this.pinned = this.at;
        for (const watcher of this.pinWatchers) watcher(this.at);
    }

    pinTime(time) {
        this.pin(this.find(time));
    }

    /** Return to the pinned sample. */
    release() {
        this.show(this.pinned);
    }

    step(hours) {
        const wanted = this.times[this.pinned] + hours * 3600;
        const found = nearest(this.times, wanted);
        this.pin(found === this.pinned ? found + Math.sign(hours) : found);
    }
}
