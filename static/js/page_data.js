import { untilSignedIn } from "./session.js";

/** Read the JSON data that the server has written into a page for its script. */
export function pageData(page = document) {
    return JSON.parse(page.getElementById("page-data").textContent);
}

/** Load this page again without showing it; null if that fails. After the session's end it waits for the next one. */
export async function loadAgain() {
    const answer = await fetch(window.location.href).catch(() => null);
    if (answer?.status === 401) {
        await untilSignedIn();
        return loadAgain();
    }
    if (!answer?.ok || answer.redirected) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
}
