import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs commands one after the other in a small repository. Returns those that changed a file or ran the program p0.
 */
export function commandsThatChange(commands: readonly string[]): string[] {
  const home = mkdtempSync(join(tmpdir(), "toolcrib reading "));
  try {
    const [template, workplace, programs] = ["template", "work", "bin"].map((name) => join(home, name));
    mkdirSync(programs!);
    writeFileSync(join(programs!, "p0"), `#!/bin/sh\necho ran >"${workplace}/ran"\n`);
    chmodSync(join(programs!, "p0"), 0o755);
    const env = {
      PATH: `${programs}:${process.env.PATH}`,
      HOME: home,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_OPTIONAL_LOCKS: "0",
    };
    prepare(template!, env);
    cpSync(template!, workplace!, { recursive: true });
    const before = contents(workplace!);
    return commands.filter((command) => {
      const options = { cwd: workplace!, env, stdio: "ignore", timeout: 20_000 } as const;
      spawnSync("bash", ["--noprofile", "--norc", "-c", command], options);
      if (contents(workplace!) === before) return false;
      rmSync(workplace!, { recursive: true });
      cpSync(template!, workplace!, { recursive: true });
      return true;
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function prepare(place: string, env: Record<string, string>): void {
  mkdirSync(join(place, "d"), { recursive: true });
  const files = { a: "p0\nb a\nc\n", b: "a\nb\n", l: "a\0b\0", "d/a": "x\n" };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  const script =
    "tar cf t.tar a; git init -q; git config user.name x; git config user.email x@y; git add a; git commit -qm x";
  spawnSync("bash", ["-c", script], { cwd: place, env, stdio: "ignore" });
}

/** Everything except the index, which git refreshes on reads. */
function contents(place: string): string {
  const names = globSync("**/*", { cwd: place })
    .concat(globSync("{.*,.*/**}", { cwd: place }))
    .sort();
  const kept = names.filter((name) => !name.endsWith(".git/index"));
  return kept
    .map(
      (name) =>
        `${name}: ${statSync(join(place, name)).isFile() ? readFileSync(join(place, name), "latin1") : "directory"}`,
    )
    .join("\n");
}
