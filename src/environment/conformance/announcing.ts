import { expect, it } from "vitest";
import type { ChangeReceipt, Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { contentOf, failure, failureOf, type OpenWorld } from "./world.ts";

/** Collects announced changes in short form: "path: kind → kind". */
function listener(environment: Environment): {
  readonly announced: string[];
  readonly announce: (effects: readonly ChangeReceipt[]) => void;
} {
  const announced: string[] = [];
  const announce = (effects: readonly ChangeReceipt[]) => {
    for (const { realPath, before, after } of effects) {
      const path = realPath.slice(environment.workspace.length + 1);
      announced.push(`${path}: ${before?.kind ?? "nothing"} → ${after?.kind ?? "nothing"}`);
    }
  };
  return { announced, announce };
}

const refusing = {
  announce: () => {
    throw new ToolError("unavailable", "This cannot be recorded");
  },
};

export function testAnnouncing(open: OpenWorld): void {
  it("announces changes in order, after the directories created for them", async () => {
    await using world = await open({ files: { file: "text", target: "old" } });
    const { environment } = world;
    world.link("link", "target");
    const { announced, announce } = listener(environment);
    await environment.change(
      [
        { path: "new/deep/z", before: "nothing", after: Buffer.from("z") },
        { path: "new/a", before: "nothing", after: Buffer.from("a") },
        { path: "link", before: contentHash(Buffer.from("old")), after: Buffer.from("new") },
        { path: "file", before: contentHash(Buffer.from("text")), after: "nothing" },
      ],
      { announce },
    );
    expect(announced).toEqual([
      "new: nothing → directory",
      "new/deep: nothing → directory",
      "new/deep/z: nothing → file",
      "new/a: nothing → file",
      "target: file → file",
      "file: file → nothing",
    ]);
  });

  it("announces every entry of a deletion, and both ends of a move", async () => {
    await using world = await open({ files: { "folder/a/b": "b", "folder/c": "c", file: "1", other: "2" } });
    const { environment } = world;
    world.link("folder/link", "nowhere");
    const deleting = listener(environment);
    await environment.delete("folder", { recursive: true, announce: deleting.announce });
    expect(deleting.announced.toSorted()).toEqual([
      "folder/a/b: file → nothing",
      "folder/a: directory → nothing",
      "folder/c: file → nothing",
      "folder/link: link → nothing",
      "folder: directory → nothing",
    ]);
    const moving = listener(environment);
    await environment.move("file", "x/y/file", { announce: moving.announce });
    await environment.move("x", "z", { announce: moving.announce });
    await environment.move("z/y/file", "other", { replace: true, announce: moving.announce });
    expect(moving.announced).toEqual([
      "x: nothing → directory",
      "x/y: nothing → directory",
      "file: file → nothing",
      "x/y/file: nothing → file",
      "x: directory → nothing",
      "z: nothing → directory",
      "z/y/file: file → nothing",
      "other: file → file",
    ]);
  });

  it("changes nothing when an announced change is refused", async () => {
    await using world = await open({ files: { "folder/file": "text", file: "old" } });
    const { environment } = world;
    const before = await contentOf(environment);
    const old = contentHash(Buffer.from("old"));
    const attempts = [
      environment.change([{ path: "new/file", before: "nothing", after: Buffer.from("") }], refusing),
      environment.change([{ path: "file", before: old, after: "nothing" }], refusing),
      environment.delete("file", refusing),
      environment.delete("folder", { ...refusing, recursive: true }),
      environment.move("file", "new/file", refusing),
    ];
    const refused = failure("unavailable", "This cannot be recorded", undefined);
    expect(await Promise.all(attempts.map(failureOf))).toEqual(attempts.map(() => refused));
    expect(await contentOf(environment)).toEqual(before);
  });

  it("announces a whole deletion before it deletes the first entry", async () => {
    await using world = await open({ files: { "folder/a/b": "b", "folder/c": "c", "folder/d/e": "e" } });
    const { environment } = world;
    const before = await contentOf(environment);
    const attempts = [...Object.keys(before), "folder"].map((refused) =>
      environment.delete("folder", {
        recursive: true,
        announce: async (effects) => {
          const isRefused = effects.some(({ realPath }) => realPath.endsWith(`/${refused}`));
          if (isRefused) throw new ToolError("unavailable", "This cannot be recorded");
        },
      }),
    );
    const refused = failure("unavailable", "This cannot be recorded", undefined);
    expect(await Promise.all(attempts.map(failureOf))).toEqual(attempts.map(() => refused));
    expect(await contentOf(environment)).toEqual(before);
  });

  it("waits for an announcement, and then changes what was announced", async () => {
    await using world = await open({ files: { "folder/file": "text", file: "old", link: "", gone: "" } });
    const { environment } = world;
    const seen: boolean[] = [];
    const slowly = (path: string) => ({
      announce: async () => {
        await Promise.resolve();
        seen.push(path in (await contentOf(environment)));
      },
    });
    await environment.writeFile("deep/new", Buffer.from("new"), slowly("deep/new"));
    const old = contentHash(Buffer.from("old"));
    await environment.change([{ path: "file", before: old, after: Buffer.from("1") }], slowly("file"));
    await environment.move("file", "moved", slowly("moved"));
    await environment.delete("folder", { recursive: true, ...slowly("folder/file") });
    await environment.delete("gone", slowly("gone"));
    expect([seen, await contentOf(environment)]).toEqual([
      [false, true, false, true, true],
      { deep: "(directory)", "deep/new": "new", link: "", moved: "1" },
    ]);
  });

  it("refuses entries that change during an announcement, and leaves them alone", async ({ skip }) => {
    await using world = await open({ files: { "folder/file": "text", file: "old", other: "2" } });
    const { environment } = world;
    if (world.write === undefined) skip("it retries");
    const meanwhile = (path: string, text: string) => ({
      announce: async () => {
        await world.write!(path, text);
      },
    });
    const old = contentHash(Buffer.from("old"));
    const codes: unknown[] = [];
    const attempt = async (promise: Promise<unknown>) =>
      codes.push(((await failureOf(promise)) as { code?: string }).code);
    await attempt(environment.writeFile("new", Buffer.from(""), meanwhile("new", "theirs")));
    await attempt(environment.writeFile("other", Buffer.from(""), meanwhile("other", "theirs")));
    const change = { path: "file", before: old, after: Buffer.from("mine") };
    await attempt(environment.change([change], meanwhile("file", "theirs")));
    await attempt(environment.delete("file", meanwhile("file", "later")));
    await attempt(environment.move("file", "moved", meanwhile("file", "latest")));
    await attempt(environment.move("file", "moved", meanwhile("moved", "theirs")));
    const recursive = true;
    await attempt(environment.delete("folder", { recursive, ...meanwhile("folder/file", "theirs") }));
    expect([codes, await contentOf(environment)]).toEqual([
      codes.map(() => "stale"),
      {
        file: "latest",
        folder: "(directory)",
        "folder/file": "theirs",
        moved: "theirs",
        new: "theirs",
        other: "theirs",
      },
    ]);
  });

  it("does not delete an entry that was not announced", async ({ skip }) => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment, write } = world;
    if (write === undefined) skip("it retries");
    const announce = async () => write!("folder/added", "theirs");
    const failed = await failureOf(environment.delete("folder", { recursive: true, announce }));
    expect(failed).not.toHaveProperty("succeeded");
    expect(await contentOf(environment)).toMatchObject({ "folder/added": "theirs" });
  });
}
