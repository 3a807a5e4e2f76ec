import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for one test, with a space in its name; `await using` removes it. */
export function temporaryFolder(): { readonly path: string; [Symbol.asyncDispose](): Promise<void> } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib test "));
  return {
    path,
    [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }),
  };
}
