// Labels of the chart that would overlap others are hidden.

/** Maximum number of labels in view. */
const MOST_LABELS = 40;

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** For each box, whether it is clear of the clear ones before it; those out of `view` are not. */
export function findClear(boxes, view) {
    const taken = [];
    return boxes.map((box) => {
        if (taken.length === MOST_LABELS || !overlaps(box, view)) return false;
        if (taken.some((other) => overlaps(box, other))) return false;
        taken.push(box);
        return true;
    });
}

/** Show those of some labels that are clear, the first ones first; `hide` gets each label, and whether it is hidden. */
export function thinLabels(map, labels, hide) {
    const view = map.getContainer().getBoundingClientRect();
    const clear = findClear(labels.map((label) => label.getBoundingClientRect()), view);
    labels.forEach((label, i) => hide(label, !clear[i]));
}
