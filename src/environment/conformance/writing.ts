import { expect, it } from "vitest";
import {
  contentOf,
  directoryFailure,
  existsFailure,
  failure,
  failureOf,
  type OpenWorld,
  specialFailure,
  textOf,
  workspaceFailure,
} from "./world.ts";

const text = (content: string) => Buffer.from(content);

export function testWriting(open: OpenWorld): void {
  it("creates a file with its parents and reports them", async () => {
    await using world = await open();
    const { environment } = world;
    const receipt = await environment.writeFile("a/b/file", text("content"), { mode: 0o640 });
    expect(receipt).toEqual({ created: true, info: await environment.info("a/b/file") });
    expect(receipt.info).toEqual({ kind: "file", bytes: 7, mode: 0o640, modifiedMs: expect.any(Number) });
    expect(await contentOf(environment)).toEqual({
      a: "(directory)",
      "a/b": "(directory)",
      "a/b/file": "content",
    });
  });

  it("replaces a file and keeps its mode", async () => {
    await using world = await open();
    const { environment } = world;
    await environment.writeFile("file", text("old and longer"), { mode: 0o711 });
    const receipt = await environment.writeFile("file", text("new"), { mode: 0o600 });
    expect(receipt).toEqual({ created: false, info: await environment.info("file") });
    expect(receipt.info).toEqual({ kind: "file", bytes: 3, mode: 0o711, modifiedMs: expect.any(Number) });
    expect(await contentOf(environment)).toEqual({ file: "new" });
  });

  it("writes empty and very large content", async () => {
    await using world = await open();
    const { environment } = world;
    const much = Buffer.alloc(9_000_000, "0123456789\n");
    await environment.writeFile("empty", new Uint8Array(0), { durable: false });
    await environment.writeFile("much", much, { durable: false });
    expect(await textOf(environment, "empty")).toBe("");
    const { bytes } = await environment.readFile("much", { maxBytes: much.length });
    expect(Buffer.compare(bytes, much)).toBe(0);
  });

  it("keeps its own copy of written content", async () => {
    await using world = await open();
    const bytes = text("before");
    await world.environment.writeFile("file", bytes);
    bytes.fill("x");
    expect(await textOf(world.environment, "file")).toBe("before");
  });

  it("writes through links and keeps them", async () => {
    await using world = await open({ files: { "folder/file": "old" } });
    const { environment } = world;
    world.link("link", "folder/file");
    world.link("to-new", "folder/new");
    world.link("to-deep", "deep/er/new");
    world.link("way", "folder");
    world.link("no-way", "made");
    await environment.writeFile("link", text("new"));
    await environment.writeFile("to-new", text("made"));
    await environment.writeFile("to-deep", text("deep"));
    await environment.writeFile("way/other", text("other"));
    await environment.writeFile("no-way/file", text("made too"));
    expect(await contentOf(environment)).toEqual({
      folder: "(directory)",
      "folder/file": "new",
      "folder/new": "made",
      "folder/other": "other",
      deep: "(directory)",
      "deep/er": "(directory)",
      "deep/er/new": "deep",
      made: "(directory)",
      "made/file": "made too",
      link: "(link)",
      "to-new": "(link)",
      "to-deep": "(link)",
      way: "(link)",
      "no-way": "(link)",
    });
  });

  it("refuses to replace on request, and refuses entries that are not files", async () => {
    await using world = await open({ files: { "folder/file": "old" } });
    const { environment } = world;
    world.makeSpecial("special");
    world.link("link", "folder/file");
    const before = await contentOf(environment);
    const refuse = { ifExists: "refuse" } as const;
    expect(await failureOf(environment.writeFile("folder/file", text("x"), refuse))).toEqual(
      existsFailure("folder/file"),
    );
    expect(await failureOf(environment.writeFile("link", text("x"), refuse))).toEqual(existsFailure("link"));
    expect(await failureOf(environment.writeFile("folder", text("x")))).toEqual(directoryFailure("folder"));
    expect(await failureOf(environment.writeFile("new/", text("x")))).toEqual(directoryFailure("new/"));
    expect(await failureOf(environment.writeFile("special", text("x")))).toEqual(specialFailure("special"));
    expect(await failureOf(environment.writeFile(".", text("x")))).toEqual(workspaceFailure("."));
    expect(await contentOf(environment)).toEqual(before);
    await environment.writeFile("a/new", text("fresh"), refuse);
    expect(await textOf(environment, "a/new")).toBe("fresh");
  });

  it("changes nothing for a call that is cancelled", async () => {
    await using world = await open({ files: { "folder/file": "old" } });
    const { environment } = world;
    const before = await contentOf(environment);
    const signal = AbortSignal.abort();
    const cancelled = failure("cancelled", "The call was cancelled", undefined);
    const failures = await Promise.all(
      [
        environment.writeFile("folder/file", text("new"), { signal }),
        environment.writeFile("a/new", text("new"), { signal }),
        environment.delete("folder/file", { signal }),
        environment.delete("folder", { recursive: true, signal }),
        environment.move("folder/file", "b/file", { signal }),
      ].map(failureOf),
    );
    expect(failures).toEqual(failures.map(() => cancelled));
    expect(await contentOf(environment)).toEqual(before);
  });

  it("lets exactly one of many writers create a new name", async () => {
    await using world = await open();
    const { environment } = world;
    const tries = Array.from({ length: 20 }, (_, index) =>
      environment.writeFile("name", text(`${index}`), { ifExists: "refuse", durable: false }),
    );
    const results = await Promise.allSettled(tries);
    const winner = results.findIndex((result) => result.status === "fulfilled");
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await contentOf(environment)).toEqual({ name: `${winner}` });
  });
}
