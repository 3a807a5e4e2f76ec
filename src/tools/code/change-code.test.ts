import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { SeenMemory } from "../../pipeline/seen-memory.ts";
import { codeDeleteBlock } from "./delete-block.ts";
import { codeReplaceBlock } from "./replace-block.ts";

describe("a change with the project's formatter", () => {
  it("formats the whole file before it is written", async () => {
    await using opened = fixtureWith("sed 's/  */ /g'");
    const output = await opened.run({ run_formatter: true, new_block: "func  A() int {\n    return  2\n}" });
    expect(opened.content()).toBe("package a\n\nfunc A() int {\n return 2\n}\n");
    const { notes } = output.data.files[0]!;
    expect([notes, output.data.block?.lastLine]).toEqual([["formatted by `gofmt`"], 5]);
  });

  it.each([
    ["fails", "echo 'oh' >&2; exit 2", "gofmt failed with exit code 2: a.go was not changed"],
    ["breaks the file", "echo 'func ('", /^a\.go would no longer parse:/],
  ])("writes nothing when the formatter %s", async (_, script, message) => {
    await using opened = fixtureWith(script);
    await expect(opened.run({ run_formatter: true, new_block: "func A() {}" })).rejects.toMatchObject({
      code: "invalid-input",
      message: expect.stringMatching(message),
    });
    expect(opened.content()).toBe(go);
  });

  it("refuses a change that the formatter removes entirely", async () => {
    await using opened = fixtureWith("sed 's/  */ /g'");
    await expect(
      opened.run({ run_formatter: true, new_block: "func  A() int {\n return 1\n}" }),
    ).rejects.toMatchObject({
      code: "invalid-input",
      message: "a.go: the new code equals the current code; nothing would change",
    });
  });
});

describe("a change with the project's checker", () => {
  const good = "f() {\n  echo one\n}\n\ng() {\n  echo two\n}\n";

  it("reports that it passes", async () => {
    await using opened = codeFixture({ "a.sh": good });
    const input = { path: "a.sh", name: "g", new_block: "g() {\n  echo three\n}", run_check: true };
    expect((await opened.run(codeReplaceBlock, input)).data.files[0]?.notes).toEqual([
      "`bash -n a.sh` passes",
    ]);
    expect(readFileSync(opened.at("a.sh"), "utf8")).toBe(good.replace("two", "three"));
  });

  it("restores the old file when it fails, even if the file parses", async () => {
    await using opened = codeFixture({ "a.sh": good });
    const input = { path: "a.sh", name: "g", new_block: "g() {\n  fi\n}", run_check: true };
    expect(await opened.refusal(codeReplaceBlock, input)).toEqual({
      code: "invalid-input",
      message: "`bash -n a.sh` fails with this change; a.sh was restored",
      hint: "Fix what it reports, or leave out `run_check`.",
    });
    expect(readFileSync(opened.at("a.sh"), "utf8")).toBe(good);
  });

  it("runs for deletions too", async () => {
    await using opened = codeFixture({ "a.sh": good });
    const { data } = await opened.run(codeDeleteBlock, { path: "a.sh", name: "f", run_check: true });
    expect(data.files[0]?.notes).toEqual(["deleted Function f [1-3]", "`bash -n a.sh` passes"]);
    expect(readFileSync(opened.at("a.sh"), "utf8")).toBe("g() {\n  echo two\n}\n");
  });
});

const go = "package a\n\nfunc A() int {\n return 1\n}\n";

/** A workspace with a Go file, on a machine whose gofmt is a shell command. */
function fixtureWith(script: string) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.go"), go);
  const gofmt = join(folder.path, "gofmt");
  writeFileSync(gofmt, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = openLocalEnvironment({ workspace, programs: { gofmt } });
  const opened = codeFixture();
  const context: ToolContext = { ...opened.context, environment, seen: new SeenMemory(environment) };
  return {
    content: () => readFileSync(join(workspace, "a.go"), "utf8"),
    run: (input: { readonly new_block: string; readonly run_formatter: boolean }) =>
      codeReplaceBlock.run({ path: "a.go", name: "A", ...input }, context),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
