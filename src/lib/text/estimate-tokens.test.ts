import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

const source = readFileSync(import.meta.filename, "utf8");
const hashes = Array.from({ length: 200 }, (_, index) => createHash("sha256").update(`${index}`).digest());
const texts = {
  code: source,
  prose: "The fixture in a workshop where every tool is kept, handed out and signed back in. ".repeat(50),
  digits: Array.from({ length: 500 }, (_, index) => `${index * 7919},`).join(""),
  hexadecimal: hashes.map((hash) => hash.toString("hex")).join("\n"),
  base64: Buffer.concat(hashes).toString("base64"),
  japanese: "道具はすべて一つの窓口で貸し出される。".repeat(50),
  emoji: "🧰🔧🪛".repeat(200),
  signs: "{}[]()<>;:,.!?".repeat(100),
};

it.each(Object.entries(texts))("never underestimates %s", (_name, text) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
});

it("overestimates code and prose only slightly", () => {
  const ratios = [texts.code, texts.prose].map((text) => estimateTokens(text) / countTokens(text));
  expect(Math.max(...ratios)).toBeLessThan(2);
});
