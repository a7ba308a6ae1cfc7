// Requests to the server: JSON in and out, errors as exceptions.

import { offerToSignIn, signInAgain } from "./session.js";

export class RequestFailed extends Error {
    constructor(message, status, faults = [], data = {}) {
        super(message);
        this.status = status;
        /** Values or records behind the message. */
        this.data = data;
        /** [{pointer, detail}] for display at the fields. */
        this.faults = faults;
    }

    /** Whether the same request may succeed later. */
    get isPassing() {
        return this.status === 0 || this.status === 429 || this.status >= 500;
    }
}

/** Whether a poll that failed is repeated later; without a session, `poll` is called after signing in. */
export function willRetry(error, poll) {
    if (!(error instanceof RequestFailed)) throw error;
    if (error.status === 401) document.addEventListener("signedin", poll, { once: true });
    return error.isPassing;
}

const csrf = () => document.querySelector("meta[name=csrf-token]").content;

/** Whether a response reports that the session has ended or its CSRF token has changed. */
const isSessionLost = ({ status, headers }) => status === 401 || headers.has("X-Form-Expired");

function failure(answer, body) {
    const words = body.detail ?? `The server answered ${answer.status}. Try again in a minute.`;
    return new RequestFailed(words, answer.status, body.errors, body.data);
}

async function send(address, { method, body, headers, signal }) {
    const sent = { Accept: "application/json", ...headers };
    const isForm = body instanceof FormData;
    // The browser sets the type of a form, which has the boundary between its parts.
    if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
    if (method !== "GET") sent["X-CSRFToken"] = csrf();
    try {
        return await fetch(address, { method, headers: sent, body: isForm ? body : JSON.stringify(body), signal });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new RequestFailed("No connection. Check the network and try again.", 0);
    }
}

/** Keys of requests whose answer was lost, by address and body. */
const unanswered = new Map();

/** Create a random key; unlike randomUUID, it is available without HTTPS, too. */
const randomKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join("-");

/** Send a request with a key by which the server processes it once, although it is sent again. */
async function sendOnce(address, options) {
    const name = `${address} ${JSON.stringify(options.body)}`;
    const key = unanswered.get(name) ?? randomKey();
    unanswered.set(name, key);
    const answer = await send(address, { ...options, headers: { ...options.headers, "Idempotency-Key": key } });
    if (answer.status < 500) unanswered.delete(name);
    return answer;
}

/**
 * Send a request; rejects with `RequestFailed`. If the session has ended, a request that changes
 * data waits until the user has signed in again. A request that only reads (GET or `isPreview`)
 * fails, and the page offers to sign in. With `isOnce`, what is sent again because no answer came
 * is processed once.
 */
export async function request(address, { method = "GET", isPreview = method === "GET", isOnce = false, body, headers = {}, signal } = {}) {
    const sendIt = () => (isOnce ? sendOnce : send)(address, { method, body, headers, signal });
    let answer = await sendIt();
    let fault = answer.ok ? null : await answer.json().catch(() => ({}));
    if (fault && isSessionLost(answer)) {
        const goesOn = isPreview ? offerToSignIn() : await signInAgain();
        if (goesOn) {
            answer = await sendIt();
            fault = answer.ok ? null : await answer.json().catch(() => ({}));
        }
    }
    if (fault) throw failure(answer, fault);
    return answer.status === 204 ? null : answer.json();
}
