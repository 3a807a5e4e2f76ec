/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../support/sandbox-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { withVariables } from "../support/with-variables.ts";
import { foldersOfPrograms } from "./folders-of-programs.ts";
import { type Program, programs } from "./programs.ts";

const noSandbox = await missingHere("bwrap");
const folders = noSandbox === undefined ? foldersOfPrograms() : { path: [], packages: "", readable: [] };
const path = [...folders.path, process.env.PATH].join(delimiter);

// `python -m venv` takes a hundred seconds on a busy machine.
const options = { timeout: 600_000 };

describe.skipIf(noSandbox !== undefined)(
  "a line prints in the sandbox what it prints in bash",
  options,
  () => {
    for (const [name, program] of Object.entries(programs)) {
      const missing = missingPart(program);
      it.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (${missing})`, async () => {
        await using folder = temporaryFolder();
        const expected = { stdout: program.prints, stderr: "", code: 0 };
        using _ = withVariables(variablesWithHome(join(folder.path, "home")));
        expect(inBash(program, folder.path)).toEqual(expected);
        await using fixture = openSandboxFixture("bwrap");
        for (const [file, text] of Object.entries(program.files ?? {})) fixture.put(file, text);
        const { readable } = folders;
        const ran = await fixture.run(program.line, { readable, variables: { base: "most", extra: [] } });
        expect({ stdout: ran.stdout, stderr: ran.stderr, code: ran.code }).toEqual(expected);
      });
    }
  },
);

/** Returns what is not installed here. */
function missingPart({ needs, check = "true" }: Program): string | undefined {
  const succeeds = (line: string) =>
    spawnSync("bash", ["-c", line], { stdio: "ignore", env: { ...process.env, PATH: path } }).status === 0;
  const missing = needs.filter((name) => !succeeds(`command -v ${name}`));
  if (missing.length > 0) return `${missing.join(" and ")} is missing`;
  return succeeds(check) ? undefined : `fails here: ${check}`;
}

/** Variables for an empty home, in which programs still find what the real one has installed. */
function variablesWithHome(home: string): Record<string, string | undefined> {
  const { CARGO_HOME = join(homedir(), ".cargo"), RUSTUP_HOME = join(homedir(), ".rustup") } = process.env;
  const installed = join(home, "installed");
  mkdirSync(installed, { recursive: true });
  // The npm that runs the tests sets variables for its scripts.
  const ofNpm = Object.keys(process.env).filter((name) => name.startsWith("npm_"));
  return {
    ...Object.fromEntries(ofNpm.map((name) => [name, undefined])),
    ...{ HOME: home, CARGO_HOME, RUSTUP_HOME, GOBIN: join(installed, "bin") },
    NODE_PATH: folders.packages,
    // As the sandbox sets it for commands.
    npm_config_prefix: installed,
    PATH: [path, join(installed, "bin")].join(delimiter),
  };
}

function inBash({ files = {}, line }: Program, folder: string) {
  const workspace = join(folder, "work space");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  mkdirSync(workspace, { recursive: true });
  const { stdout, stderr, status } = spawnSync("bash", ["--noprofile", "--norc", "-c", line], {
    cwd: workspace,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { stdout, stderr, code: status };
}
