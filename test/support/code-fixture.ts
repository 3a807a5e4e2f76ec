import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openCode } from "../../src/code/open-code.ts";
import { type ToolFixture, toolFixture } from "./tool-fixture.ts";

/** A tool room in which code is read, with these files in it. `await using` removes it. */
export function codeFixture(files: Readonly<Record<string, string | Uint8Array>> = {}): ToolFixture {
  const room = toolFixture((workspace, outputs) =>
    openCode({ workspace, directory: join(outputs, "index"), guard: () => undefined }),
  );
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(room.at(path)), { recursive: true });
    writeFileSync(room.at(path), content);
  }
  return room;
}
