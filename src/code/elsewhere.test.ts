import { expect, it } from "vitest";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { openCode } from "./open-code.ts";

it("gives a hint when the environment cannot read many files at once", async () => {
  const code = openCode({
    workspace: "/workspace",
    directory: "/nowhere",
    reads: () => ({ key: "", guard: () => undefined }),
    elsewhere: new MemoryEnvironment({ workspace: "/workspace" }),
  });
  const { signal } = new AbortController();
  await expect(code.index({ signal, progress: () => {} })).rejects.toMatchObject({
    code: "unavailable",
    message: "The environment of this workspace has no index",
    hint: "Search with search.grep, and list symbols file by file with code.symbols.",
  });
  await code.close();
});
