import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs each command in a real bash with the system's programs and four more, p0 to p3. Returns which of those ran.
 */
export function stubsRun(commands: readonly string[]): readonly (readonly string[])[] {
  const home = mkdtempSync(join(tmpdir(), "toolcrib stubs "));
  try {
    const programs = join(home, "bin");
    mkdirSync(programs);
    for (const name of ["p0", "p1", "p2", "p3"]) {
      writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\n' "${name} $*" >>"$STUB_LOG"\n`);
      chmodSync(join(programs, name), 0o755);
    }
    return commands.map((command) => stubsRunBy(command, home, programs));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function stubsRunBy(command: string, home: string, programs: string): string[] {
  const workplace = mkdtempSync(join(home, "work "));
  const log = join(home, "log");
  writeFileSync(log, "");
  writeFileSync(join(workplace, "file"), "a line\n");
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    STUB_LOG: log,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const options = { cwd: workplace, env, stdio: "ignore", timeout: 20_000 } as const;
  spawnSync("bash", ["--noprofile", "--norc", "-c", command], options);
  return readFileSync(log, "utf8").split("\n").slice(0, -1);
}
