/** @module-tag slow */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../../test/support/sandbox-fixture.ts";
import { lostWrite } from "../lib/lost-write.ts";

const levels = ["bwrap", "landlock"] as const;
const missing = new Map<string, string | undefined>();
for (const level of levels) missing.set(level, await missingHere(level));

describe.each(levels)("in %s", (level) => {
  it.skipIf(missing.get(level) !== undefined)(
    "reports that a new file below the home is lost, and nothing if none was created",
    async () => {
      await using fixture = openSandboxFixture(level);
      const path = join(homedir(), `toolcrib lost ${process.pid} ${level}`);
      const name = path.slice(homedir().length + 1);
      const writable = [path, join(path, "further")];
      const idle = await fixture.run("true", { writable });
      const written = await fixture.run(`echo text > ~/'${name}'`, { writable });
      const kept = await fixture.run(`cat ~/'${name}'`, { writable });
      expect([idle.remarks, written.remarks, kept.stdout, kept.remarks, existsSync(path)]).toEqual([
        [],
        [lostWrite(path, true)],
        "text\n",
        [],
        false,
      ]);
    },
  );

  it.skipIf(missing.get(level) !== undefined)(
    "reports what appears in the home although no word of the command names it, except state of programs",
    async () => {
      await using fixture = openSandboxFixture(level);
      const name = `toolcrib unnamed ${process.pid} ${level}`;
      const written = await fixture.run(`d=~; mkdir $d/.state $d/go; cd "$d"; echo text > '${name}'`);
      const again = await fixture.run(`cat ~/'${name}'; echo more > ~/.state/file`);
      expect([written.remarks, again.stdout, again.remarks]).toEqual([
        [lostWrite(join(homedir(), name), false)],
        "text\n",
        [],
      ]);
    },
  );
});
