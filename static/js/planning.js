// A planning under way: what it is at, its place in the queue, and stopping it.

import { request } from "./request.js";
import { toast } from "./toast.js";

/** What a planning is at, in words. */
export function stageWords({ status, stage, queuePosition, isCancelling }) {
    if (isCancelling) return "Cancelling";
    if (status !== "QUEUED") return stage ?? "Starting";
    if (queuePosition === null) return "Waiting in the queue";
    return queuePosition === 1 ? "Next in the queue" : `Number ${queuePosition} in the queue`;
}

/** Stop the planning that a button stands for; `onChange` takes its new state. */
export async function cancelPlanning(button, onChange) {
    button.disabled = true;
    try {
        onChange(await request(button.dataset.cancel, { method: "POST" }));
    } catch (error) {
        button.disabled = false;
        toast(error.message);
    }
}
