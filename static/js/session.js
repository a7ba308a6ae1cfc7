// Signing in again on an open page after its session has ended, so that no input is lost.

import { PasskeyFailed, usePasskey } from "./webauthn.js";

const SESSION = "/session";
const SIGN_IN = "/sign-in";
const CODE = "/sign-in/code";
const PASSKEY_OPTIONS = "/passkey/options";

const template = document.getElementById("session-template");
let waiting;

async function readSession() {
    const answer = await fetch(SESSION, { headers: { Accept: "application/json" } });
    return answer.json();
}

/** Write the current CSRF token into the page and all its forms. */
function takeToken(token) {
    document.querySelector("meta[name=csrf-token]").content = token;
    for (const input of document.querySelectorAll("input[name=csrf_token]")) input.value = token;
}

/**
 * Check whether the page's user is signed in, and update the CSRF token. With the token of another
 * user, as of another organization of the same address, the page would write as that user.
 */
async function isSignedIn() {
    const { user, csrfToken } = await readSession();
    const isOwn = user === template.dataset.user;
    if (isOwn) takeToken(csrfToken);
    return isOwn;
}

function showFault(form, words) {
    const fault = form.querySelector("[role=alert]");
    fault.textContent = words;
    fault.hidden = !words;
}

async function send(address, fields) {
    const { csrfToken } = await readSession();
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...fields, csrf_token: csrfToken })) body.append(name, value);
    const answer = await fetch(address, { method: "POST", headers: { Accept: "application/json" }, body });
    // Read the body in any case; the browser would keep the connection otherwise.
    return { answer, ...(await answer.json().catch(() => ({}))) };
}

async function sendPasskey() {
    const { answer, ...options } = await send(PASSKEY_OPTIONS, {});
    if (!answer.ok) return { answer, detail: options.detail, passwordNeeded: answer.status === 401 };
    return send(CODE, { credential: await usePasskey(options) });
}

/** Check whether the user has signed in at the organization's provider, in another tab. */
async function checkOtherTab() {
    const { email } = template.dataset;
    return (await isSignedIn()) ? "" : `Sign in as ${email} in the other tab first, then continue.`;
}

async function signIn(form, usesPasskey) {
    if (!form.password) return checkOtherTab();
    const code = form.querySelector("[data-code]");
    const sendFactor = () => (usesPasskey ? sendPasskey() : send(CODE, { code: form.code.value }));
    const { answer, detail, codeNeeded, passwordNeeded, hasPasskey } = code.hidden
        ? await send(SIGN_IN, { email: template.dataset.email, password: form.password.value })
        : await sendFactor();
    if (codeNeeded || passwordNeeded) {
        code.hidden = !codeNeeded;
        form.querySelector("[value=passkey]").hidden = !hasPasskey;
    }
    if (codeNeeded) {
        form.code.focus();
        return hasPasskey ? "Enter a code, or use your passkey." : "Enter the code from your authenticator.";
    }
    if (answer.ok && (await isSignedIn())) return "";
    return detail || "Signing in failed. Try again.";
}

function ask() {
    const dialog = template.content.firstElementChild.cloneNode(true);
    const form = dialog.querySelector("form");
    document.body.append(dialog);
    dialog.showModal();
    return new Promise((resolve) => {
        form.onsubmit = async (event) => {
            if (event.submitter?.value === "later") return;
            event.preventDefault();
            const fault = await signIn(form, event.submitter?.value === "passkey").catch((error) =>
                error instanceof PasskeyFailed ? error.message : "No connection. Check the network and try again.",
            );
            if (fault) {
                showFault(form, fault);
                if (form.querySelector("[data-code]")?.hidden) form.password.select();
            } else {
                dialog.close("signed-in");
            }
        };
        dialog.onclose = () => {
            dialog.remove();
            document.getElementById("session-note").hidden = dialog.returnValue === "signed-in";
            resolve(dialog.returnValue === "signed-in");
        };
    });
}

/** Ask the user to sign in again; resolves to true on success. Concurrent calls share one dialog. */
export async function signInAgain() {
    if (!template) return false;
    waiting ??= isSignedIn()
        .then((signedIn) => signedIn || ask())
        .then((signedIn) => {
            if (signedIn) document.dispatchEvent(new CustomEvent("signedin"));
            return signedIn;
        })
        .finally(() => (waiting = undefined));
    return waiting;
}

/** Show a note that the session has ended; returns false, as the request is not repeated. */
export function offerToSignIn() {
    const note = document.getElementById("session-note");
    // The user may have signed in again before this response arrived.
    if (note) isSignedIn().then((signedIn) => (note.hidden = signedIn), () => {});
    return false;
}

/** Wait until the user is signed in; a note offers to do so. Without a connection it waits for nothing. */
export async function untilSignedIn() {
    if (!template || (await isSignedIn().catch(() => true))) return;
    document.getElementById("session-note").hidden = false;
    await new Promise((resolve) => document.addEventListener("signedin", resolve, { once: true }));
}

/** Hold back a form that the browser submits until the user is signed in. */
async function guardForm(event) {
    const { target: form, submitter } = event;
    if (!form.matches("form[method=post]:not([data-sign-out])") || "checked" in form.dataset) return;
    // Stops the page's own listeners, which run at the second submit.
    event.preventDefault();
    event.stopImmediatePropagation();
    const goesOn = await signInAgain().catch(() => true);
    if (!goesOn) return;
    form.dataset.checked = "";
    form.requestSubmit(submitter);
    delete form.dataset.checked;
}

if (template) {
    document.addEventListener("submit", guardForm, { capture: true });
    document.querySelector("#session-note button").addEventListener("click", signInAgain);
}
