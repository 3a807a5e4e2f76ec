import { expect, it } from "vitest";
import type { PathGuard } from "../../contract/guard.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { failure, failureOf, outsideFailure, type World, type WorldContent } from "./world.ts";

/** Refuses to read or write `*.secret` and everything below `vault`, and to write `*.fixed`. */
export const exampleGuard: PathGuard = (use, realPath) => {
  if (/\.secret$|\/vault\//i.test(realPath)) return { reason: "is secret", rule: "secret *.secret (test:1)" };
  return use === "write" && realPath.endsWith(".fixed")
    ? { reason: "is protected", rule: "deny write *.fixed (test:2)" }
    : undefined;
};

const files = {
  "a.secret": "hidden",
  "b.fixed": "fixed",
  "folder/c.secret": "hidden",
  "folder/d": "open",
  "vault/e": "hidden",
  "plain/f": "open",
  open: "open",
};

function secretFailure(subject: string, path: string = subject): object {
  return failure(
    "denied",
    `${subject} is secret (secret *.secret (test:1))`,
    `Do not work around it. Continue without it, or ask the user to add the rule: open ${path}`,
  );
}

function fixedFailure(subject: string): object {
  return failure(
    "denied",
    `${subject} is protected (deny write *.fixed (test:2))`,
    "Do not work around it. Continue without it, or ask the user to change the rule.",
  );
}

const bytes = Buffer.from("new");
const hash = (text: string) => contentHash(Buffer.from(text));
const lines = { first: 1, count: 1, maxBytes: 100 };

/**
 * Registers tests of a guarded environment. `open` returns a world with `exampleGuard`. `atOnce`: whether refused calls are
 * made at the same time. On a target, two of them can leave an empty new folder.
 */
export function testGuarding(
  open: (content?: WorldContent) => World | Promise<World>,
  { atOnce = true } = {},
): void {
  it("reads allowed files, and reports that refused ones exist", async () => {
    await using world = await open({ files });
    const { environment } = world;
    expect(Buffer.from((await environment.readFile("b.fixed", { maxBytes: 10 })).bytes).toString()).toBe(
      "fixed",
    );
    expect((await environment.info("a.secret")).bytes).toBe(6);
    expect(await environment.realPath("a.secret")).toBe(`${environment.workspace}/a.secret`);
    const folder = await environment.openDirectory("folder");
    expect((await folder.entries()).map(({ name }) => name).sort()).toEqual(["c.secret", "d"]);
    folder.close();
  });

  it("refuses to read by any method, spelling or link", async () => {
    await using world = await open({ files });
    const { environment } = world;
    world.link("link", "a.secret");
    world.link("way", "vault");
    const spellings = [
      ["a.secret", secretFailure("a.secret")],
      ["./folder/../a.secret", secretFailure("./folder/../a.secret", "a.secret")],
      [`${environment.workspace}/a.secret`, secretFailure(`${environment.workspace}/a.secret`, "a.secret")],
      ["link", secretFailure("link leads to a.secret, which", "a.secret")],
      ["way/e", secretFailure("way/e leads to vault/e, which", "vault/e")],
    ] as const;
    for (const [path, refusal] of spellings) {
      expect(await failureOf(environment.readFile(path, { maxBytes: 10 }))).toEqual(refusal);
      expect(await failureOf(environment.readBytes(path, { offset: 0, length: 3 }))).toEqual(refusal);
      expect(await failureOf(environment.readLines(path, lines))).toEqual(refusal);
    }
    const folder = await environment.openDirectory("folder");
    expect(await failureOf(folder.readFile("c.secret", 10))).toEqual(secretFailure("folder/c.secret"));
    // A file that is too large to read is refused in the same way.
    expect(await failureOf(folder.readFile("c.secret", 1))).toEqual(secretFailure("folder/c.secret"));
    folder.close();
    const way = await environment.openDirectory("way");
    expect(await failureOf(way.readFile("e", 10))).toEqual(
      secretFailure("way/e leads to vault/e, which", "vault/e"),
    );
    way.close();
  });

  it("refuses to write, create, change and delete", async () => {
    await using world = await open({ files });
    const { environment } = world;
    world.link("link", "b.fixed");
    world.link("way", "vault");
    world.link("dangling", "new.fixed");
    const write = (path: string) => () => environment.writeFile(path, bytes);
    const change = (path: string, before: string) => () =>
      environment.change([{ path, before, after: bytes }]);
    const attempts: readonly (readonly [() => Promise<unknown>, object])[] = [
      [write("a.secret"), secretFailure("a.secret")],
      [write("b.fixed"), fixedFailure("b.fixed")],
      [write("new/x.fixed"), fixedFailure("new/x.fixed")],
      [write("link"), fixedFailure("link leads to b.fixed, which")],
      [write("dangling"), fixedFailure("dangling leads to new.fixed, which")],
      [write("way/new/x"), secretFailure("way/new/x leads to vault/new/x, which", "vault/new/x")],
      [change("b.fixed", hash("fixed")), fixedFailure("b.fixed")],
      [change("link", hash("fixed")), fixedFailure("link leads to b.fixed, which")],
      [change("new/y.fixed", "nothing"), fixedFailure("new/y.fixed")],
      [
        () =>
          environment.change([
            { path: "open", before: hash("open"), after: bytes },
            { path: "b.fixed", before: hash("fixed"), after: "nothing" },
          ]),
        fixedFailure("b.fixed"),
      ],
      [() => environment.delete("a.secret"), secretFailure("a.secret")],
      [
        () =>
          environment.changeEntry("z.fixed", {
            before: { kind: "nothing" },
            after: { kind: "directory", mode: 0o755 },
          }),
        fixedFailure("z.fixed"),
      ],
    ];
    const running = atOnce ? attempts.map(([attempt]) => failureOf(attempt())) : [];
    for (const [index, [attempt, refusal]] of attempts.entries())
      expect(await (running[index] ?? failureOf(attempt()))).toEqual(refusal);
    expect(await missing(world, Object.keys(files))).toEqual([]);
    expect(await missing(world, ["new", "new.fixed", "vault/new", "z.fixed"])).toEqual([
      "new",
      "new.fixed",
      "vault/new",
      "z.fixed",
    ]);
  });

  it("deletes a link to a refused file, but not the file", async () => {
    await using world = await open({ files });
    world.link("link", "a.secret");
    await world.environment.delete("link");
    expect(await missing(world, ["link", "a.secret"])).toEqual(["link"]);
  });

  it("refuses to delete or move a directory that contains a refused file", async () => {
    await using world = await open({ files });
    const { environment } = world;
    expect(await failureOf(environment.delete("folder", { recursive: true }))).toEqual(
      secretFailure("folder holds folder/c.secret, which", "folder/c.secret"),
    );
    expect(await failureOf(environment.move("folder", "other"))).toEqual(
      secretFailure("folder holds folder/c.secret, which", "folder/c.secret"),
    );
    expect(await failureOf(environment.move("vault", "other"))).toEqual(
      secretFailure("vault holds vault/e, which", "vault/e"),
    );
    expect(await missing(world, Object.keys(files))).toEqual([]);
    await environment.move("plain", "other");
    await environment.delete("other", { recursive: true });
    expect(await missing(world, ["other"])).toEqual(["other"]);
  });

  it("moves nothing from or to refused paths", async () => {
    await using world = await open({ files });
    const { environment } = world;
    const attempts: readonly (readonly [string, string, object])[] = [
      ["a.secret", "shown", secretFailure("a.secret")],
      ["open", "x.secret", secretFailure("x.secret")],
      ["open", "b.fixed", fixedFailure("b.fixed")],
      ["open", "vault/x", secretFailure("vault/x")],
      ["plain", "vault/deep/plain", secretFailure("vault/deep/plain")],
    ];
    for (const [from, to, refusal] of attempts)
      expect(await failureOf(environment.move(from, to, { replace: true }))).toEqual(refusal);
    expect(await missing(world, Object.keys(files))).toEqual([]);
    expect(await missing(world, ["shown", "x.secret", "vault/deep"])).toEqual([
      "shown",
      "x.secret",
      "vault/deep",
    ]);
  });

  it("refuses to move a directory to where its files would be refused", async () => {
    await using world = await open({ files: { "plain/f": "open" } });
    expect(await failureOf(world.environment.move("plain", "vault"))).toEqual(
      secretFailure("vault holds vault/f, which", "vault/f"),
    );
    expect(await missing(world, ["plain/f", "vault"])).toEqual(["vault"]);
  });

  it("never refuses a stored output, and reveals nothing outside", async () => {
    const handle = "out_abcdefabcdef";
    await using world = await open({ outputs: { [handle]: "kept" } });
    const { environment } = world;
    expect(Buffer.from((await environment.readFile(handle, { maxBytes: 10 })).bytes).toString()).toBe("kept");
    world.link("out", world.outside);
    expect(await failureOf(environment.readFile("out/x.secret", { maxBytes: 10 }))).toEqual(
      outsideFailure(world, "out/x.secret"),
    );
  });
}

/** Returns the paths at which no entry exists. */
async function missing({ environment }: World, paths: readonly string[]): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const path of paths) {
    await environment.info(path, { followLinks: false }).catch(() => gone.push(path));
  }
  return gone;
}
