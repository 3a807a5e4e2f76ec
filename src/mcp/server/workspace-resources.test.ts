import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientFixture, eras } from "../../../test/support/mcp/client-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { fileTemplate } from "./workspace-resources.ts";

const files = {
  "src/main.ts": "export const answer = 42;\n",
  "src/a b.md": "# Title\n",
  ".env": "PASSWORD=hunter2hunter2\n",
  "log.txt": "one\n",
};

describe.each(eras)("a client with %s", (era) => {
  it("reads files of the workspace through the pipeline", async () => {
    await using fixture = await clientFixture({ era, files });
    const { client, workspace } = fixture;
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = `file://${workspace.replaceAll(" ", "%20")}/{+path}`;
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "toolcrib://output/{handle}{?offset}",
      template,
    ]);
    const uri = (path: string) => template.replace("{+path}", path);
    const { contents } = await client.readResource({ uri: uri("src/a%20b.md") });
    expect(contents).toEqual([{ uri: uri("src/a%20b.md"), mimeType: "text/plain", text: "# Title\n" }]);
    // Clients encode different characters.
    for (const other of [`file://${workspace}/src/a b.md`, uri("src%2Fa%20b%2Emd")])
      expect((await client.readResource({ uri: other })).contents).toMatchObject([{ text: "# Title\n" }]);
    const [record] = (await fixture.crib()).log();
    expect([record?.tool, record?.input]).toEqual([
      "file.read",
      expect.objectContaining({ path: "src/a b.md" }),
    ]);
  });

  it("completes paths, handles and file arguments of prompts", async () => {
    await using user = temporaryFolder();
    const commands = {
      ".claude/commands/review.md": "---\nargument-hint: [file] [note]\n---\nReview $1: $2.",
    };
    await using fixture = await clientFixture({
      era,
      files: { ...files, ...commands },
      prompts: { configDirectory: user.path },
    });
    const { client } = fixture;
    const { resourceTemplates } = await client.listResourceTemplates();
    const complete = async (ref: Parameters<typeof client.complete>[0]["ref"], name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion;
    const [output, file] = resourceTemplates.map(
      ({ uriTemplate: uri }) => ({ type: "ref/resource", uri }) as const,
    );
    const prompt = { type: "ref/prompt", name: "review" } as const;
    expect([
      await complete(file!, "path", "src/"),
      // Secrets and ignored files are not suggested.
      await complete(file!, "path", ""),
      await complete(file!, "other", "src"),
      await complete(output!, "handle", "out_"),
      await complete(prompt, "file", "MAIN"),
      await complete(prompt, "note", ""),
    ]).toEqual([
      { values: ["src/a b.md", "src/main.ts"], total: 2, hasMore: false },
      { values: ["log.txt", "src/a b.md", "src/main.ts"], total: 3, hasMore: false },
      { values: [], total: 0, hasMore: false },
      { values: [], total: 0, hasMore: false },
      { values: ["src/main.ts"], total: 1, hasMore: false },
      { values: [], total: 0, hasMore: false },
    ]);
  });
});

it("shows the changes of the session", async () => {
  await using fixture = await clientFixture({ files });
  const { client } = fixture;
  await client.callTool({ name: "file_write", arguments: { path: "log.txt", content: "two\n" } });
  const { resources } = await client.listResources();
  expect(resources[0]?.uri).toBe("toolcrib://changes");
  const { contents } = await client.readResource({ uri: "toolcrib://changes" });
  expect(contents).toEqual([
    { uri: "toolcrib://changes", mimeType: "text/plain", text: expect.stringContaining("-one\n+two") },
  ]);
});

it("refuses files outside of the workspace, secrets, links and denied files, and obeys onlyTools", async () => {
  await using outside = temporaryFolder();
  await using fixture = await clientFixture({ files, rules: ["deny read log.txt", "ask read src/main.ts"] });
  const { client, workspace } = fixture;
  symlinkSync(outside.path, join(workspace, "link"));
  const folder = `file://${workspace.replaceAll(" ", "%20")}`;
  const uris = [
    "file:///etc/passwd",
    `${folder}/../state`,
    `${folder}/..%2F..%2Fetc/passwd`,
    `${folder}/%2Fetc%2Fpasswd`,
    `${folder}/link/x`,
    `${folder}/.env`,
    `${folder}/log.txt`,
    `${folder}/src/main.ts`,
    `${folder}/%FF`,
    `${folder}/`,
    `file://evil.example${workspace.replaceAll(" ", "%20")}/src/main.ts`,
  ];
  const read = uris.map((uri) =>
    client.readResource({ uri }).then(
      ({ contents }) => contents,
      ({ message }: Error) => message.slice(0, 18),
    ),
  );
  expect(new Set(await Promise.all(read))).toEqual(new Set(["Resource not found"]));
  const ref = { type: "ref/resource", uri: fileTemplate(workspace).uriTemplate } as const;
  const { completion } = await client.complete({ ref, argument: { name: "path", value: "" } });
  expect(completion.values).toEqual(["src/a b.md"]);
  await using limited = await clientFixture({ files, onlyTools: ["search.grep"] });
  const own = `file://${limited.workspace.replaceAll(" ", "%20")}/src/main.ts`;
  for (const uri of [own, "toolcrib://changes"])
    await expect(limited.client.readResource({ uri })).rejects.toThrow("Resource not found");
});
