// faults.js: what start() and faults() take, as settings of the library dynamo_faults.
"use strict";

const show = (value) => JSON.stringify(value) ?? String(value);

const fraction = { what: "a number from 0 to 1", is: (value) => typeof value === "number" && value >= 0 && value <= 1 };
const whole = { what: "a number without decimals, not negative", is: (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 31 };
const flag = { what: "true or false", is: (value) => typeof value === "boolean" };
const names = {
  what: "a list of names",
  is: (value) => Array.isArray(value) && value.every((name) => typeof name === "string" && /^[\w.-]+$/.test(name)),
  text: (value) => value.join(", "),
};
const exception = {
  what: '"ProvisionedThroughputExceededException" or "ThrottlingException"',
  is: (value) => value === "ProvisionedThroughputExceededException" || value === "ThrottlingException",
};

const KINDS = {
  throttle: fraction, throttleError: exception, internalError: fraction, transactionConflict: fraction, unprocessed: fraction,
  pageItems: whole, staleReads: whole, staleIndexesOnly: flag, latency: whole, operations: names, tables: names, count: whole, seed: whole,
};

// Returns a copy of the faults; throws a TypeError for what is none.
function checkFaults(faults = {}) {
  const given = Object.entries(faults ?? {}).filter(([, value]) => value !== undefined);

  for (const [name, value] of given) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;

    if (!kind)
      throw new TypeError(`dynamo-local: there is no fault "${name}"; there are ${Object.keys(KINDS).join(", ")}`);
    if (!kind.is(value))
      throw new TypeError(`dynamo-local: the fault "${name}" must be ${kind.what}, not ${show(value)}`);
  }
  return Object.fromEntries(given);
}

// Lines for the configuration. There is always a seed: with it, counts begin anew, and no request
// that comes later meets the former settings.
function faultSettings(faults) {
  return Object.entries({ seed: 0, ...faults }).map(([name, value]) => {
    const setting = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

    return `dynamo_faults.${setting} = '${(KINDS[name].text ?? String)(value)}'\n`;
  }).join("");
}

// The faults of the command line's arguments, such as "throttle=0.1" and "tables=music,shop".
function parseFaults(args) {
  return checkFaults(Object.fromEntries(args.map((arg) => {
    const [, name, text] = /^([^=]*)=?(.*)$/s.exec(arg);
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;

    if (kind === names)
      return [name, text.split(",").map((part) => part.trim())];
    if (kind === flag)
      return [name, text === "true" || (text !== "false" && text)];
    return [name, kind === exception || text.trim() === "" ? text : Number(text)];
  })));
}

module.exports = { checkFaults, faultSettings, parseFaults };
