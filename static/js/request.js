// Requests to the pages' own addresses: JSON both ways, faults in words.

export class RequestFailed extends Error {
    constructor(message, status, faults = [], data = {}) {
        super(message);
        this.status = status;
        /** the figures or records behind the words */
        this.data = data;
        /** [{pointer, detail}], to be shown at their fields */
        this.faults = faults;
    }
}

const csrf = () => document.querySelector("meta[name=csrf-token]").content;

async function readFault(answer) {
    const body = await answer.json().catch(() => ({}));
    const words = body.detail ?? `The server answered ${answer.status}. Try again in a minute.`;
    return new RequestFailed(words, answer.status, body.errors, body.data);
}

export async function request(address, { method = "GET", body, headers = {}, signal } = {}) {
    const sent = { Accept: "application/json", ...headers };
    const isForm = body instanceof FormData;
    // A form's own type carries the boundary between its parts.
    if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
    if (method !== "GET") sent["X-CSRFToken"] = csrf();
    let answer;
    try {
        answer = await fetch(address, { method, headers: sent, body: isForm ? body : JSON.stringify(body), signal });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new RequestFailed("No connection. Check the network and try again.", 0);
    }
    if (answer.status === 401) window.location.reload();
    if (!answer.ok) throw await readFault(answer);
    return answer.status === 204 ? null : answer.json();
}

/** The page's data, written once into it by the server. */
export function pageData() {
    return JSON.parse(document.getElementById("page-data").textContent);
}
