// Parsing of typed times in UTC, such as "14 Jan 2026 18:00", "2026-01-14 1800" or "14.01.2026 18:00".

import { MONTHS, clock } from "./format.js";

/** Message for a time that is none. */
export const NO_TIME = "Enter a time in UTC, like 14 Jan 2026 18:00.";

const WORDS = /^(?:[a-z]{3},?\s+)?(\d{1,2})\s*([a-z]{3})[a-z]*\.?\s*(\d{4})?(?:[ ,T]+(.*))?$/i;
const NUMBERS = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(.*))?$/;
const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ ,]+(.*))?$/;
const CLOCK = /^(\d{1,2})(?::?(\d{2}))?(?::\d{2})?\s*(?:utc|z)?$/i;

function readClock(text) {
    if (!text) return [0, 0];
    const match = CLOCK.exec(text.trim());
    const [hours, minutes] = match ? [Number(match[1]), Number(match[2] ?? 0)] : [99, 0];
    return hours < 24 && minutes < 60 ? [hours, minutes] : null;
}

/** Year in which a day of the calendar is nearest to now. */
function nearestYear(month, date, now) {
    const year = now.getUTCFullYear();
    const exists = (each) => new Date(Date.UTC(each, month, date)).getUTCDate() === date;
    const apart = (each) => Math.abs(Date.UTC(each, month, date) - now.getTime());
    // 29 February is in one of them
    const years = [...Array(9).keys()].map((n) => year - 4 + n).filter(exists);
    return years.sort((a, b) => apart(a) - apart(b))[0] ?? year;
}

/** Parse a time, one without a year as the nearest to now; null if the text is not a time. */
export function parseTime(text, now = new Date()) {
    const typed = text.trim();
    let [year, month, date, rest] = [];
    let match = WORDS.exec(typed);
    if (match) {
        const name = match[2].toLowerCase();
        month = MONTHS.findIndex((each) => each.toLowerCase() === name);
        [date, rest] = [Number(match[1]), match[4]];
        year = match[3] ? Number(match[3]) : nearestYear(month, date, now);
    } else if ((match = NUMBERS.exec(typed))) {
        [year, month, date, rest] = [Number(match[1]), Number(match[2]) - 1, Number(match[3]), match[4]];
    } else if ((match = GERMAN.exec(typed))) {
        [year, month, date, rest] = [Number(match[3]), Number(match[2]) - 1, Number(match[1]), match[4]];
    } else {
        return null;
    }
    const hours = readClock(rest);
    if (month < 0 || !hours) return null;
    const time = new Date(Date.UTC(year, month, date, ...hours));
    return time.getUTCMonth() === month && time.getUTCDate() === date ? time : null;
}

/** 14 Jan 2026 18:00 */
export function writeTime(time) {
    return `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${time.getUTCFullYear()} ${clock(time)}`;
}

/** Default departure: the first whole hour at least one hour from now. */
export function nextDeparture(now = new Date()) {
    return new Date(Math.ceil(now.getTime() / 3_600_000 + 1) * 3_600_000);
}
