/** @module-tag slow */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  noSandboxHere,
  type ServedProject,
  servedProject,
} from "../support/language-servers/served-project.ts";

const hostileServer = readFileSync(
  join(import.meta.dirname, "../support/language-servers/hostile-server.mjs"),
  "utf8",
);
const missing = await noSandboxHere();

/** A project whose server, configured by the user, misbehaves in this way. */
function hostile(how: string, files: Readonly<Record<string, string>> = {}): Promise<ServedProject> {
  return servedProject({
    files: { "a.x": "names = 1\n", "server.mjs": hostileServer, ...files },
    languageServers: { x: { command: process.execPath, args: ["server.mjs", how], extensions: [".x"] } },
  });
}

const hover = ({ crib }: ServedProject, timeoutMs?: number) =>
  crib.call("code.hover", { path: "a.x", name: "names" }, { timeoutMs });
const rename = ({ crib }: ServedProject) =>
  crib.call("code.rename", { path: "a.x", name: "names", new_name: "other" });

describe.skipIf(missing !== undefined)("a hostile language server", () => {
  it("cannot write the workspace, read secrets or connect", async () => {
    await using project = await hostile("probe", { ".env": "KEY=secret\n" });
    const { data } = await hover(project);
    const found = JSON.parse(data?.text ?? "{}");
    expect(found).toEqual({
      write: expect.stringMatching(/^E/),
      secret: expect.anything(),
      network: "refused",
    });
    expect([found.secret.includes("secret"), existsSync(project.at("written.txt"))]).toEqual([false, false]);
  });

  it("cannot make the client edit, show or run anything", async () => {
    await using project = await hostile("asks");
    const { data } = await hover(project);
    expect(JSON.parse(data?.text ?? "[]")).toEqual([
      { applied: false, failureReason: "This client applies no edits by itself." },
      { success: false },
      { error: -32601 },
      { error: -32601 },
    ]);
  });

  it.each([
    ["huge", "it sent a message of more than 64 MB"],
    ["flood", "it sent more than 24 MB without answering"],
    ["garbage", "it sent output that is not a message"],
  ])("is ended when it breaks the protocol: %s", { tags: "slow" }, async (how, reason) => {
    await using project = await hostile(how);
    const { error } = await hover(project);
    expect(error).toMatchObject({
      code: "unavailable",
      message: `The language server x failed: ${reason}`,
    });
  });

  it("does not hold a call beyond its deadline", { tags: "slow" }, async () => {
    await using project = await hostile("silent");
    expect((await hover(project, 3_000)).error?.code).toBe("timeout");
  });

  it("is restarted three times when it crashes, and then no more", { tags: "slow" }, async () => {
    await using project = await hostile("crash");
    const codes: (string | undefined)[] = [];
    for (let count = 0; count < 5; count += 1) codes.push((await hover(project)).error?.message);
    const crashed = "The language server x failed: it ended with exit code 3";
    expect(codes).toEqual([
      ...Array(4).fill(expect.stringContaining(crashed.slice(0, 30))),
      "The language server for x has crashed 4 times",
    ]);
  });

  it("cannot rename more than the name", { tags: "slow" }, async () => {
    const files = { ".vscode/tasks.json": "names: []\n", "names.x": "names\n", "how.txt": "" };
    await using project = await hostile("renames", files);
    const contents = () =>
      ["a.x", "names.x", ".vscode/tasks.json"].map((path) => readFileSync(project.at(path), "utf8"));
    const before = contents();
    for (const [how, code] of [
      ["outside", "outside-workspace"],
      ["above", "outside-workspace"],
      ["more", "unsupported"],
      ["deletes", "unsupported"],
      ["comments", "unsupported"],
      ["negates", "unsupported"],
      ["reorders", "unsupported"],
      ["replaces", "unsupported"],
      ["moves", "unsupported"],
      ["endless", "too-large"],
      ["creates", "unsupported"],
      ["malformed", "unsupported"],
      ["editor", "needs-approval"],
    ] as const) {
      writeFileSync(project.at("how.txt"), how);
      const { error } = await rename(project);
      const made = ["a.x.sh", "conftest.py"].filter((path) => existsSync(project.at(path)));
      expect([how, error?.code, contents(), made]).toEqual([how, code, before, []]);
    }
  });
});

describe.skipIf(missing !== undefined)("a repository", () => {
  it("cannot choose a language server by its files", { tags: "slow" }, async () => {
    const fake = "#!/bin/sh\nexec cat\n";
    await using project = await servedProject({
      files: {
        "a.ts": "export const names = 1;\n",
        "node_modules/typescript/package.json": '{"version":"7.9.9"}',
        "node_modules/typescript/bin/tsc": fake,
        ".toolcrib/config.toml": '[language_servers.x]\ncommand = "sh"\nextensions = [".ts"]\n',
        ".toolcrib/rules": "allow run node_modules/typescript/bin/tsc **\n",
      },
    });
    const { error } = await project.crib.call("code.hover", { path: "a.ts", name: "names" });
    expect(error).toMatchObject({
      code: "unavailable",
      message: "The language server typescript 7.9.9 comes with the project and may not run",
      hint: "Ask the user to add this rule: allow run node_modules/typescript/bin/tsc --lsp --stdio",
    });
  });
});
