// util.parseArgs: options of a command line.

import { codedError } from "deed:errors";
import { process } from "deed:globals/process";

const fail = (code, message) => {
  throw codedError(TypeError, `ERR_PARSE_ARGS_${code}`, message);
};

function shown(option, name, short) {
  return `'${short ? `-${short}, ` : ""}--${name}${option?.type === "string" ? " <value>" : ""}'`;
}

/** Splits arguments into tokens: options, positionals, and the `--` that ends options. */
function tokensOf(args, options) {
  const byShort = new Map(Object.entries(options).flatMap(([name, option]) => (option.short ? [[option.short, name]] : [])));
  const tokens = [];
  const queue = args.map((text, index) => ({ text, index }));
  while (queue.length > 0) {
    const { text, index } = queue.shift();
    const takeValue = (name) => (options[name]?.type === "string" && queue.length > 0 ? queue.shift().text : undefined);
    if (text === "--") {
      tokens.push({ kind: "option-terminator", index });
      for (const rest of queue.splice(0)) tokens.push({ kind: "positional", index: rest.index, value: rest.text });
    } else if (/^--./.test(text)) {
      const [, rawName, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(text) ?? [null, text.slice(2)];
      const value = inline ?? takeValue(rawName);
      tokens.push({ kind: "option", name: rawName, rawName: `--${rawName}`, index, value, inlineValue: value === undefined ? undefined : inline !== undefined });
    } else if (/^-[^-]/.test(text)) {
      const letter = text[1];
      const name = byShort.get(letter) ?? letter;
      const rest = text.slice(2);
      const isString = options[name]?.type === "string";
      if (rest !== "" && !isString) queue.unshift({ text: `-${rest}`, index });
      const value = isString ? (rest !== "" ? rest : takeValue(name)) : undefined;
      tokens.push({ kind: "option", name, rawName: `-${letter}`, index, value, inlineValue: value === undefined ? undefined : rest !== "" });
    } else tokens.push({ kind: "positional", index, value: text });
  }
  return tokens;
}

function check(token, options, allowPositionals) {
  const option = options[token.name];
  if (!option) {
    fail("UNKNOWN_OPTION", `Unknown option '${token.rawName}'${allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${token.rawName}"` : ""}`);
  }
  if (option.type === "string" && token.value === undefined) fail("INVALID_OPTION_VALUE", `Option ${shown(option, token.name, option.short)} argument missing`);
  if (option.type === "boolean" && token.value !== undefined) fail("INVALID_OPTION_VALUE", `Option ${shown(option, token.name, option.short)} does not take an argument`);
}

function negate(token, options, allowNegative) {
  const name = token.name.startsWith("no-") ? token.name.slice(3) : undefined;
  return allowNegative && name !== undefined && !options[token.name] && options[name]?.type === "boolean" ? name : undefined;
}

export function parseArgs(config = {}) {
  const { args = process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict, allowNegative = false, tokens: wantsTokens } = config;
  const tokens = tokensOf([...args], options);
  const values = Object.create(null);
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === "positional") {
      if (!allowPositionals) fail("UNEXPECTED_POSITIONAL", `Unexpected argument '${token.value}'. This command does not take positional arguments`);
      positionals.push(token.value);
    }
    if (token.kind !== "option") continue;
    const negated = negate(token, options, allowNegative);
    if (strict && !negated) check(token, options, allowPositionals);
    const name = negated ?? token.name;
    if (name === "__proto__") continue;
    const value = negated ? false : (token.value ?? true);
    if (options[name]?.multiple) (values[name] ??= []).push(value);
    else values[name] = value;
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  }
  return wantsTokens ? { values, positionals, tokens } : { values, positionals };
}
