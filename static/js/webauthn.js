// Passkeys in the browser: options and answers in the JSON of Web Authentication, Level 3.

export class PasskeyFailed extends Error {}

const FAULTS = {
    InvalidStateError: "This device already has a passkey of your account. Use another device.",
    NotAllowedError: "No passkey was used. Try again, or continue without one.",
    SecurityError: "Passkeys do not work at this address. Open the public address of this service.",
};
const UNSUPPORTED = "Passkeys need a current browser, and a host name with https://.";

/** Ask the browser; resolves to the answer as JSON, rejects with `PasskeyFailed`. */
async function ask(method, parser, options) {
    const parse = window.PublicKeyCredential?.[parser];
    if (!parse) throw new PasskeyFailed(UNSUPPORTED);
    try {
        const credential = await navigator.credentials[method]({ publicKey: parse.call(PublicKeyCredential, options) });
        return JSON.stringify(credential);
    } catch (error) {
        throw new PasskeyFailed(FAULTS[error.name] ?? `The passkey failed: ${error.message}`);
    }
}

export const createPasskey = (options) => ask("create", "parseCreationOptionsFromJSON", options);

export const usePasskey = (options) => ask("get", "parseRequestOptionsFromJSON", options);
