import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBytes } from "../../test/support/documents/read-bytes.ts";
import { rounds } from "../../test/support/rounds.ts";
import { ToolError } from "../contract/error.ts";
import { Budget } from "./budget.ts";
import { readDocument } from "./read-document.ts";

const samples = join(import.meta.dirname, "../../test/samples/documents");
const names = readdirSync(samples).filter((name) => !/\.(?:txt|md)$/.test(name));

describe("a document", () => {
  it.each(names)(
    "%s is read or refused when cut or altered at any byte",
    async (name) => {
      const whole = readFileSync(join(samples, name));
      const offset = fc.nat({ max: whole.length - 1 });
      const change = fc.array(fc.tuple(offset, fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(offset, change, async (end, changes) => {
          const changed = Buffer.from(whole);
          for (const [at, byte] of changes) changed[at] = byte;
          for (const bytes of [whole.subarray(0, end), changed]) {
            const outcome = await readBytes(name, bytes).catch((error) => error);
            // Other errors of a reader are refusals, too, and are kept as the cause.
            if (outcome instanceof Error)
              expect([outcome.name, outcome.cause]).toEqual(["ToolError", undefined]);
          }
        }),
        { numRuns: rounds(2) },
      );
    },
    60_000,
  );

  it("that its reader does not expect is refused as damaged", async () => {
    const context = { budget: new Budget("a.txt"), signal: new AbortController().signal, progress: () => {} };
    const source = {
      name: "a.txt",
      bytes: Buffer.from("a"),
    };
    const wanted = {
      get maxChars(): number {
        throw new RangeError("Out of range");
      },
    };
    const refused = await readDocument(source, wanted, context).catch((error) => error);
    expect(refused).toBeInstanceOf(ToolError);
    expect([refused.code, refused.message]).toEqual([
      "unsupported",
      "a.txt is damaged: it cannot be read as text (Out of range)",
    ]);
  });
});
