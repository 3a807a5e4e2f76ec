import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openCode } from "../../src/code/open-code.ts";
import { Reader } from "../../src/code/worker/reader.ts";
import { type ToolFixture, toolFixture } from "./tool-fixture.ts";

/** A tool fixture with these files, in which code can be parsed. `await using` removes it. */
export function codeFixture(files: Readonly<Record<string, string | Uint8Array>> = {}): ToolFixture {
  const opened = toolFixture((workspace, outputs) => ({
    ...openCode({
      workspace,
      directory: join(outputs, "index"),
      reads: () => ({ key: "", guard: () => undefined }),
    }),
    outline: (source, options) => reader.outline(source, options),
    occurrences: (source, name, options) => reader.occurrences(source, name, options),
  }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(opened.at(path)), { recursive: true });
    writeFileSync(opened.at(path), content);
  }
  return opened;
}

/**
 * Parses for all fixtures of this test process, because starting it and loading grammars takes the most time. It ends
 * with the process.
 */
const reader = new Reader();
