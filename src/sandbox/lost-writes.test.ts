/** @module-tag slow */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../../test/support/sandbox-fixture.ts";

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
        [
          `${path} was not written: it was created in the private home of commands, which is deleted. Create it outside first, then run the command again.`,
        ],
        "text\n",
        [],
        false,
      ]);
    },
  );
});
