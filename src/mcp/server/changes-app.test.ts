import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientFixture, eras } from "../../../test/support/mcp/client-fixture.ts";
import { appMetaOf } from "./changes-app.ts";

const capabilities = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};
const uri = "ui://toolcrib/changes";
const isBuilt = existsSync(join(import.meta.dirname, "../../../dist/console/changes.html"));

describe.each(eras)("a client of %s that shows MCP Apps", (era) => {
  it("gets a view for tools that change files, and the changes of their calls", async () => {
    const files = { "a.txt": "one\ntwo\n" };
    await using fixture = await clientFixture({ era, mode: "yolo", capabilities, files });
    const { client } = fixture;
    const { tools } = await client.listTools();
    const shown = tools.filter(({ _meta }) => _meta !== undefined);
    expect(shown.map(({ name }) => name)).toContain("file_write");
    expect(shown.map(({ name }) => name)).not.toContain("file_read");
    const all = await (await fixture.crib()).definitions({ which: "all" });
    expect(all.filter((tool) => appMetaOf(tool)).map(({ canonical }) => canonical)).toEqual(
      expect.arrayContaining(["file.delete", "edit.replace", "code.rename", "notebook.edit"]),
    );
    expect(shown[0]?._meta).toEqual({ ui: { resourceUri: uri, visibility: ["model"] } });
    const input = { path: "a.txt", content: "one\nthree\n" };
    const { _meta } = await client.callTool({ name: "file_write", arguments: input });
    expect(_meta?.["toolcrib/diff"]).toBe(
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@ hunk 1\n one\n-two\n+three\n",
    );
    const read = await client.callTool({ name: "file_read", arguments: { path: "a.txt" } });
    expect(read._meta?.["toolcrib/diff"]).toBeUndefined();
    expect((await client.listResources()).resources.map((each) => each.uri)).toContain(uri);
  });

  it.skipIf(!isBuilt)("reads the view, which loads nothing (with a build: npm run build)", async () => {
    await using fixture = await clientFixture({ era, capabilities });
    const { contents } = await fixture.client.readResource({ uri });
    expect(contents).toEqual([
      { uri, mimeType: "text/html;profile=mcp-app", text: expect.any(String), _meta: expect.anything() },
    ]);
    expect((contents[0] as { text: string }).text).toContain("default-src 'none'");
  });
});

it("offers no view to other clients", async () => {
  await using fixture = await clientFixture({ mode: "yolo" });
  const { client } = fixture;
  expect((await client.listTools()).tools.filter(({ _meta }) => _meta !== undefined)).toEqual([]);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(["toolcrib://changes"]);
  await expect(client.readResource({ uri })).rejects.toThrow(/Resource not found/);
  const { _meta } = await client.callTool({ name: "file_write", arguments: { path: "a.txt", content: "a" } });
  expect(_meta).toBeUndefined();
});
