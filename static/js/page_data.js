// What the server wrote into the page for its scripts.

/** A page's data, written once into it by the server. */
export function pageData(page = document) {
    return JSON.parse(page.getElementById("page-data").textContent);
}
