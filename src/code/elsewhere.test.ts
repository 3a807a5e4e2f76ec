import { expect, it } from "vitest";
import { openCode } from "./open-code.ts";

it("gives a hint when the files of the workspace are on another machine", async () => {
  const code = openCode({
    workspace: "/workspace",
    directory: "/nowhere",
    reads: () => ({ key: "", guard: () => undefined }),
    isElsewhere: true,
  });
  const { signal } = new AbortController();
  await expect(code.index({ signal, progress: () => {} })).rejects.toMatchObject({
    code: "unavailable",
    message: "A workspace on another machine has no index",
    hint: "Search with search.grep, and list symbols file by file with code.symbols.",
  });
  await code.close();
});
