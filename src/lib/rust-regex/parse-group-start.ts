import { escapeHint, type Flags, type Scanner } from "./scanner.ts";

/**
 * Reads what may stand after "(": `?:`, `?<name>`, `?P<name>`, `?flags:`. `?flags)` is the whole group and holds for
 * the rest of the group around it.
 */
export function parseGroupStart(scanner: Scanner, open: number): "group" | "flags-only" {
  scanner.skipBlanks();
  if (scanner.takeMatch(/\?(?:<?[=!]|>)/y)) throw lookAround(scanner, open);
  if (scanner.takeMatch(/\?P?</y)) {
    parseName(scanner, open);
    return "group";
  }
  if (!scanner.take("?")) return "group";
  const flags = parseFlags(scanner, open);
  scanner.flags = flags;
  if (scanner.take(":")) return "group";
  scanner.index += 1;
  return "flags-only";
}

function parseName(scanner: Scanner, open: number): void {
  const start = scanner.index;
  const name = scanner.takeMatch(/([_\p{Alphabetic}][_.[\]\p{Alphabetic}\p{Nd}]*)>/uy)?.[1];
  if (name === undefined) {
    scanner.index = Math.min(start + 1, scanner.pattern.length);
    throw scanner.error("a group name is made of letters, digits and underscores", "Write (?<name>…).", open);
  }
  if (scanner.names.has(name)) {
    throw scanner.error(
      `the group name "${name}" is taken`,
      "Give each group a name of its own, or use (?:…).",
      open,
    );
  }
  scanner.names.add(name);
}

/** Reads up to the ":" or ")" and stops before it. */
function parseFlags(scanner: Scanner, open: number): Flags {
  const found: Record<string, boolean> = {};
  let value = true;
  let last = "";
  while (!scanner.looksAt(":") && !scanner.looksAt(")")) {
    if (scanner.atEnd) {
      scanner.index = open + 1;
      throw scanner.error("this group is never closed", escapeHint("("), open);
    }
    const start = scanner.index;
    last = String.fromCodePoint(scanner.next());
    if (last === "-" && value) {
      value = false;
    } else if ("imsuxUR".includes(last) && last !== "-" && found[last] === undefined) {
      found[last] = value;
    } else {
      throw scanner.error(
        `"${last}" is no flag that can stand here`,
        "Flags are i, m, s, x, u, U and R, each once.",
        start,
      );
    }
  }
  if (last === "-" || (last === "" && scanner.looksAt(")"))) {
    throw scanner.error("flags are expected here", "Write (?i) or (?i:…); for a plain group (?:…).", open);
  }
  if (found.R !== undefined) scanner.untranslatable = "(?R) changes what a line end is";
  return { ...scanner.flags, ...found };
}

function lookAround(scanner: Scanner, open: number): Error {
  return scanner.error(
    "look-around is not supported by ripgrep",
    "Search for the wider text and pick from the hits; for whole words use \\b.",
    open,
  );
}
