import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { asOrdinaryUser } from "../../../test/support/as-ordinary-user.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalWorld } from "../conformance/local-world.ts";
import {
  contentOf,
  failure,
  failureOf,
  missingFailure,
  outsideFailure,
  specialFailure,
  textOf,
} from "../conformance/world.ts";
import { openLocalEnvironment } from "./local-environment.ts";

const text = (content: string) => Buffer.from(content);

it("opens existing directories only", async () => {
  await using world = openLocalWorld({ files: { file: "" } });
  const hint = "Choose an existing directory as the workspace.";
  const problems = [world.path("missing"), world.path("file")].map((workspace) => {
    try {
      return openLocalEnvironment({ workspace });
    } catch (error) {
      return error instanceof ToolError ? failure(error.code, error.message, error.hint) : error;
    }
  });
  expect(problems).toEqual([
    failure("not-found", `The workspace ${world.path("missing")} does not exist`, hint),
    failure("unsupported", `The workspace ${world.path("file")} is not a directory`, hint),
  ]);
});

it("accepts absolute paths in the spelling the workspace was opened with", async () => {
  await using world = openLocalWorld({ files: { "real/file": "text" } });
  symlinkSync(world.path("real"), world.path("alias"));
  const environment = openLocalEnvironment({ workspace: world.path("alias") });
  expect(environment.workspace).toBe(world.path("real"));
  expect(await textOf(environment, `${world.path("alias")}/file`)).toBe("text");
  expect(await textOf(environment, `${world.path("real")}/file`)).toBe("text");
  await environment.close();
});

it("accepts the whole disk as the workspace", async () => {
  await using world = openLocalWorld({ files: { "folder/file": "text" } });
  const environment = openLocalEnvironment({ workspace: "/" });
  expect(await textOf(environment, world.path("folder/file"))).toBe("text");
  await environment.writeFile(world.path("folder/file").slice(1), text("new"));
  const directory = await environment.openDirectory(world.path("folder"));
  expect([directory.path, await directory.entries()]).toEqual([
    world.path("folder").slice(1),
    [{ name: "file", kind: "file" }],
  ]);
  expect(await environment.realPath("/")).toBe("/");
  expect(await environment.realPath(world.path("missing/file"))).toBe(world.path("missing/file"));
  await environment.delete(world.path("folder"), { recursive: true });
  expect(readdirSync(world.path("."))).toEqual([]);
  await environment.close();
});

it("refuses a socket and a link to a device", async () => {
  await using world = openLocalWorld();
  const server = createServer().listen(world.path("socket"));
  world.link("zero", "/dev/zero");
  const read = (path: string) => failureOf(world.environment.readFile(path, { maxBytes: 10 }));
  expect(await read("socket")).toEqual(specialFailure("socket"));
  expect(await read("zero")).toEqual(outsideFailure(world, "zero"));
  await new Promise((resolve) => server.close(resolve));
});

it("reports what permissions forbid", { tags: ["root", "slow"] }, async () => {
  const files = { "closed/file": "text", unreadable: "text", protected: "text" };
  await using world = openLocalWorld({ files });
  chmodSync(world.path("unreadable"), 0);
  chmodSync(world.path("protected"), 0o444);
  chmodSync(world.path("closed"), 0o500);
  const program = new URL("../../../test/support/environment/forbidden.ts", import.meta.url);
  const paths = ["unreadable", "closed/file", "protected"];
  const failures = await asOrdinaryUser(program, world.path("."), ...paths);
  chmodSync(world.path("closed"), 0o700);
  const hint = "Check the permissions of the file and its directory.";
  expect(failures).toEqual(paths.map((path) => failure("denied", `No permission for ${path}`, hint)));
  expect(await textOf(world.environment, "closed/file")).toBe("text");
  expect(await textOf(world.environment, "protected")).toBe("text");
});

it("reveals nothing about paths outside, not even whether they are readable", async () => {
  await using world = openLocalWorld();
  mkdirSync(`${world.outside}/closed`);
  chmodSync(`${world.outside}/closed`, 0);
  world.link("out", world.outside);
  world.link("deep", `${world.outside}/closed/x`);
  const failures = new Map<string, unknown>();
  const paths = ["out/closed/x", "out/closed/x/y", "out/secret/x", "deep", "deep/x"];
  for (const path of paths) failures.set(path, await failureOf(world.environment.info(path)));
  chmodSync(`${world.outside}/closed`, 0o700);
  expect(failures).toEqual(new Map(paths.map((path) => [path, outsideFailure(world, path)])));
});

it("gives a written file a new inode, so that a hard link outside keeps the old content", async () => {
  await using world = openLocalWorld();
  linkSync(`${world.outside}/secret`, world.path("shared"));
  await world.environment.writeFile("shared", text("changed"));
  expect(await textOf(world.environment, "shared")).toBe("changed");
  expect(readFileSync(`${world.outside}/secret`, "utf8")).toBe("secret");
});

it("keeps the owner if permitted", { tags: "root" }, async () => {
  await using world = openLocalWorld({ files: { file: "old" } });
  // Only root can change the owner of a file.
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? 12345 : process.getuid!();
  if (isRoot) spawnSync("chown", [`${owner}:${owner}`, world.path("file")]);
  chmodSync(world.path("file"), 0o4711);
  await world.environment.writeFile("file", text("new"));
  const { uid, mode } = lstatSync(world.path("file"));
  expect([uid, mode & 0o7777]).toEqual([owner, 0o4711]);
});

it("leaves no other files next to a written file", async () => {
  await using world = openLocalWorld();
  for (const ifExists of ["refuse", "replace"] as const) {
    await world.environment.writeFile("file", text(ifExists), { ifExists });
  }
  expect(readdirSync(world.path("."))).toEqual(["file"]);
});

it("removes temporary files that killed writers left some time ago, and nothing else", async () => {
  await using world = openLocalWorld();
  const leftover = (digit: string) => `.toolcrib-${digit.repeat(8)}-0000-4000-8000-000000000000.tmp`;
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of [leftover("1"), leftover("2"), ".toolcrib-notes.tmp", "other.tmp"]) {
    writeFileSync(world.path(name), "");
    if (name !== leftover("2")) utimesSync(world.path(name), longAgo, longAgo);
  }
  await world.environment.writeFile("file", text("x"));
  const left = readdirSync(world.path(".")).toSorted();
  expect(left).toEqual([leftover("2"), ".toolcrib-notes.tmp", "file", "other.tmp"].toSorted());
});

it("never returns a partly written file when many processes write it", async () => {
  await using world = openLocalWorld();
  const contents = Array.from({ length: 50 }, (_, index) => `${index % 10}`.repeat(1000 + index));
  const writes = contents.map((content) =>
    world.environment.writeFile("file", text(content), { durable: false }),
  );
  const seen = await Promise.all([
    ...writes.map(async () => (await failureOf(textOf(world.environment, "file"))) as { succeeded?: string }),
  ]);
  await Promise.all(writes);
  const final = await textOf(world.environment, "file");
  for (const content of [final, ...seen.flatMap((read) => read.succeeded ?? [])]) {
    expect(contents).toContain(content);
  }
  expect(readdirSync(world.path("."))).toEqual(["file"]);
});

it("moves one hard link over another of the same file", async () => {
  await using world = openLocalWorld({ files: { one: "text" } });
  linkSync(world.path("one"), world.path("two"));
  await world.environment.move("one", "two", { replace: true });
  expect(await contentOf(world.environment)).toEqual({ two: "text" });
});

it("deletes a tree deeper than any path, and names that are not UTF-8", async () => {
  await using world = openLocalWorld();
  const odd = Buffer.concat([text(world.path("odd-")), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, text("/"), Buffer.from([0xff])]), "");
  mkdirSync(world.path("deeper"));
  world.link("deeper/link", "/");
  // 1100 levels: more than a path can name, and more than the usual limit of open files.
  for (let time = 0; time < 11; time += 1) {
    const hundred = `next${"/deeper".repeat(100)}`;
    mkdirSync(world.path(hundred), { recursive: true });
    renameSync(world.path("deeper"), world.path(`${hundred}/deeper`));
    renameSync(world.path("next"), world.path("deeper"));
  }
  mkdirSync(world.path("all"));
  renameSync(odd, Buffer.concat([text(world.path("all/odd-")), Buffer.from([0xff])]));
  renameSync(world.path("deeper"), world.path("all/deeper"));
  await world.environment.delete("all", { recursive: true });
  expect(readdirSync(world.path("."))).toEqual([]);
});

it("reads a file of two gigabytes from both ends and refuses to read it whole", async () => {
  await using world = openLocalWorld();
  const size = 2 ** 31 + 100;
  const handle = openSync(world.path("huge"), "w");
  ftruncateSync(handle, size);
  writeSync(handle, "first\n", 0);
  writeSync(handle, "\nthird line\n", 2 ** 31);
  closeSync(handle);
  await setTimeout(100);
  const { environment } = world;
  expect(await failureOf(environment.readFile("huge", { maxBytes: 10_000_000 }))).toEqual(
    failure(
      "too-large",
      `huge has ${size} bytes; at most 10000000 are read at once`,
      "Read it by lines, or search it.",
    ),
  );
  const read = async (first: number) => {
    const { bytes, info, ...slice } = await environment.readLines("huge", { first, count: 1, maxBytes: 20 });
    return { ...slice, text: Buffer.from(bytes).toString() };
  };
  const known = { encoding: "binary", lines: 1, totalLines: undefined, reachedEnd: false, cutBytes: 0 };
  const fromEnd = { ...known, firstLine: undefined };
  expect(await read(1)).toEqual({ ...known, firstLine: 1, text: "first\n" });
  expect(await read(-2)).toEqual({ ...fromEnd, text: "third line\n" });
  expect(await read(-1)).toEqual({ ...fromEnd, text: "\0".repeat(20), cutBytes: 68, reachedEnd: true });
});

it("reads a file into a buffer that is large enough", async () => {
  await using world = openLocalWorld({ files: { file: "12345" } });
  const isSharing = async (length: number) => {
    const into = Buffer.alloc(length);
    const { bytes } = await world.environment.readFile("file", { maxBytes: 10, into });
    return bytes.buffer === into.buffer;
  };
  expect(await Promise.all([4, 5].map(isSharing))).toEqual([false, true]);
});

/** Does something in every turn of the event loop until disposed. */
function everyTurn(act: () => void): Disposable {
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    act();
    setImmediate(turn);
  };
  setImmediate(turn);
  return {
    [Symbol.dispose]: () => {
      isOver = true;
    },
  };
}

const changing = (path: string) =>
  failure(
    "stale",
    `${path} keeps changing while it is read`,
    "Retry when the program that writes it has finished.",
  );

it("gives up on a file that keeps changing", async () => {
  await using world = openLocalWorld({ files: { small: Buffer.alloc(4_000_000, "x") } });
  const large = openSync(world.path("large"), "w");
  ftruncateSync(large, 100_000_000);
  const small = openSync(world.path("small"), "r+");
  let turns = 0;
  const { environment } = world;
  {
    using _ = everyTurn(() => {
      turns += 1;
      writeSync(small, `${turns}`, 0);
      // The clock of the file system may stand still between two turns.
      for (const name of ["small", "large"]) utimesSync(world.path(name), turns, turns);
    });
    expect(await failureOf(environment.readFile("small", { maxBytes: 5_000_000 }))).toEqual(
      changing("small"),
    );
    const range = { first: 2, count: 1, maxBytes: 10 };
    expect(await failureOf(environment.readLines("large", range))).toEqual(changing("large"));
  }
  closeSync(small);
  closeSync(large);
  expect((await environment.readFile("small", { maxBytes: 5_000_000 })).bytes.length).toBe(4_000_000);
});

it("stops reading when the call is cancelled", async () => {
  await using world = openLocalWorld({ files: { small: Buffer.alloc(4_000_000, "x") } });
  const large = openSync(world.path("large"), "w");
  ftruncateSync(large, 2_000_000_000);
  closeSync(large);
  const cancelled = failure("cancelled", "The call was cancelled", undefined);
  const cancelSoon = () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    return controller.signal;
  };
  const { environment } = world;
  const whole = environment.readFile("small", { maxBytes: 5_000_000, signal: cancelSoon() });
  expect(await failureOf(whole)).toEqual(cancelled);
  const lines = environment.readLines("large", { first: 2, count: 1, maxBytes: 10 }, cancelSoon());
  expect(await failureOf(lines)).toEqual(cancelled);
  const late = new AbortController();
  late.abort(new ToolError("timeout", "Too late"));
  expect(await failureOf(environment.readFile("small", { maxBytes: 1, signal: late.signal }))).toEqual(
    failure("timeout", "Too late", undefined),
  );
});

it("leaves the old file when a write is cancelled midway", async () => {
  await using world = openLocalWorld({ files: { file: "old" } });
  const controller = new AbortController();
  const { signal } = controller;
  const content = Buffer.alloc(9_000_000, "x");
  const replacing = world.environment.writeFile("file", content, { signal });
  const creating = world.environment.writeFile("a/new", content, { signal });
  controller.abort(new ToolError("timeout", "Too late"));
  const late = failure("timeout", "Too late", undefined);
  expect(await Promise.all([failureOf(replacing), failureOf(creating)])).toEqual([late, late]);
  expect(await contentOf(world.environment)).toEqual({ file: "old" });
});

it("removes the new directories of creations that are refused at the same time, in any order", async () => {
  await using world = openLocalWorld({ files: {} });
  const refused = new ToolError("denied", "No");
  for (const isFirst of [true, false]) {
    const create = (path: string) => {
      const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const announce = () => {
        asked.resolve();
        return answer.promise;
      };
      const content = new Uint8Array(1);
      const creating = failureOf(world.environment.writeFile(path, content, { announce }));
      const refuse = () => {
        answer.reject(refused);
        return creating;
      };
      return { asked: asked.promise, refuse };
    };
    const creations = ["a/b/one", "a/b/two", "a/c/three"].map(create);
    await Promise.all(creations.map(({ asked }) => asked));
    for (const { refuse } of isFirst ? creations : creations.toReversed()) await refuse();
    expect(readdirSync(world.path("."))).toEqual([]);
  }
});

it("stops between two entries when a deletion is cancelled, and reports what is left", async () => {
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`tree/${index}`, ""]));
  await using world = openLocalWorld({ files });
  const controller = new AbortController();
  const deleting = world.environment.delete("tree", {
    recursive: true,
    signal: controller.signal,
    // A slow disk: the time slice of this turn ends with the first entry.
    announce: () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      setImmediate(() => controller.abort());
    },
  });
  expect(await failureOf(deleting)).toEqual(
    failure("cancelled", "The call was cancelled; tree is partly deleted", undefined),
  );
  expect(readdirSync(world.path("tree"))).toHaveLength(4);
});

it("follows a growing log, and detects one that was rewritten", async () => {
  const line = (number: number) => `${number}`.padStart(99, ".").concat("\n");
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => line(from + index)).join("");
  await using world = openLocalWorld({ files: { log: lines(1, 5000) } });
  const read = async (first: number) => {
    const slice = await world.environment.readLines("log", { first, count: 1, maxBytes: 1000 });
    return [Buffer.from(slice.bytes).toString(), slice.firstLine, slice.totalLines];
  };
  await setTimeout(100);
  expect(await read(5001)).toEqual(["", undefined, 5000]);
  appendFileSync(world.path("log"), lines(5001, 9000));
  expect(await read(8000)).toEqual([line(8000), 8000, undefined]);
  expect(await read(-1)).toEqual([line(9000), undefined, undefined]);
  expect(await read(9000)).toEqual([line(9000), 9000, 9000]);
  await setTimeout(100);
  expect(await read(9000)).toEqual([line(9000), 9000, 9000]);
  expect(await read(4000)).toEqual([line(4000), 4000, 9000]);
  writeFileSync(world.path("log"), lines(4, 9003));
  expect(await read(4000)).toEqual([line(4003), 4000, undefined]);
  writeFileSync(world.path("log"), `short\n${lines(1, 9999)}`);
  expect(await read(2)).toEqual([line(1), 2, undefined]);
});

it("finds outputs as soon as their directory exists", async () => {
  await using world = openLocalWorld();
  const outputs = world.path("later");
  const environment = openLocalEnvironment({ workspace: world.path("."), outputs });
  const handle = "out_abcdefabcdef";
  const gone = failure(
    "not-found",
    `${handle} does not exist`,
    "The output is no longer stored: run the call that produced it again.",
  );
  expect(await failureOf(environment.info(handle))).toEqual(gone);
  mkdirSync(outputs);
  writeFileSync(`${outputs}/${handle}`, "kept");
  expect(await textOf(environment, handle)).toBe("kept");
  rmSync(`${outputs}/${handle}`);
  symlinkSync(`${world.outside}/secret`, `${outputs}/${handle}`);
  expect(await failureOf(textOf(environment, handle))).toMatchObject({ code: "outside-workspace" });
  await environment.close();
});

it("keeps an open directory when its path is replaced", async () => {
  await using world = openLocalWorld({ files: { "folder/file": "inside" } });
  const directory = await world.environment.openDirectory("folder");
  renameSync(world.path("folder"), world.path("moved"));
  symlinkSync(world.outside, world.path("folder"));
  const read = await failureOf(
    directory.readFile("file", 100).then((bytes) => Buffer.from(bytes!).toString()),
  );
  const expected =
    process.platform === "linux" ? { succeeded: "inside" } : outsideFailure(world, "folder/file");
  expect(read).toEqual(expected);
  directory.close();
});

it("writes into a moved directory only by its new path", async () => {
  await using world = openLocalWorld({ files: { "folder/file": "old" } });
  const { environment } = world;
  await environment.writeFile("folder/file", text("kept handle"));
  renameSync(world.path("folder"), world.path("moved"));
  mkdirSync(world.path("folder"));
  await environment.writeFile("folder/file", text("new place"));
  rmSync(world.path("folder"), { recursive: true });
  await environment.writeFile("folder/file", text("newest place"));
  expect(await contentOf(environment)).toEqual({
    folder: "(directory)",
    "folder/file": "newest place",
    moved: "(directory)",
    "moved/file": "kept handle",
  });
  rmSync(world.path("folder"), { recursive: true });
  expect(await failureOf(environment.info("folder/file"))).toEqual(missingFailure("folder/file"));
});

// /proc lists the handles of a process.
it.runIf(process.platform === "linux")(
  "closes every handle it opens, even on failure",
  { tags: "slow" },
  async () => {
    await using world = openLocalWorld({ files: { file: "text", "folder/x": "" } });
    world.makeSpecial("fifo");
    world.makeSpecial("folder/fifo");
    world.link("out", world.outside);
    world.link("loop", "loop");
    world.link("dangling", "nowhere/at/all");
    const program = fileURLToPath(new URL("../../../test/support/environment/handles.ts", import.meta.url));
    const child = spawn(process.execPath, [program, world.path(".")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = (await once(child.stdout, "data")) as [Buffer];
    const { before, after } = JSON.parse(output.toString()) as { before: number; after: number };
    expect(after).toBe(before);
  },
);
