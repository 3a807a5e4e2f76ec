import { cleanWords } from "../words/clean-words.ts";
import type { Schema } from "./repair-schema.ts";

/** The plain keywords of a schema that hold what they should; all others are left out, which only makes it wider. */
export function keepKeywords(given: Schema): Schema {
  const kept = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    if (numbers.has(key)) return typeof value === "number" && Number.isFinite(value) ? [[key, value]] : [];
    if (sizes.has(key)) return Number.isSafeInteger(value) && (value as number) >= 0 ? [[key, value]] : [];
    if (values.has(key)) return isSmall(value) ? [[key, value]] : [];
    switch (key) {
      case "enum":
        return Array.isArray(value) && value.length > 0 && isSmall(value, maxChoices) ? [[key, value]] : [];
      case "pattern":
        return typeof value === "string" && isPattern(value) ? [[key, value]] : [];
      case "format":
        return typeof value === "string" ? [[key, cleanWords(value, 40)]] : [];
      case "title":
        return typeof value === "string" ? [[key, cleanWords(value, 100)]] : [];
      case "uniqueItems":
        return typeof value === "boolean" ? [[key, value]] : [];
      case "divisibleBy":
        return typeof value === "number" && value > 0 ? [["multipleOf", value]] : [];
      default:
        return [];
    }
  });
  return oldBounds(given, Object.fromEntries(kept));
}

const numbers = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
const sizes = new Set(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]);
const values = new Set(["default", "const"]);
const maxChoices = 10_000;

/** In draft 4 `exclusiveMinimum: true` is said of `minimum`. */
function oldBounds(given: Schema, kept: Record<string, unknown>): Schema {
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (given[flag] !== true || kept[bound] === undefined) continue;
    kept[flag] = kept[bound];
    delete kept[bound];
  }
  return kept;
}

function isSmall(value: unknown, maxChars = 1_000): boolean {
  return (JSON.stringify(value)?.length ?? 0) <= maxChars;
}

function isPattern(text: string): boolean {
  try {
    return text.length <= 500 && new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}
