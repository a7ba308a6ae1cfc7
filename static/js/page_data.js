/** Read the JSON data that the server has written into a page for its script. */
export function pageData(page = document) {
    return JSON.parse(page.getElementById("page-data").textContent);
}

/** Load this page again without showing it; null if that fails or the session has ended. */
export async function loadAgain() {
    const answer = await fetch(window.location.href).catch(() => null);
    if (!answer?.ok || answer.redirected) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
}
