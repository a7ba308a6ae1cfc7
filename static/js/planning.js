// Progress of planning, and cancelling it.

import { request } from "./request.js";
import { toast } from "./toast.js";

/** Describe the current stage of planning. */
export function stageWords({ status, stage, queuePosition, isCancelling }) {
    if (isCancelling) return "Cancelling";
    if (status !== "QUEUED") return stage ?? "Starting";
    if (queuePosition === null) return "Waiting in the queue";
    return queuePosition === 1 ? "Next in the queue" : `Number ${queuePosition} in the queue`;
}

/** Cancel the planning at the button's address; `onChange` gets the new state. */
export async function cancelPlanning(button, onChange) {
    // A disabled button loses the focus: it goes to the voyage in the same row.
    if (document.activeElement === button) button.closest("tr")?.querySelector("a")?.focus();
    button.disabled = true;
    try {
        onChange(await request(button.dataset.cancel, { method: "POST" }));
    } catch (error) {
        button.disabled = false;
        toast(error.message);
    }
}
