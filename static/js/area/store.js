// The constraints of the page, the last saved first, and the requests that change them.

import { request } from "../request.js";

/** Fields of a new constraint. */
export const NEW = { name: "", type: "USER_DEFINED", level: "ORGANIZATION", vessel_type_codes: [], is_active: true };

export class AreaStore {
    constructor(areas, address) {
        Object.assign(this, { areas, address });
    }

    find(wanted) {
        return this.areas.find(({ id }) => id === wanted);
    }

    drop(gone) {
        this.areas = this.areas.filter(({ id }) => id !== gone.id);
    }

    /** Take over another user's change of a constraint. */
    replace(theirs) {
        this.areas = this.areas.map((each) => (each.id === theirs.id ? theirs : each));
    }

    create(body, options = {}) {
        return this.send(this.address, { method: "POST", body, ...options });
    }

    update({ address }, body) {
        return this.send(address, { method: "PUT", body });
    }

    async send(address, options) {
        const saved = await request(address, options);
        this.drop(saved);
        this.areas = [saved, ...this.areas];
        return saved;
    }

    /** Delete a constraint, unless another user has done so. */
    async delete(gone) {
        try {
            await request(gone.address, { method: "DELETE" });
        } catch (error) {
            if (error.status !== 404) throw error;
        }
        this.drop(gone);
    }
}
