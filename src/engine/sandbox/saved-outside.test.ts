import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";

const missing = await missingHere("bwrap");

/** Files that commands may not read, may not write, or may do both with. */
const saved = [
  ...[".env", "deploy/.env.production", ".gitlab-ci.yml", ".github/workflows/test.yml", ".envrc"],
  ...[".vscode/settings.json", ".mcp.json", ".git/config", "AGENTS.md", "package.json", "src/main.ts"],
];

it.skipIf(missing !== undefined).each(["in place", "by rename"])(
  "a command keeps running while files are saved outside %s",
  { tags: "slow" },
  async (how) => {
    await using opened = await temporaryToolcrib({ mode: "yolo" });
    const { crib, at, write } = opened;
    execFileSync("git", ["init", "-q"], { cwd: at(".") });
    for (const path of saved) {
      mkdirSync(dirname(at(path)), { recursive: true });
      if (path !== ".git/config") write(path, "old\n");
    }
    const command = "echo > begun; until [ -e end ]; do sleep 0.01; done; echo finished";
    const running = crib.call("shell.run", { command });
    while (!existsSync(at("begun"))) await setTimeout(10);
    for (const path of saved) {
      const content = path === ".git/config" ? "[user]\n\tname = me\n" : "new\n";
      if (how === "in place") write(path, content);
      else {
        writeFileSync(at(`${path}~`), content);
        renameSync(at(`${path}~`), at(path));
      }
    }
    // As long as a watch of the sandbox once took to end the command.
    await setTimeout(200);
    write("end", "");
    const { data } = await running;
    const { stdout, exitCode, remarks } = data as Record<"stdout" | "exitCode" | "remarks", unknown>;
    expect([stdout, exitCode, remarks]).toEqual([
      "finished\n",
      0,
      how === "in place" ? [] : [expect.stringMatching(/ was replaced outside while the command ran/)],
    ]);
    const next = await crib.call("shell.run", { command: "cat $(printf '.%s' env)" });
    expect((next.data as { stdout: string }).stdout).toBe("");
  },
);
