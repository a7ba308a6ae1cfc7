// Labels of the chart: hidden where they overlap others, shifted where its edge would cut them.

/** Maximum number of labels in view. */
const MOST_LABELS = 40;

/** Whether two boxes overlap. */
export const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

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

/**
 * For each label, given as the boxes of its forms from the longest to the shortest, the first form that is clear of the
 * boxes `taken` and of the labels before it; -1 where none is.
 */
export function chooseForms(labels, taken) {
    const used = [...taken];
    return labels.map((boxes) => {
        const form = boxes.findIndex((box) => !used.some((other) => overlaps(box, other)));
        if (form >= 0) used.push(boxes[form]);
        return form;
    });
}

/** Names of a route's ends. */
export const END_NAMES = ".chart-label--end > span";

/** Boxes of a chart's elements, from its top left [px]. */
export function boxesOf(map, selector) {
    const { left: x, top: y } = map.getContainer().getBoundingClientRect();
    return [...map.getContainer().querySelectorAll(selector)].map((mark) => {
        const { left, right, top, bottom } = mark.getBoundingClientRect();
        return { left: left - x, right: right - x, top: top - y, bottom: bottom - y };
    });
}

/** Show those of some labels that are clear, the first ones first; `hide` gets each label, and whether it is hidden. */
export function thinLabels(map, labels, hide) {
    const view = map.getContainer().getBoundingClientRect();
    const clear = findClear(labels.map((label) => label.getBoundingClientRect()), view);
    labels.forEach((label, i) => hide(label, !clear[i]));
}

/** Least distance of a label from the edge of the chart [px]. */
const EDGE_PX = 4;

/** Shift that brings a label from `low` to `high` into a view from 0 to `size` [px]; one that is larger begins in view. */
export function shiftIntoView(low, high, size) {
    return Math.max(EDGE_PX - low, Math.min(size - EDGE_PX - high, 0));
}

/** Shift labels of marks in view that the edge of the chart would cut, or the tools at its right would cover. */
export function keepLabelsInView(map, labels, tools) {
    const view = map.getContainer().getBoundingClientRect();
    const atRight = tools.getBoundingClientRect();
    for (const label of labels) {
        label.style.translate = "none";
        const mark = label.closest(".leaflet-marker-icon").getBoundingClientRect();
        if (mark.left < view.left || mark.left > view.right || mark.top < view.top || mark.top > view.bottom) continue;
        const box = label.getBoundingClientRect();
        const isBesideTools = box.top < atRight.bottom && box.bottom > atRight.top;
        const right = isBesideTools ? atRight.left : view.right;
        const across = shiftIntoView(box.left - view.left, box.right - view.left, right - view.left);
        const down = shiftIntoView(box.top - view.top, box.bottom - view.top, view.height);
        label.style.translate = `${across}px ${down}px`;
    }
}

/** Room that the count of a stack of marks needs right or left of the mark, from centre to centre of a mark [px]. */
const COUNT_PX = { x: 44, y: 22 };

/** Side of a mark at `at` for its count: right, or left where another mark of `others` is on the right only. */
export function sideOfCount(at, others) {
    const level = others.filter((other) => other !== at && Math.abs(other.y - at.y) < COUNT_PX.y);
    const isTaken = (sign) => level.some((other) => sign * (other.x - at.x) >= 0 && sign * (other.x - at.x) < COUNT_PX.x);
    return isTaken(1) && !isTaken(-1) ? "left" : "right";
}
