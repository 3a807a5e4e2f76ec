import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs commands in a real bash that finds no programs. Returns for each command the programs that it tried to run,
 * with their words. Changes of files happen in a folder that is removed afterwards.
 */
export function programsRun(commands: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const home = mkdtempSync(join(tmpdir(), "toolcrib bash "));
  try {
    const log = join(home, "log");
    const workplace = mkdtempSync(join(home, "work "));
    const input = commands.map((command) => `${command}\0`).join("");
    const options = { cwd: workplace, input, env: { PATH: process.env.PATH } };
    const { status } = spawnSync("bash", ["--noprofile", "--norc", "-c", driver, "bash", log], options);
    if (status !== 0) throw new Error(`bash ended with ${status}`);
    return readLog(readFileSync(log), commands.length);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A record is the number of the command and the words, each ended by 0x02; 0x01 begins a record. */
const driver = String.raw`
exec 9>"$1"
command_not_found_handle() {
  local IFS= word record="$COMMAND_NUMBER"$'\2'
  for word in "$@"; do record+="$word"$'\2'; done
  printf '\1%s' "$record" >&9
}
PATH=/nonexistent
number=0
while IFS= read -r -d '' command; do
  (readonly COMMAND_NUMBER=$number; unset number; ulimit -t 1; eval "$command") </dev/null >/dev/null 2>&1
  number=$((number + 1))
done
exit 0`;

function readLog(log: Buffer, count: number): string[][][] {
  const runs: string[][][] = Array.from({ length: count }, () => []);
  for (const record of log.toString("latin1").split("\x01").slice(1)) {
    const [number, ...words] = record.split("\x02").slice(0, -1);
    const texts = words.map((word) => Buffer.from(word, "latin1").toString("utf8"));
    runs[Number(number)]?.push(texts);
  }
  return runs;
}
