import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { heavyGrammars, largeGrammars } from "../languages/find-language.ts";
import { usedGrammars } from "../languages/languages.ts";
import { grammarSource, parserSource, patchGrammar } from "./load-grammar.ts";

const run = promisify(execFile);
const hashes = JSON.parse(
  readFileSync(new URL("../../../scripts/grammar-hashes.json", import.meta.url), "utf8"),
);

describe("the grammars", () => {
  it("are those that were pinned, and all that languages name", { tags: "slow" }, () => {
    const found = Object.fromEntries(usedGrammars.map((name) => [name, sha256(grammarSource(name))]));
    expect(found).toEqual(hashes.grammars);
    expect(sha256(parserSource())).toBe(hashes.parser);
  });

  it("are heavy when V8 could not compile their largest function again", { tags: "slow" }, () => {
    const sizes = usedGrammars.map(
      (name) => [name, largestFunction(readFileSync(grammarSource(name)))] as const,
    );
    const above = (bytes: number) => new Set(sizes.filter(([, size]) => size > bytes).map(([name]) => name));
    expect(above(170_000)).toEqual(heavyGrammars);
    expect(above(120_000)).toEqual(new Set([...heavyGrammars, ...largeGrammars]));
  });

  it("are patched only at their known bugs", () => {
    const swift = readFileSync(grammarSource("swift"));
    const patched = Buffer.from(swift);
    patched[350_553] = 1;
    expect(patched.equals(patchGrammar("swift", swift))).toBe(true);
    expect(patchGrammar("rust", swift)).toBe(swift);
    expect(() => patchGrammar("swift", swift.subarray(1))).toThrow("does not fit its version");
  });

  /** Other versions of Node to test: TOOLCRIB_TEST_NODES=/a/node:/b/node. */
  const nodes = [process.execPath, ...(process.env.TOOLCRIB_TEST_NODES?.split(":") ?? [])];
  it.each(nodes)("parse their languages in %s", { tags: "slow" }, async (node) => {
    const program = fileURLToPath(new URL("../../../test/support/code/parse-samples.ts", import.meta.url));
    const flags = ["--liftoff-only", "--disable-warning=ExperimentalWarning"];
    const { stdout, stderr } = await run(node, [...flags, program]);
    expect([JSON.parse(stdout), stderr]).toEqual([{ parsed: 97, failures: [] }, ""]);
  });
});

function sha256(file: URL): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** In bytes of WebAssembly. The tenth section contains the code. */
function largestFunction(bytes: Uint8Array): number {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  for (;;) {
    const section = bytes[at++]!;
    const size = number();
    if (section !== 10) at += size;
    else {
      let largest = 0;
      for (let left = number(); left > 0; left -= 1) {
        const length = number();
        largest = Math.max(largest, length);
        at += length;
      }
      return largest;
    }
  }
}
