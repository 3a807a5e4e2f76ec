import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { isLong } from "./support/repetitions.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const repository = join(import.meta.dirname, "..");

it("runs a failed test file once more, alone, and names it as unstable when it passes", async () => {
  await using project = projectWithTests();
  const { exit, output } = await check(project.path, "unstable");
  expect([exit, output]).toEqual([
    0,
    expect.stringMatching(/Unstable tests.*Fix them:\n.*unstable\.test\.js/s),
  ]);
});

it.runIf(isLong)("fails when a test file fails twice", async () => {
  await using project = projectWithTests();
  const { exit, output } = await check(project.path, "failing");
  expect([exit, output]).toEqual([1, expect.stringContaining("now run once more, alone:")]);
  expect(output).not.toContain("Unstable");
});

/** A project with `scripts/check.ts`, a test that fails, and one that fails the first time. */
function projectWithTests(): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  mkdirSync(at("scripts"));
  for (const name of ["check.ts", "failed-files-reporter.ts"])
    cpSync(join(repository, "scripts", name), at(`scripts/${name}`));
  symlinkSync(join(repository, "node_modules"), at("node_modules"));
  const commands = { types: "true", lint: "true", unused: "true" };
  writeFileSync(at("package.json"), JSON.stringify({ type: "module", scripts: commands }));
  const head = 'import { existsSync, writeFileSync } from "node:fs";\nimport { expect, it } from "vitest";\n';
  const write = (name: string, body: string) =>
    writeFileSync(at(`${name}.test.js`), `${head}it("${name}", () => {${body}});\n`);
  write("failing", "expect(1).toBe(2);");
  write("unstable", 'const ran = existsSync("ran"); writeFileSync("ran", ""); expect(ran).toBe(true);');
  return folder;
}

function check(folder: string, test: string): Promise<{ readonly exit: number; readonly output: string }> {
  const env = {
    ...process.env,
    PATH: [join(repository, "node_modules/.bin"), process.env.PATH].join(delimiter),
  };
  return new Promise((resolve) => {
    const words = [join(folder, "scripts/check.ts"), test];
    execFile(process.execPath, words, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ exit: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    );
  });
}
