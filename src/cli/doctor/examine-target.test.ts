import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { commandTarget } from "../../../test/support/remote/command-target.ts";
import { attacks } from "../../sandbox/proof/attacks.ts";
import type { Proof } from "../../sandbox/proof/prove-boundary.ts";
import type { Finding } from "./finding.ts";

let here: CliWorkspace;
beforeAll(() => {
  here = cliWorkspace();
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
});

async function examine(target: string, ...words: string[]) {
  const { exit, stdout, stderr } = await here.run("doctor", "--target", target, "--json", ...words);
  const report = JSON.parse(stdout) as {
    readonly target: string;
    readonly findings: readonly Finding[];
    readonly boundary: readonly Proof[];
    readonly sandbox: { readonly level: string } | null;
  };
  const about = (name: string) => report.findings.filter((finding) => finding.about === name);
  return { exit, stderr, ...report, about };
}

describe("toolcrib doctor --target", () => {
  it("attacks the sandbox there, describes the machine, and leaves nothing behind", {
    tags: "slow",
  }, async () => {
    await using there = commandTarget("cd");
    const { exit, stderr, target, about, boundary, sandbox } = await examine(there.target.name);
    expect(stderr.match(/Connecting/g)).toHaveLength(1);
    expect({ exit, target }).toEqual({ exit: 0, target: there.target.name });
    expect(about("target")).toMatchObject([{ state: "well", message: there.target.name }]);
    expect(about("node")).toMatchObject([{ message: expect.stringMatching(/^v\d+\.\S+ on \S+$/) }]);
    expect(about("server")).toMatchObject([{ message: expect.stringMatching(/^toolcrib \d/) }]);
    expect(about("workspace")).toMatchObject([{ message: there.home }]);
    expect(about("programs")).toMatchObject([
      { message: expect.stringContaining("ripgrep") },
      ...hints(about),
    ]);
    expect(sandbox).toMatchObject({ level: expect.stringMatching(/bwrap|landlock|seatbelt/) });
    expect(boundary.map(({ promise }) => promise)).toEqual(attacks.map(({ promise }) => promise));
    expect(boundary.filter(({ outcome }) => outcome === "open")).toEqual([]);
    expect(boundary.filter(({ outcome }) => outcome === "enforced").length).toBeGreaterThan(10);
    const left = () => readdirSync(there.home).filter((name) => name.startsWith(".toolcrib-doctor"));
    const sessions = () => readdirSync(join(there.folder, "sessions"));
    await vi.waitFor(() => expect([...left(), ...sessions()]).toEqual([]), { timeout: 20_000, interval: 50 });
  });

  it("says what the target lacks, and how to install it", { tags: "slow" }, async () => {
    await using there = commandTarget("cd", ["git", "bash", "rg"]);
    const { about, boundary } = await examine(there.target.name, "--sandbox", "none");
    expect(boundary).toContainEqual({
      promise: "Environment variables of Toolcrib are not passed on",
      outcome: "not tried",
      reason: "bash is not installed.",
    });
    // Toolcrib sends ripgrep.
    expect(about("programs")[0]).toMatchObject({ message: expect.stringMatching(/^ripgrep \d/) });
    expect(about("programs")).toContainEqual({
      about: "programs",
      state: "note",
      message: "git is not installed: the git tools fail, and .gitignore files are read in a simpler way",
      hint: "Install git on the target.",
    });
  });

  it("reports a target that cannot be reached as a problem", async () => {
    const { exit, about, boundary } = await examine("command:/missing/program");
    expect({ exit, boundary }).toEqual({ exit: 1, boundary: [] });
    expect(about("target")).toMatchObject([
      { state: "wrong", message: expect.stringContaining("cannot be started") },
    ]);
  });
});

function hints(about: (name: string) => readonly Finding[]) {
  return about("programs")
    .slice(1)
    .map(() => ({ state: "note", hint: expect.stringMatching(/^Install .* on the target\.$/) }));
}
