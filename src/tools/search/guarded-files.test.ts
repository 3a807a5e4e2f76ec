import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { toolContext } from "../../../test/support/tool-context.ts";
import { exampleGuard } from "../../environment/conformance/guarding.ts";
import { failure, failureOf } from "../../environment/conformance/world.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { searchGlob } from "./glob.ts";
import { type GrepInput, grep } from "./grep.ts";
import { usualBudget } from "./grep-search.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const files = {
  "a.secret": "needle and thread\nneedle\n",
  "b.txt": "needle\n",
  "large.secret": `needle\n${"x".repeat(99)}\n`.repeat(90_000),
  "picture.secret": "needle\0\n",
  "vault/deep/c.txt": "needle\n",
  "z.txt": "nothing\n",
};

function open(programs: Readonly<Record<string, string | undefined>> = {}) {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib guarded "));
  closing.push(() => fs.rmSync(workspace, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(workspace, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), content);
  }
  const environment = openLocalEnvironment({ workspace, programs, guard: exampleGuard });
  closing.push(() => environment.close());
  return toolContext(environment);
}

const noBudget = { files: 0, bytes: 0 };
const guarded = ["a.secret", "large.secret", "picture.secret", "vault/deep/c.txt"];
const note = `[4 files hidden by rules were skipped: ${guarded.join(", ")}]`;

/** Every output mode, and a pattern that only ripgrep supports. */
const inputs: Readonly<Record<string, Partial<GrepInput>>> = {
  lines: {},
  "lines with context": { context: 1 },
  "file names": { mode: "files" },
  counts: { mode: "count" },
  "across lines": { pattern: "needle\\n", multiline: true },
  "counts across lines": { pattern: "needle\\n", multiline: true, mode: "count" },
  "a pattern only ripgrep supports": { pattern: "(?-u:need.e)", mode: "count" },
};

describe("search.grep", () => {
  for (const [name, input] of Object.entries(inputs)) {
    it(`shows nothing of files that rules hide: ${name}`, async () => {
      const engines = [
        await grep({ pattern: "needle", ...input }, open(), noBudget),
        await grep({ pattern: "needle", ...input }, open(), usualBudget),
      ];
      for (const { text, data } of engines) {
        expect(data.files).toEqual([{ path: "b.txt", count: 1 }]);
        expect(data.matches.map((match) => match.path)).toEqual(data.mode === "content" ? ["b.txt"] : []);
        expect(text.replace(note, "")).not.toMatch(/secret|vault|thread/);
      }
    });
  }

  it("reports how many files it skipped, regardless of their contents", async () => {
    const found = await grep({ pattern: "needle" }, open({ rg: undefined }), usualBudget);
    expect(found.text).toBe(`b.txt:1:needle\n${note}`);
    const other = await grep({ pattern: "elsewhere" }, open({ rg: undefined }), usualBudget);
    expect(other.text).toBe(
      `Nothing in the workspace matches (2 files searched). Not searched: hidden and ignored files; set hidden or no_ignore to include them.\n${note}`,
    );
    expect([found.data.skipped.guarded, other.data.skipped.guarded]).toEqual([guarded, guarded]);
  });

  it("refuses such a file by name, also a large or binary one", async () => {
    const context = open();
    for (const name of ["a.secret", "large.secret", "picture.secret"]) {
      for (const budget of [noBudget, usualBudget]) {
        expect(await failureOf(grep({ pattern: "needle", path: name }, context, budget))).toEqual(
          failure(
            "denied",
            `${name} is secret (secret *.secret (test:1))`,
            `Do not work around it. Continue without it, or ask the user to add the rule: open ${name}`,
          ),
        );
      }
    }
  });
});

it("search.glob still lists them", async () => {
  const { data } = await searchGlob.run({ pattern: "*.secret", sort: "path" }, open());
  expect(data.files.map((file) => file.path)).toEqual(["a.secret", "large.secret", "picture.secret"]);
});
