// A webhook's page, refreshed while a delivery waits for its first attempt.

import { refreshOnce } from "./live_refresh.js";

const POLL_MS = 2000;

async function poll() {
    if (!document.hidden) await refreshOnce();
    followDeliveries();
}

function followDeliveries() {
    if (document.querySelector("[data-waits]")) setTimeout(poll, POLL_MS);
}

followDeliveries();
