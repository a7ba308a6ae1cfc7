/** Read the JSON data that the server has written into a page for its script. */
export function pageData(page = document) {
    return JSON.parse(page.getElementById("page-data").textContent);
}
