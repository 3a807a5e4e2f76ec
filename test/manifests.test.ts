import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import packageDescription from "../package.json" with { type: "json" };
import { temporaryFolder } from "./support/temporary-folder.ts";

const { version } = packageDescription;

function read(path: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", path), "utf8"));
}

it("starts npx of the Gemini CLI extension outside of the workspace", () => {
  const { toolcrib } = read("gemini-extension.json").mcpServers;
  expect(toolcrib).toEqual({
    command: "npx",
    args: ["-y", `toolcrib@${version}`, "mcp", "--cwd", `\${workspacePath}`],
    cwd: "/",
  });
});

it("starts npx outside of the workspace, where no repository can bring programs or settings of npm", async () => {
  await using folder = temporaryFolder();
  const [workspace, programs] = [join(folder.path, "a b"), join(folder.path, "bin")];
  for (const path of [workspace, programs]) mkdirSync(path);
  // In place of the real one, which would download the package.
  writeFileSync(join(programs, "npx"), '#!/bin/sh\nprintf "%s\\n" "$PWD" "$@"\n', { mode: 0o755 });
  const { command, args } = read("packaging/claude-plugin/.claude-plugin/plugin.json").mcpServers.toolcrib;
  const env = { PATH: `${programs}:/usr/bin:/bin` };
  const printed = execFileSync(command, args, { cwd: workspace, env, encoding: "utf8" });
  expect(printed.trimEnd().split("\n")).toEqual([
    ...["/", "-y", `toolcrib@${version}`, "mcp", "--cwd", realpathSync(workspace)],
  ]);
});
