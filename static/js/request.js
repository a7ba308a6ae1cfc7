// Requests to the pages' own addresses: JSON in and out, errors in words.

import { offerToSignIn, signInAgain } from "./session.js";

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

/** Answers that say that the session, or the token of its forms, is no longer the page's. */
const isSessionLost = ({ status, headers }) => status === 401 || headers.has("X-Form-Expired");

function failure(answer, body) {
    const words = body.detail ?? `The server answered ${answer.status}. Try again in a minute.`;
    return new RequestFailed(words, answer.status, body.errors, body.data);
}

async function send(address, { method, body, headers, signal }) {
    const sent = { Accept: "application/json", ...headers };
    const isForm = body instanceof FormData;
    // A form's own type carries the boundary between its parts.
    if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
    if (method !== "GET") sent["X-CSRFToken"] = csrf();
    try {
        return await fetch(address, { method, headers: sent, body: isForm ? body : JSON.stringify(body), signal });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new RequestFailed("No connection. Check the network and try again.", 0);
    }
}

/**
 * Send a request of a page. When the session has ended, a change waits until the user has signed
 * in again and then goes on; what only reads, also a preview that is posted, fails, and the page
 * offers to sign in.
 */
export async function request(address, { method = "GET", isPreview = method === "GET", body, headers = {}, signal } = {}) {
    let answer = await send(address, { method, body, headers, signal });
    let fault = answer.ok ? null : await answer.json().catch(() => ({}));
    if (fault && isSessionLost(answer)) {
        const goesOn = isPreview ? offerToSignIn() : await signInAgain();
        if (goesOn) {
            answer = await send(address, { method, body, headers, signal });
            fault = answer.ok ? null : await answer.json().catch(() => ({}));
        }
    }
    if (fault) throw failure(answer, fault);
    return answer.status === 204 ? null : answer.json();
}
