// Times in fields with `data-time` of forms that the browser sends: written out once they are typed.

import { NO_TIME, parseTime, writeTime } from "./times.js";

document.addEventListener("change", ({ target: input }) => {
    if (input.dataset.time === undefined) return;
    const time = parseTime(input.value);
    input.setCustomValidity(time ? "" : NO_TIME);
    if (time) input.value = writeTime(time);
    input.reportValidity();
});
