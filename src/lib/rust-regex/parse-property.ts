import type { Scanner } from "./scanner.ts";
import type { ClassSet } from "./syntax.ts";

/** Reads what follows `\p` or `\P`: one letter, or `{Greek}`, `{sc=Greek}`, `{gc!=Lu}`. */
export function parseProperty(scanner: Scanner, start: number): Extract<ClassSet, { kind: "property" }> {
  const found = scanner.takeMatch(/\{([^{}=!:]*)(!?[=:])?([^{}]*)\}|[^{]/uy);
  if (found === undefined) {
    throw scanner.error("a property is expected here", "Write \\pL, \\p{Lu} or \\p{Greek}.", start);
  }
  const [text, first, operator, second] = found;
  const source =
    first === undefined ? nameInJavaScript(undefined, text) : propertyInJavaScript(first, operator, second);
  const written = scanner.pattern.slice(start, scanner.index);
  // Rust reads names more freely than we do; whether this one exists, ripgrep has to say.
  if (source === undefined) scanner.untranslatable = `the property ${written}`;
  if (!scanner.flags.u) scanner.untranslatable = `${written} without Unicode`;
  const negated = (written[1] === "P") !== (operator?.startsWith("!") === true);
  return { kind: "property", source: source ?? "Any", negated };
}

const keys: ReadonlyMap<string, string> = new Map([
  ["gc", "General_Category"],
  ["generalcategory", "General_Category"],
  ["sc", "Script"],
  ["script", "Script"],
  ["scx", "Script_Extensions"],
  ["scriptextensions", "Script_Extensions"],
]);

function propertyInJavaScript(
  first: string,
  operator: string | undefined,
  second: string | undefined,
): string | undefined {
  if (operator === undefined) return nameInJavaScript(undefined, first) ?? nameInJavaScript("Script", first);
  const key = keys.get(first.toLowerCase().replace(/[\s_-]/g, ""));
  return key === undefined ? undefined : nameInJavaScript(key, second ?? "");
}

/** JavaScript wants names spelled exactly; as written, and as most names are spelled: Old_Italic. */
function nameInJavaScript(key: string | undefined, name: string): string | undefined {
  const words = name.trim().split(/[\s_-]+/);
  const titled = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()).join("_");
  const spellings = [name.trim(), titled].map((spelling) =>
    key === undefined ? spelling : `${key}=${spelling}`,
  );
  return spellings.find(isProperty);
}

function isProperty(source: string): boolean {
  try {
    new RegExp(`\\p{${source}}`, "u");
    return /^[\w=]+$/.test(source);
  } catch {
    return false;
  }
}
