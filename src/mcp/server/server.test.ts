import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { clientFixture, eras, resultOf } from "../../../test/support/mcp/client-fixture.ts";
import { emptySource } from "../../../test/support/tool-source.ts";

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.each(eras)("a client with %s", (era) => {
  it("gets the server's name and instructions", async () => {
    await using fixture = await clientFixture({ era });
    expect([fixture.client.getServerVersion(), fixture.client.getInstructions()]).toEqual([
      { name: "toolcrib", title: "Toolcrib", version: "1.2.3" },
      "Be exact.",
    ]);
  });

  it("sees every tool with its annotations", async () => {
    await using fixture = await clientFixture({
      era,
      onlyTools: ["file.read", "file.write", "shell.run"],
    });
    const { tools } = await fixture.client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      [
        "file_read",
        {
          title: "File: read",
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      ],
      [
        "file_write",
        {
          title: "File: write",
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: false,
        },
      ],
      [
        "shell_run",
        {
          title: "Shell: run",
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      ],
    ]);
  });

  it("gets text as text, data as data, and images as images", async () => {
    await using fixture = await clientFixture({ era, files: { "a.txt": "one\n", "dot.png": picture } });
    const call = async (name: string, input: Record<string, unknown>) =>
      resultOf(await fixture.client.callTool({ name, arguments: input }));
    expect([
      await call("file_read", { path: "a.txt" }),
      await call("math_calculate", { expression: "2 ^ 10" }),
      await call("file_read", { path: "dot.png" }),
    ]).toEqual([
      { content: [{ type: "text", text: "1 | one" }] },
      {
        content: [{ type: "text", text: "= 1024" }],
        structuredContent: { value: "1024", isExact: true },
      },
      {
        content: [
          { type: "text", text: expect.stringContaining("dot.png") },
          { type: "image", data: picture.toString("base64"), mimeType: "image/png" },
        ],
      },
    ]);
  });

  it("gets a failed call for invalid arguments, and a request error for an unknown tool", async () => {
    await using fixture = await clientFixture({ era });
    const wrong = await fixture.client.callTool({ name: "text_echo", arguments: { txt: 1 } });
    const unknown = fixture.client.callTool({ name: "file_raed", arguments: {} });
    expect(resultOf(wrong)).toEqual({
      content: [{ type: "text", text: expect.stringMatching(/^text_echo: .*\nIt takes: text\.$/s) }],
      isError: true,
    });
    await expect(unknown).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool "file_raed". Did you mean "file_read"?',
    });
    const long = fixture.client.callTool({ name: "x".repeat(300), arguments: {} });
    await expect(long).rejects.toMatchObject({ code: -32602 });
  });

  it("gets a failed call for a command that failed, with the reason for programs", async () => {
    await using fixture = await clientFixture({ era, mode: "yolo", sandbox: "none" });
    const call = (command: string) => fixture.client.callTool({ name: "shell_run", arguments: { command } });
    const { isError, _meta } = await call("exit 3");
    expect([isError, _meta?.["toolcrib/failed"], _meta?.["toolcrib/error"]]).toEqual([
      true,
      "Exit code 3.",
      undefined,
    ]);
    expect((await call("exit 0")).isError).toBe(undefined);
  });

  it("gets a failed call when tools_call names a tool that does not exist", async () => {
    await using fixture = await clientFixture({ era });
    const inner = await fixture.client.callTool({
      name: "tools_call",
      arguments: { name: "file.raed", arguments: {} },
    });
    expect(resultOf(inner)).toEqual({
      content: [{ type: "text", text: expect.stringContaining("Unknown tool") }],
      isError: true,
    });
  });

  it("gets a link to output that is too long to show, and reads it in parts", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n");
    await using fixture = await clientFixture({ era });
    const { content } = await fixture.client.callTool({ name: "text_echo", arguments: { text: lines } });
    const link = content.find(({ type }) => type === "resource_link");
    if (link?.type !== "resource_link") throw new Error("there is no link");
    const { resources } = await fixture.client.listResources();
    const parts: string[] = [];
    for (let uri: string | undefined = link.uri; uri !== undefined; ) {
      const { contents } = await fixture.client.readResource({ uri });
      const [part, rest] = contents;
      if (part === undefined || !("text" in part)) throw new Error("there is no text");
      parts.push(part.text);
      uri = rest?.uri;
    }
    expect([resources.slice(1), parts.join(""), parts.length]).toEqual([
      [{ uri: link.uri, name: link.name, mimeType: "text/plain" }],
      lines,
      4,
    ]);
    for (const uri of ["toolcrib://output/out_nothere", "toolcrib://output/../x", "file:///etc/passwd"])
      await expect(fixture.client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });

  it("gets less of an output that costs more tokens than the limit", async () => {
    await using fixture = await clientFixture({ era, maxShownTokens: 2_000 });
    const call = async (text: string) => {
      const { content } = await fixture.client.callTool({ name: "text_echo", arguments: { text } });
      return content[0]?.type === "text" ? content[0].text.length : 0;
    };
    expect(await call("道具".repeat(5_000))).toBeLessThan(2_300);
    expect(await call("word ".repeat(1_200))).toBe(6_000);
    expect(await call(`${"道具".repeat(5_000)}${"word ".repeat(20_000)}`)).toBeLessThan(4_000);
  });

  it("gets progress of a call if it asks for it", async () => {
    await using fixture = await clientFixture({ era, mode: "yolo", sandbox: "none" });
    const notified: (string | undefined)[] = [];
    const request = { name: "shell_run", arguments: { command: "echo begun; sleep 0.3; echo done" } };
    await fixture.client.callTool(request, { onprogress: ({ message }) => notified.push(message) });
    expect(notified).toEqual(expect.arrayContaining(["begun"]));
  });

  it("ends a cancelled call with everything the call has started", async () => {
    await using fixture = await clientFixture({ era, mode: "yolo", sandbox: "none" });
    const controller = new AbortController();
    const pids = Promise.withResolvers<number>();
    const call = fixture.client.callTool(
      { name: "shell_run", arguments: { command: "sh -c 'sleep 300 & echo $!; wait'" } },
      {
        signal: controller.signal,
        onprogress: ({ message = "" }) => /^\d+$/.test(message) && pids.resolve(Number(message)),
      },
    );
    const grandchild = await pids.promise;
    controller.abort();
    await expect(call).rejects.toThrow();
    while (isAlive(grandchild)) await wait(20);
    const crib = await fixture.crib();
    await vi.waitFor(
      () => expect(crib.log({ limit: 1 })).toMatchObject([{ tool: "shell.run", outcome: "cancelled" }]),
      { timeout: 60_000 },
    );
  });

  it("is notified when the list of tools changes", async () => {
    const source = emptySource();
    await using fixture = await clientFixture({ era, sources: [source] });
    const resultOf = Promise.withResolvers<void>();
    fixture.client.setNotificationHandler("notifications/tools/list_changed", () => resultOf.resolve());
    await fixture.client.listTools();
    if (era === "2026-07-28") await fixture.client.listen({ toolsListChanged: true });
    source.put([]);
    await resultOf.promise;
  });

  it("gets many concurrent results in the order they are ready", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}.txt`, `${index}\n`]),
    );
    await using fixture = await clientFixture({ era, files });
    const answers = await Promise.all(
      Object.keys(files).map(async (path) => {
        const { content } = await fixture.client.callTool({ name: "file_read", arguments: { path } });
        return content[0]?.type === "text" ? content[0].text : "";
      }),
    );
    expect(answers).toEqual(Object.values(files).map((text) => `1 | ${text.trimEnd()}`));
  });
});
