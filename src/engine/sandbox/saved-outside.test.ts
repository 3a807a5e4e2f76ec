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
    const { crib, at, write, read } = opened;
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
      how === "in place"
        ? []
        : [
            expect.stringMatching(
              /^Held back, .*: \.envrc \(\w+\), \.gitlab-ci\.yml \(\w+\), \.mcp\.json \(\w+\)\. The/,
            ),
            expect.stringMatching(/\.env(?: and \d more)? was replaced outside while the command ran/),
          ],
    ]);
    // A mount keeps its file from the command only until the file is replaced.
    const isPutBack = (path: string) =>
      how === "by rename" && /^\.(?:envrc|gitlab-ci\.yml|mcp\.json)$/.test(path);
    const contents = saved.filter((path) => path !== ".git/config").map((path) => [path, read(path)]);
    expect(contents).toEqual(contents.map(([path]) => [path, isPutBack(path!) ? "old\n" : "new\n"]));
    const next = await crib.call("shell.run", { command: "cat $(printf '.%s' env)" });
    expect((next.data as { stdout: string }).stdout).toBe("");
  },
);

it.skipIf(missing !== undefined)(
  "protected files that the user creates meanwhile are held back, and the user is told",
  { tags: "slow" },
  async () => {
    await using opened = await temporaryToolcrib({ mode: "yolo" });
    const { crib, at, write, read } = opened;
    const command = "echo > begun; until [ -e end ]; do sleep 0.01; done; ls -A";
    const running = crib.call("shell.run", { command });
    while (!existsSync(at("begun"))) await setTimeout(10);
    for (const folder of [".husky", ".cargo", "src"]) mkdirSync(at(folder));
    for (const path of [".husky/pre-commit", ".cargo/config.toml", "src/.envrc"]) write(path, "mine\n");
    const written = await crib.call("file.write", { path: ".mcp.json", content: "{}\n" });
    while (existsSync(at(".husky"))) await setTimeout(10);
    write("end", "");
    const { data } = await running;
    const { stdout } = data as { stdout: string };
    expect([written.isError, stdout, read(".mcp.json"), read("src/.envrc")]).toEqual([
      false,
      ".cargo\n.mcp.json\nbegun\nend\nsrc\n",
      "{}\n",
      "mine\n",
    ]);
    const told = (path: string) =>
      expect.stringMatching(
        new RegExp(
          `^${path} was created or changed while a command ran, .* See: toolcrib quarantine show \\w{6}$`,
        ),
      );
    expect(crib.warnings.toSorted()).toEqual([told(".cargo/config.toml"), told(".husky")]);
  },
);
