// A small stand-in for Intl, which the engine lacks: English, no time zones but the local one and UTC.

const LOCALE = "en-US";
const locales = () => [LOCALE];

const EXTEND = /^[\p{M}\u200d\ufe00-\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]$/u;
const REGIONAL = /^[\u{1f1e6}-\u{1f1ff}]$/u;
const PICTURE = /^\p{Extended_Pictographic}$/u;

/** Splits text where a reader sees a new character. */
function graphemes(text) {
  const out = [];
  let last = "";
  let flags = 0;
  for (const character of text) {
    const current = out.at(-1);
    const pairs = REGIONAL.test(character) && REGIONAL.test(last) && flags % 2 === 1;
    const joins = current !== undefined && last !== "\n" && (EXTEND.test(character) || pairs || (last === "\u200d" && PICTURE.test(character)) || (last === "\r" && character === "\n"));
    flags = REGIONAL.test(character) ? flags + 1 : 0;
    if (joins) out[out.length - 1] = current + character;
    else out.push(character);
    last = character;
  }
  return out;
}

function pieces(text, granularity) {
  if (granularity === "word") return text.match(/[\p{L}\p{N}\p{M}_'’]+|\s|[^]/gu) ?? [];
  if (granularity === "sentence") return text.match(/[^.!?]+[.!?]*\s*|[.!?]+\s*/gu) ?? [];
  return graphemes(text);
}

class Segmenter {
  #granularity;
  constructor(_locales, options = {}) {
    this.#granularity = options?.granularity ?? "grapheme";
  }
  segment(input) {
    const text = String(input);
    const granularity = this.#granularity;
    const all = () => {
      let index = 0;
      return pieces(text, granularity).map((segment) => {
        const entry = { segment, index, input: text };
        if (granularity === "word") entry.isWordLike = /[\p{L}\p{N}]/u.test(segment);
        index += segment.length;
        return entry;
      });
    };
    return {
      [Symbol.iterator]: () => all()[Symbol.iterator](),
      containing: (at = 0) => all().find((entry) => at >= entry.index && at < entry.index + entry.segment.length),
    };
  }
  resolvedOptions() {
    return { locale: LOCALE, granularity: this.#granularity };
  }
}

function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function formatNumber(value, options = {}) {
  if (typeof value === "bigint") return grouped(String(value));
  const number = Number(value);
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "NaN" : number < 0 ? "-∞" : "∞";
  if (options.notation === "compact") return compact(number);
  const percent = options.style === "percent";
  const currency = options.style === "currency";
  const least = options.minimumFractionDigits ?? (currency ? 2 : 0);
  const most = Math.max(least, options.maximumFractionDigits ?? (currency ? 2 : percent ? 0 : 3));
  let [whole, fraction = ""] = Math.abs(percent ? number * 100 : number).toFixed(Math.min(most, 20)).split(".");
  while (fraction.length > least && fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  whole = whole.padStart(options.minimumIntegerDigits ?? 1, "0");
  const digits = (options.useGrouping === false ? whole : grouped(whole)) + (fraction === "" ? "" : `.${fraction}`);
  const sign = number < 0 ? "-" : "";
  if (percent) return `${sign}${digits}%`;
  if (currency) return `${sign}${options.currency === "USD" ? "$" : `${options.currency ?? ""}\u00a0`}${digits}`;
  return options.style === "unit" ? `${sign}${digits} ${options.unit ?? ""}`.trimEnd() : sign + digits;
}

function compact(number) {
  const size = Math.abs(number);
  const [scale, suffix] = size >= 1e12 ? [1e12, "T"] : size >= 1e9 ? [1e9, "B"] : size >= 1e6 ? [1e6, "M"] : size >= 1e3 ? [1e3, "K"] : [1, ""];
  const scaled = number / scale;
  return (Math.abs(scaled) < 100 ? String(Number(scaled.toPrecision(2))) : String(Math.round(scaled))) + suffix;
}

class NumberFormat {
  #options;
  constructor(_locales, options = {}) {
    this.#options = options ?? {};
    this.format = (value) => formatNumber(value, this.#options);
  }
  formatToParts(value) {
    return [{ type: "literal", value: this.format(value) }];
  }
  resolvedOptions() {
    return { locale: LOCALE, numberingSystem: "latn", style: "decimal", ...this.#options };
  }
  static supportedLocalesOf = locales;
}

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const two = (number) => String(number).padStart(2, "0");

function fieldsOf(date, utc) {
  const get = (name) => (utc ? date[`getUTC${name}`]() : date[`get${name}`]());
  return { year: get("FullYear"), month: get("Month"), day: get("Date"), weekday: get("Day"), hour: get("Hours"), minute: get("Minutes"), second: get("Seconds") };
}

function dateText(fields, options) {
  const { month, day, year, weekday } = options;
  const wide = month === "long" || month === "short";
  const size = (option, value) => (option === "2-digit" ? two(value % 100) : String(value));
  const cut = (name, option) => (option === "long" ? name : name.slice(0, 3));
  const dayText = day && size(day, fields.day);
  const yearText = year && size(year, fields.year);
  if (wide) {
    const front = [weekday && cut(DAYS[fields.weekday], weekday), [cut(MONTHS[fields.month], month), dayText].filter(Boolean).join(" ")].filter(Boolean).join(", ");
    return yearText ? `${front}${dayText ? "," : ""} ${yearText}` : front;
  }
  const numbers = [month && size(month, fields.month + 1), dayText, yearText].filter(Boolean).join("/");
  return [weekday && cut(DAYS[fields.weekday], weekday), numbers].filter(Boolean).join(", ");
}

function timeText(fields, options) {
  const { hour, minute, second, hour12 = options.hourCycle !== "h23" } = options;
  const hours = hour12 ? fields.hour % 12 || 12 : fields.hour;
  const parts = [hour && (hour === "2-digit" || !hour12 ? two(hours) : String(hours)), minute && (hour ? two(fields.minute) : String(fields.minute)), second && two(fields.second)].filter(Boolean);
  return parts.join(":") + (hour && hour12 ? ` ${fields.hour < 12 ? "AM" : "PM"}` : "");
}

const STYLES = {
  date: { full: { weekday: "long", month: "long", day: "numeric", year: "numeric" }, long: { month: "long", day: "numeric", year: "numeric" }, medium: { month: "short", day: "numeric", year: "numeric" }, short: { month: "numeric", day: "numeric", year: "2-digit" } },
  time: { full: { hour: "numeric", minute: "2-digit", second: "2-digit" }, long: { hour: "numeric", minute: "2-digit", second: "2-digit" }, medium: { hour: "numeric", minute: "2-digit", second: "2-digit" }, short: { hour: "numeric", minute: "2-digit" } },
};
const DATE_KEYS = ["weekday", "year", "month", "day"];
const TIME_KEYS = ["hour", "minute", "second"];
const NUMERIC_DATE = { year: "numeric", month: "numeric", day: "numeric" };
const NUMERIC_TIME = { hour: "numeric", minute: "2-digit", second: "2-digit" };

function formatDate(value, options = {}, defaults = NUMERIC_DATE) {
  const date = value === undefined ? new Date() : new Date(value);
  if (Number.isNaN(date.getTime())) throw new RangeError("Invalid time value");
  let wanted = { ...options, ...STYLES.date[options.dateStyle], ...STYLES.time[options.timeStyle] };
  if (![...DATE_KEYS, ...TIME_KEYS].some((key) => wanted[key])) wanted = { ...wanted, ...defaults };
  const fields = fieldsOf(date, /^(utc|gmt|etc\/utc)$/i.test(options.timeZone ?? ""));
  const parts = [];
  if (DATE_KEYS.some((key) => wanted[key])) parts.push(dateText(fields, wanted));
  if (TIME_KEYS.some((key) => wanted[key])) parts.push(timeText(fields, wanted));
  return parts.join(", ");
}

class DateTimeFormat {
  #options;
  constructor(_locales, options = {}) {
    this.#options = options ?? {};
    this.format = (value) => formatDate(value, this.#options);
  }
  formatToParts(value) {
    return [{ type: "literal", value: this.format(value) }];
  }
  resolvedOptions() {
    return { locale: LOCALE, calendar: "gregory", numberingSystem: "latn", timeZone: "UTC", ...this.#options };
  }
  static supportedLocalesOf = locales;
}

class Collator {
  #options;
  constructor(_locales, options = {}) {
    this.#options = options ?? {};
    this.compare = (left, right) => this.#compare(String(left), String(right));
  }
  #compare(left, right) {
    const loose = this.#options.sensitivity === "base" || this.#options.sensitivity === "accent";
    const [a, b] = loose ? [left.toLowerCase(), right.toLowerCase()] : [left, right];
    if (!this.#options.numeric) return a.localeCompare(b);
    const [as, bs] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
    for (let at = 0; at < Math.min(as.length, bs.length); at++) {
      const order = /^\d/.test(as[at]) && /^\d/.test(bs[at]) ? Number(as[at]) - Number(bs[at]) : as[at].localeCompare(bs[at]);
      if (order !== 0) return Math.sign(order);
    }
    return Math.sign(as.length - bs.length);
  }
  resolvedOptions() {
    return { locale: LOCALE, ...this.#options };
  }
  static supportedLocalesOf = locales;
}

class PluralRules {
  select(number) {
    return Number(number) === 1 ? "one" : "other";
  }
  static supportedLocalesOf = locales;
}

class ListFormat {
  #word;
  constructor(_locales, options = {}) {
    this.#word = options?.type === "disjunction" ? "or" : "and";
  }
  format(list) {
    const items = [...list];
    if (items.length < 3) return items.join(` ${this.#word} `);
    return `${items.slice(0, -1).join(", ")}, ${this.#word} ${items.at(-1)}`;
  }
}

class RelativeTimeFormat {
  format(value, unit) {
    const name = String(unit).replace(/s$/, "");
    const count = Math.abs(Number(value));
    const text = `${formatNumber(count)} ${name}${count === 1 ? "" : "s"}`;
    return Number(value) < 0 || Object.is(value, -0) ? `${text} ago` : `in ${text}`;
  }
}

export const Intl = { Segmenter, NumberFormat, DateTimeFormat, Collator, PluralRules, ListFormat, RelativeTimeFormat, getCanonicalLocales: locales, supportedValuesOf: () => [] };

/** Gives numbers and dates the methods that lean on Intl. */
export function installLocaleMethods() {
  const put = (target, name, value) => Object.defineProperty(target, name, { value, writable: true, configurable: true });
  put(Number.prototype, "toLocaleString", function (_locales, options) {
    return formatNumber(this.valueOf(), options);
  });
  put(BigInt.prototype, "toLocaleString", function () {
    return formatNumber(this.valueOf());
  });
  const dates = { toLocaleString: { ...NUMERIC_DATE, ...NUMERIC_TIME }, toLocaleDateString: NUMERIC_DATE, toLocaleTimeString: NUMERIC_TIME };
  for (const [name, defaults] of Object.entries(dates)) {
    put(Date.prototype, name, function (_locales, options) {
      return Number.isNaN(this.getTime()) ? "Invalid Date" : formatDate(this, options, defaults);
    });
  }
}
