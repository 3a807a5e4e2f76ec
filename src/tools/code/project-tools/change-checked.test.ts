import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ToolFixture, toolFixture } from "../../../../test/support/tool-fixture.ts";
import { ToolError } from "../../../contract/error.ts";
import type { ToolContext } from "../../../contract/tool.ts";
import { changeChecked } from "./change-checked.ts";

const good = "echo good\n";
const better = "echo better\n";
const bad = "echo 'bad\n";

describe("a checked change", () => {
  it("is kept when the check passes", async () => {
    await using opened = toolFixture();
    expect(await change(opened, good, better)).toBe("bash -n a.sh");
    expect(contentOf(opened)).toBe(better);
  });

  it("is reverted when the check fails, and reports why", async () => {
    await using opened = toolFixture();
    const { code, message, hint, output } = await refusal(change(opened, good, bad));
    expect({ code, message, hint, output }).toEqual({
      code: "invalid-input",
      message: "`bash -n a.sh` fails with this change; a.sh was restored",
      hint: "Fix what it reports, or leave out `run_check`.",
      output: complaintsOf(opened, bad),
    });
    expect(contentOf(opened)).toBe(good);
  });

  it("is reverted even when all errors existed before, because they may hide new ones", async () => {
    await using opened = toolFixture();
    const moved = `\n${bad}`;
    const { code, hint, output } = await refusal(change(opened, bad, moved));
    expect({ code, hint, output }).toEqual({
      code: "invalid-input",
      hint: "It fails in the same way without the change: fix that first, or leave out `run_check`.",
      output: complaintsOf(opened, moved),
    });
    expect(contentOf(opened)).toBe(bad);
  });

  it("is reverted when the check reports new errors", async () => {
    await using opened = toolFixture();
    expect((await refusal(change(opened, bad, "if\n"))).message).toBe(
      "`bash -n a.sh` fails with this change; a.sh was restored",
    );
    expect(contentOf(opened)).toBe(bad);
  });

  it("is left alone when another process wrote the file meanwhile", async () => {
    await using opened = toolFixture();
    const theirs = `${bad}# theirs\n`;
    const progress = () => writeFileSync(opened.at("a.sh"), theirs);
    const { code, message, hint } = await refusal(change(opened, good, bad, { progress }));
    expect({ code, message, hint }).toEqual({
      code: "stale",
      message: "`bash -n a.sh` fails with this change, and a.sh was changed meanwhile",
      hint: "The file contains both changes: read it, then fix the reported problems or remove your change.",
    });
    expect(contentOf(opened)).toBe(theirs);
  });

  it("is reverted when the check is cancelled", async () => {
    await using opened = toolFixture();
    const cancelling = new AbortController();
    const running = change(opened, good, better, {
      signal: cancelling.signal,
      progress: () => cancelling.abort(),
    });
    const { code, message } = await refusal(running);
    expect({ code, message }).toEqual({
      code: "cancelled",
      message: "The call was cancelled; a.sh was restored",
    });
    expect(contentOf(opened)).toBe(good);
  });

  it("is not applied to a file that has changed", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.sh"), "theirs\n");
    const bytes = (text: string) => new TextEncoder().encode(text);
    const changing = changeChecked(
      { path: "a.sh", before: bytes(good), after: bytes(better) },
      opened.context,
    );
    expect((await refusal(changing)).code).toBe("stale");
    expect(contentOf(opened)).toBe("theirs\n");
  });

  it("is not applied when no checker is available", async () => {
    await using opened = toolFixture();
    const { code, message, hint } = await refusal(change(opened, good, better, {}, "a.rs"));
    expect({ code, message, hint }).toEqual({
      code: "unavailable",
      message: "The project has no checker for a.rs: it was not changed",
      hint:
        "Supported: cargo with Cargo.toml. " +
        "Install one, leave out `run_check`, or run your own with shell.run afterwards.",
    });
    expect(contentOf(opened, "a.rs")).toBe(good);
  });
});

async function change(
  opened: ToolFixture,
  before: string,
  after: string,
  context: Partial<ToolContext> = {},
  path = "a.sh",
) {
  writeFileSync(opened.at(path), before);
  const bytes = (text: string) => new TextEncoder().encode(text);
  return changeChecked(
    { path, before: bytes(before), after: bytes(after) },
    { ...opened.context, ...context },
  );
}

/** The errors of any version of bash for a script. */
function complaintsOf(opened: ToolFixture, script: string): string {
  writeFileSync(opened.at("same.sh"), script);
  const { stderr } = spawnSync("bash", ["-n", "same.sh"], { cwd: opened.workspace, encoding: "utf8" });
  return `${stderr.replaceAll("same.sh", "a.sh").trimEnd()}\n[sandbox: none]`;
}

function contentOf(opened: ToolFixture, path = "a.sh"): string {
  return readFileSync(opened.at(path), "utf8");
}

async function refusal(work: Promise<unknown>): Promise<ToolError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (error instanceof ToolError) return error;
  throw new Error("It did not fail", { cause: error });
}
