// Form of a noon report, which the browser sends itself.

import "./forms.js";
import "./time_fields.js";
import { askBeforeLeaving } from "./unsaved.js";

const form = document.getElementById("noon-report");
let hasChanges = form.querySelector(".field--wrong") !== null;

form.addEventListener("input", () => {
    hasChanges = true;
});
form.addEventListener("submit", () => {
    hasChanges = false;
});
askBeforeLeaving(() => hasChanges);
