import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shellQuote } from "../../src/lib/text/shell-quote.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { commandTarget } from "../support/remote/command-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("runs the user's hooks here, which learn the target, and a project's hooks in the sandbox there", async () => {
  await using there = commandTarget('cd "$HOME/../workspace"');
  await using folder = temporaryFolder();
  const seen = shellQuote(join(folder.path, "seen"));
  const common = { event: "PreToolUse", source: "config.toml:1" } as const;
  await using crib = await openToolcrib({
    ...{ mode: "yolo", target: there.target.name },
    ...{ stateDirectory: join(folder.path, "state"), configDirectory: join(folder.path, "config") },
    commandHooks: [
      {
        ...common,
        from: "user",
        command: `printf '%s\\n' "$PWD" "$TOOLCRIB_TARGET" "$CLAUDE_PROJECT_DIR" > ${seen}; cat >> ${seen}`,
      },
      { ...common, from: "project", command: 'printf %s "$TOOLCRIB_PROJECT_DIR" > hooked.txt' },
    ],
  });
  expect(await crib.call("text.echo", { text: "hello" })).toMatchObject({ content: "hello", isError: false });
  const [directory, target, project, payload] = readFileSync(join(folder.path, "seen"), "utf8").split("\n");
  expect([directory, target, project]).toEqual([process.cwd(), there.target.name, ""]);
  expect(JSON.parse(payload!)).toMatchObject({ cwd: there.workspace, target: there.target.name });
  expect(readFileSync(join(there.workspace, "hooked.txt"), "utf8")).toBe(there.workspace);
  expect(crib.warnings).toEqual([]);
});
