// Formatting of positions, times and numbers; app/pages/presenters/filters.py does the same.

const NARROW_SPACE = "\u202f";
const MINUS = "\u2212";
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
export const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (n) => String(n).padStart(2, "0");

/** Longitude from -180 (included) to 180 (excluded). */
export function wrapLng(lng) {
    return ((((lng + 180) % 360) + 360) % 360) - 180;
}

function angle(value, digits, positive, negative, decimals) {
    const factor = 10 ** decimals;
    // Rounded as one number, so that 59.9996' becomes the next degree.
    const units = Math.round(Math.abs(value) * 60 * factor);
    const degrees = Math.floor(units / (60 * factor));
    const minutes = (units - degrees * 60 * factor) / factor;
    const width = decimals ? decimals + 3 : 2;
    const side = value < 0 && units > 0 ? negative : positive;
    return `${String(degrees).padStart(digits, "0")}°${minutes.toFixed(decimals).padStart(width, "0")}'${side}`;
}

export function latitude(lat, decimals = 3) {
    return angle(lat, 2, "N", "S", decimals);
}

export function longitude(lng, decimals = 3) {
    return angle(wrapLng(lng), 3, "E", "W", decimals);
}

/** 51°58.900'N 004°02.100'E */
export function position(lat, lng, decimals = 3) {
    return `${latitude(lat, decimals)} ${longitude(lng, decimals)}`;
}

/** A course or direction as three digits. */
export function course(degrees) {
    return `${String(Math.round(degrees) % 360).padStart(3, "0")}°`;
}

export function number(value, decimals = 0) {
    if (value === null || value === undefined) return "–";
    const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
    const sign = Number(value.toFixed(decimals)) < 0 ? MINUS : "";
    return sign + (part ? `${grouped}.${part}` : grouped);
}

function massDecimals(tonnes, decimals) {
    const isSmall = tonnes && Math.abs(tonnes) < 1;
    return isSmall ? Math.max(decimals, Math.min(3, 1 - Math.floor(Math.log10(Math.abs(tonnes))))) : decimals;
}

/** Metric tonnes; under 1 mt with two significant digits, to the kilogram. */
export function mass(tonnes, decimals = 0) {
    return number(tonnes, massDecimals(tonnes, decimals));
}

/** A short distance [nm] with one decimal; less than its half as < 0.1. */
export function miles(nm) {
    return nm > 0 && nm < 0.05 ? "< 0.1" : number(nm, 1);
}

/** How much more a figure is than another, both rounded as shown, as +1.9; empty if equal. */
export function difference(value, other, decimals = 0, unit = "") {
    const shown = unit === "mt" ? massDecimals(Math.max(Math.abs(value), Math.abs(other)), decimals) : decimals;
    const [a, b] = [value, other].map((each) => Math.sign(each) * Number(Math.abs(each).toFixed(shown)));
    const more = Number((a - b).toFixed(shown));
    return more ? `${more > 0 ? "+" : ""}${number(more, shown)}` : "";
}

/** 14 Jan 18:00; in another year than `since` 14 Jan 2024 18:00 */
export function shortTime(value, since = value) {
    const time = new Date(value);
    const year = time.getUTCFullYear();
    const dated = year === new Date(since).getUTCFullYear() ? "" : `${year} `;
    return `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${dated}${clock(time)}`;
}

/** Label of a time axis at a time [s]: the day, with the hour if the labels are less than a day apart. */
export function axisTime(seconds, splits) {
    const [date, month, time] = shortTime(seconds * 1000).split(" ");
    const fine = splits.length > 1 && splits[1] - splits[0] < 86_400;
    return fine ? `${date} ${time}` : `${date} ${month}`;
}

/** Wed 14 Jan 18:00 UTC; in another year than `since` Wed 14 Jan 2024 18:00 UTC */
export function fullTime(value, since) {
    return `${DAYS[new Date(value).getUTCDay()]} ${shortTime(value, since)} UTC`;
}

/** Wed 14 Jan 18:00; in another year than the present one Wed 14 Jan 2024 18:00 */
export function arrival(value) {
    return fullTime(value, Date.now()).replace(" UTC", "");
}

/** 14 Jan 18:00; in another year than the present one 14 Jan 2024 18:00 */
export function listedTime(value) {
    return shortTime(value, Date.now());
}

export function clock(value) {
    const time = new Date(value);
    return `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`;
}

/** Wed 14 Jan 2026 */
export function day(value) {
    const time = new Date(value);
    return `${DAYS[time.getUTCDay()]} ${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()}`;
}

/** Hours as "11 d 18 h", short ones as "3 h 20 min". */
export function duration(hours) {
    if (hours < 24) {
        const minutes = Math.round(hours * 60);
        return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
    }
    const whole = Math.round(hours);
    return `${Math.floor(whole / 24)} d ${whole % 24} h`;
}
