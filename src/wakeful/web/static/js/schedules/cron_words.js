// Cron fields in plain words, for the forms that people write. Every other form gets no words, never wrong ones.

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const MOST_TIMES = 4;
const NONE = { words: "", isZoned: false };

// {words, isZoned}: "Monday to Friday at 07:30", and whether a time zone matters for it.
export function cronWords(expression) {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 6 && fields[0] === "0") fields.shift();
  if (fields.length !== 5) return NONE;
  const [minutes, hours] = [read(fields[0], 0, 59), read(fields[1], 0, 23)];
  const time = minutes && hours && timeWords(minutes, hours);
  const days = daysWords(read(fields[2], 1, 31), read(fields[3], 1, 12, shortNames(MONTHS, 1)), weekdays(fields[4]));
  if (!time || !days) return NONE;
  if (time.at) return { words: `${capital(days.every)} at ${time.at}`, isZoned: true };
  return { words: capital([time.every, days.only].filter(Boolean).join(", ")), isZoned: Boolean(days.only || time.isZoned) };
}

// {at: "07:30 and 19:30"} or {every: "every 15 minutes"}; or null.
function timeWords(minutes, hours) {
  if (minutes.values && hours.values) {
    const times = hours.values.flatMap((hour) => minutes.values.map((minute) => shown(hour, minute)));
    if (times.length <= MOST_TIMES) return { at: list(times) };
  }
  if (minutes.values?.length === 1) return hourly(minutes.values[0], hours);
  const every = minutes.isAny ? "every minute" : minutes.step && 60 % minutes.step === 0 ? `every ${minutes.step} minutes` : null;
  if (!every || hours.isAny) return every && { every };
  const last = minutes.isAny ? 59 : 60 - minutes.step;
  return hours.isRange ? { every: `${every} from ${shown(hours.values[0], 0)} to ${shown(hours.values.at(-1), last)}`, isZoned: true } : null;
}

function hourly(minute, hours) {
  if (hours.isAny) return { every: minute ? `every hour at minute ${minute}` : "every hour" };
  if (hours.isRange) return { every: `every hour from ${shown(hours.values[0], minute)} to ${shown(hours.values.at(-1), minute)}`, isZoned: true };
  return hours.step && 24 % hours.step === 0 ? { every: `every ${hours.step} hours from ${shown(0, minute)}`, isZoned: true } : null;
}

// {every: "Monday to Friday", only: "Monday to Friday"}: in front of "at 07:30", and after "every hour, "; or null.
// Cron takes a day that fits either of two fields, which has no short words.
function daysWords(dates, months, days) {
  if (!dates || !months || !days || months.step || dates.step || days.step) return null;
  const inMonths = months.isAny ? "" : ` in ${months.isRange ? span(months.values, monthName) : list(months.values.map(monthName))}`;
  if (dates.isAny && days.isAny) return { every: `every day${inMonths}`, only: inMonths.trim() };
  if (!dates.isAny && !days.isAny) return null;
  if (dates.isAny) return weekdayWords(days.values, inMonths);
  if (months.values?.length === 1 && !dates.isRange) return same(`on ${list(dates.values.map(String))} ${monthName(months.values[0])}`);
  const numbers = dates.isRange ? span(dates.values, ordinal) : list(dates.values.map(ordinal));
  return same(`on the ${numbers} of the month${inMonths}`);
}

function weekdayWords(values, inMonths) {
  // Sunday ends the week.
  const names = values.toSorted((one, other) => ((one + 6) % 7) - ((other + 6) % 7)).map((day) => DAYS[day]);
  if (names.length === 1) return same(`every ${names[0]}${inMonths}`);
  const order = [...DAYS.slice(1), DAYS[0]];
  const isRow = names.length > 2 && order.indexOf(names.at(-1)) - order.indexOf(names[0]) === names.length - 1;
  return same(`${isRow ? `${names[0]} to ${names.at(-1)}` : list(names)}${inMonths}`);
}

// {isAny}, {step} or {values, isRange}; null for anything else.
function read(text, least, most, names = new Map()) {
  if (text === "*") return { isAny: true };
  const step = /^\*\/(\d{1,2})$/.exec(text);
  if (step) return Number(step[1]) > 0 ? { step: Number(step[1]) } : null;
  const parts = text.split(",").map((part) => range(part, names));
  const values = parts.every(Boolean) ? [...new Set(parts.flat())].toSorted((one, other) => one - other) : [];
  if (!values.length || values[0] < least || values.at(-1) > most) return null;
  return { values, isRange: values.length > 2 && values.at(-1) - values[0] === values.length - 1 };
}

function weekdays(text) {
  const field = read(text, 0, 7, shortNames(DAYS, 0));
  // Sunday is 0 and 7.
  return field?.values ? { values: [...new Set(field.values.map((day) => day % 7))] } : field;
}

// "5" → [5], "1-5" → [1, 2, 3, 4, 5]; null for anything else.
function range(text, names) {
  const [first, last, ...more] = text.split("-").map((part) => names.get(part.toLowerCase()) ?? (/^\d{1,2}$/.test(part) ? Number(part) : NaN));
  if (more.length || Number.isNaN(first)) return null;
  if (last === undefined) return [first];
  return last >= first ? Array.from({ length: last - first + 1 }, (_, at) => first + at) : null;
}

function shortNames(names, from) {
  return new Map(names.map((name, at) => [name.slice(0, 3).toLowerCase(), at + from]));
}

function same(words) {
  return { every: words, only: words };
}

function span(values, name) {
  return `${name(values[0])} to ${name(values.at(-1))}`;
}

function list(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0];
}

function monthName(number) {
  return MONTHS[number - 1];
}

function ordinal(number) {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[number % 10];
  return `${number}${number % 100 > 10 && number % 100 < 14 ? "th" : (ending ?? "th")}`;
}

function shown(hour, minute) {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
