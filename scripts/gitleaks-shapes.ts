import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";

const folder = join(import.meta.dirname, "../src/lib/secrets");

interface Rule {
  readonly id: string;
  readonly regex?: string;
}

/** Rules that Toolcrib has itself, rules without a recognisable beginning, and keys for tests. */
const leftOut =
  /^(?:private-key|generic-api-key|curl-|jwt|kubernetes-|nuget-|sidekiq-|hashicorp-tf-password|flutterwave-|stripe-|microsoft-teams)/;

/** Returns the source of `gitleaks-shapes.ts`: the rules of gitleaks for keys that begin with known letters. */
export function gitleaksModule(): string {
  const text = readFileSync(join(folder, "gitleaks/gitleaks.toml"), "utf8");
  const { rules } = parse(text) as unknown as { readonly rules: readonly Rule[] };
  const lines = rules.flatMap(({ id, regex }) => {
    if (regex === undefined || leftOut.test(id)) return [];
    return shapesIn(regex).map((shape) => {
      const [beginning, rest] = divide(shape);
      const counted = /\((?!\?)/.test(rest);
      if (counted || !isPattern(beginning + rest)) throw new Error(`The rule ${id} cannot be used`);
      return `  [${[kindOf(id), beginning, rest].map((part) => JSON.stringify(part)).join(", ")}],\n`;
    });
  });
  return `// Made by scripts/gitleaks-shapes.ts from the rules of gitleaks, whose licence is in gitleaks/LICENSE.

/** A kind of keys, their beginning and their rest, as parts of a regular expression. */
export type KeyShape = readonly [kind: string, beginning: string, rest: string];

// biome-ignore format: one rule per line
export const gitleaksShapes: readonly KeyShape[] = [
${lines.join("")}];
`;
}

function shapesIn(regex: string): readonly string[] {
  return alternatives(withoutFlags(regex))
    .map(withoutBorders)
    .flatMap(alternatives)
    .filter((shape) => beginsWithLetters.test(shape) && !shape.includes("{0,50}"));
}

const beginsWithLetters = /^(?:[A-Za-z0-9_-]{2,}[\w~.\\-]|\(\?:[a-zA-Z|0-9]+\)[_-])/;

/** Node 22 has no flags inside of a pattern: from `(?i)` on, both cases are written out. Groups are not counted. */
function withoutFlags(regex: string): string {
  const [sensitive = "", ...insensitive] = regex.replaceAll("(?-i:", "(?:").split("(?i)");
  const inGroups = sensitive.replace(/\(\?i:([^()]*)\)/g, (_, inner: string) => `(?:${inBothCases(inner)})`);
  return inGroups + inBothCases(insensitive.join(""));
}

function inBothCases(regex: string): string {
  return regex.replace(/\[[^\]]*\]/g, (set) => {
    const last = /[a-z]-([a-z])/i.exec(set)?.[1];
    if (last === undefined) return set;
    return set.replace(/(?:[a-z]-[a-z])+/i, `A-${last.toUpperCase()}a-${last.toLowerCase()}`);
  });
}

/** Splits at the bars outside of all brackets. */
function alternatives(regex: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: sign, index } of regex.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[()|]/g)) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (sign !== "|" || depth > 0) continue;
    parts.push(regex.slice(from, index));
    from = index + 1;
  }
  return [...parts, regex.slice(from)];
}

/** Leaves out what must be before and after a key, and the brackets around it. */
function withoutBorders(regex: string): string {
  const after = /\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$|\(\?:\[\^[^\]]*\]\|\\z\)$|\\b$/;
  const key = regex.replace(/^\\b/, "").replace(after, "");
  const inner = /^\((?:\?:)?([\s\S]*)\)$/.exec(key)?.[1];
  return inner !== undefined && isPattern(inner) ? withoutBorders(inner) : key;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

function divide(shape: string): readonly [string, string] {
  const [beginning = ""] = /^(?:\(\?:[a-zA-Z|0-9]+\)[_-]|(?:[\w~-]|\\[.-])+(?![?*+{]))/.exec(shape) ?? [];
  return [beginning, shape.slice(beginning.length)];
}

function kindOf(id: string): string {
  const words = id.replace(/^1/, "one").replace(/\d+/g, "").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

if (import.meta.main) writeFileSync(join(folder, "gitleaks-shapes.ts"), gitleaksModule());
