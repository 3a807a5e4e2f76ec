import { textOf, type Way } from "../scope-rules.ts";

/** Whether the preprocessor may take the name for something else than a value: a member, a label, text. */
export function isForPreprocessor(way: Way): boolean {
  const { steps } = way;
  return steps.some(({ type }, index) => {
    const next = steps[index + 1];
    if (/^preproc_(?:el)?if/.test(type)) return next?.field === "condition";
    return type === "argument_list" && next !== undefined && isGivenToMacro(way, index);
  });
}

function isGivenToMacro(way: Way, list: number): boolean {
  const call = way.steps[list - 1]!;
  const name = textOf(way, { start: call.start, end: way.steps[list]!.start }).trim();
  return headersMacros.test(name) || oddMacrosOf(way.text).has(name);
}

/** Of headers that are seen everywhere; other macros of headers are taken for functions. */
const headersMacros = /^(?:container_of|offsetof|sizeof_field|h?list_\w*entry\w*)$/;

let last: { readonly text: string; readonly odd: ReadonlySet<string> } = { text: "", odd: new Set() };

/** Macros of this text that are not like functions of values. Remembered for the text that was asked about last. */
function oddMacrosOf(text: string): ReadonlySet<string> {
  if (last.text !== text) last = { text, odd: findOddMacros(text) };
  return last.odd;
}

function findOddMacros(text: string): ReadonlySet<string> {
  const odd = new Set<string>();
  const rest = new Map<string, string>();
  for (const [, name = "", parameters, body = ""] of text.matchAll(definition)) {
    const isPlain = parameters?.split(",").every((parameter) => isValue(parameter.trim(), body)) ?? false;
    if (!isPlain) odd.add(name);
    rest.set(name, `${rest.get(name) ?? ""} ${body}`);
  }
  // What a macro gives on to another is taken as that one takes it.
  for (let known = -1; known !== odd.size; ) {
    known = odd.size;
    for (const [name, body] of rest) {
      if (body.match(/\w+(?=\s*\()/g)?.some((word) => odd.has(word))) odd.add(name);
    }
  }
  return odd;
}

const definition = /^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)]*)\))?((?:[^\n\\]|\\\r?\n|\\.)*)/gm;

function isValue(parameter: string, body: string): boolean {
  const name = parameter === "..." ? "__VA_ARGS__" : parameter.replace("...", "");
  if (!/^\w+$/.test(name)) return name === "";
  return [...body.matchAll(new RegExp(`\\b${name}\\b`, "g"))].every(({ index }) => {
    const before = body.slice(0, index).trimEnd();
    if (/^\s*##/.test(body.slice(index + name.length)) || /(?:#|->|\.)$/.test(before)) return false;
    return !/\w$/.test(before) || /\b(?:return|sizeof|case|else)$/.test(before);
  });
}
