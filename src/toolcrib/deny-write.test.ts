import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "./index.ts";

const missing = await missingHere("bwrap");

it.skipIf(missing !== undefined).each(["cautious", "safe"] as const)(
  "`deny write tests/**` lets commands run unasked in mode %s, and keeps the folder as it is",
  { tags: "slow" },
  async (mode) => {
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "workspace");
    mkdirSync(join(workspace, "tests/unit"), { recursive: true });
    writeFileSync(join(workspace, "tests/unit/a.test.mjs"), "import 'node:test'; console.log('ran');");
    await using crib = await openToolcrib({
      workspace,
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      mode,
      sandbox: "bwrap",
      rules: ["deny write tests/**", "allow run node **"],
    });
    const run = async (command: string) => {
      const { data, error } = await crib.call("shell.run", { command });
      return { error: error?.message, ...(data as { stdout: string; stderr: string; exitCode: number }) };
    };
    expect(await run("node --test tests/unit/a.test.mjs")).toMatchObject({ exitCode: 0 });
    expect(await run("node tests/unit/a.test.mjs")).toMatchObject({ stdout: "ran\n" });
    const writes = [
      "node -e \"fs.appendFileSync('tests/unit/a.test.mjs', 'x')\"",
      "node -e \"fs.writeFileSync('tests/unit/new', 'x')\"",
      "node -e \"fs.mkdirSync('tests/new')\"",
      "node -e \"fs.renameSync('tests', 'other')\"",
      "node -e \"fs.rmSync('tests', { recursive: true })\"",
    ];
    for (const command of writes) expect(await run(command)).toMatchObject({ exitCode: 1 });
    expect(await run("echo x > tests/new")).toMatchObject({
      error: expect.stringContaining("must not be written"),
    });
    expect(readdirSync(join(workspace, "tests"), { recursive: true }).sort()).toEqual([
      "unit",
      "unit/a.test.mjs",
    ]);
    expect(readFileSync(join(workspace, "tests/unit/a.test.mjs"), "utf8")).not.toContain("x");
  },
);
