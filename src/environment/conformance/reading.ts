import { expect, it } from "vitest";
import type { Reaching } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import {
  directoryFailure,
  failure,
  failureOf,
  missingFailure,
  type OpenWorld,
  specialFailure,
  textOf,
} from "./world.ts";

const someBytes = Uint8Array.from([0, 1, 2, 253, 254, 255, 10, 13]);

export function testReading(open: OpenWorld): void {
  it("reports the entry at a path", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment } = world;
    await environment.writeFile("script", Buffer.from("#!"), { mode: 0o750 });
    world.link("link", "script");
    world.makeSpecial("special");
    const script = { kind: "file", bytes: 2, mode: 0o750, modifiedMs: expect.any(Number) };
    expect(await environment.info("script")).toEqual(script);
    expect(await environment.info("link")).toEqual(script);
    expect((await environment.info("link", { followLinks: false })).kind).toBe("link");
    expect((await environment.info("folder")).kind).toBe("directory");
    expect((await environment.info(".")).kind).toBe("directory");
    expect((await environment.info("special")).kind).toBe("other");
  });

  it("reads a whole file with its information", async () => {
    await using world = await open({ files: { "bytes.bin": someBytes, empty: "" } });
    const { environment } = world;
    for (const [path, bytes] of [["bytes.bin", someBytes] as const, ["empty", new Uint8Array(0)] as const]) {
      const content = await environment.readFile(path, { maxBytes: bytes.length });
      expect(Uint8Array.from(content.bytes)).toEqual(bytes);
      expect(content.info).toEqual(await environment.info(path));
    }
  });

  it("reads the same into a buffer, whether the file fits or not", async () => {
    await using world = await open({ files: { file: "12345", empty: "" } });
    const read = async (path: string, length: number) => {
      const into = Buffer.alloc(length, "x");
      const { bytes } = await world.environment.readFile(path, { maxBytes: 10, into });
      return asBuffer(bytes).toString();
    };
    expect(await Promise.all([4, 5, 6].map((length) => read("file", length)))).toEqual([
      "12345",
      "12345",
      "12345",
    ]);
    expect(await read("empty", 6)).toBe("");
  });

  it("reads through links", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    world.link("one", "two");
    world.link("two", "folder/file");
    world.link("way", "folder");
    expect(await textOf(world.environment, "one")).toBe("text");
    expect(await textOf(world.environment, "way/file")).toBe("text");
  });

  it("refuses a file above the limit", async () => {
    await using world = await open({ files: { file: "12345" } });
    expect(await failureOf(world.environment.readFile("file", { maxBytes: 4 }))).toEqual(
      failure("too-large", "file has 5 bytes; at most 4 are read at once", "Read it by lines, or search it."),
    );
  });

  it("refuses entries that are not files, without hanging", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    world.makeSpecial("special");
    world.link("to-special", "special");
    world.link("to-nothing", "nothing");
    const { environment } = world;
    const range = { first: 1, count: 1, maxBytes: 10 };
    const expected = {
      folder: directoryFailure("folder"),
      ".": directoryFailure("."),
      special: specialFailure("special"),
      "to-special": specialFailure("to-special"),
      missing: missingFailure("missing"),
      "to-nothing": failure(
        "not-found",
        "to-nothing is a link to nothing, which does not exist",
        "Create the target, or delete the link.",
      ),
    };
    for (const [path, failed] of Object.entries(expected)) {
      expect(await failureOf(environment.readFile(path, { maxBytes: 10 }))).toEqual(failed);
      expect(await failureOf(environment.readLines(path, range))).toEqual(failed);
      expect(await failureOf(environment.readBytes(path, { offset: 0, length: 1 }))).toEqual(failed);
    }
  });

  it("reads bytes from the middle and stops at the end", async () => {
    await using world = await open({ files: { file: "0123456789" } });
    const read = async (offset: number, length: number) =>
      Buffer.from(await world.environment.readBytes("file", { offset, length })).toString();
    expect(await Promise.all([read(0, 3), read(4, 2), read(8, 100), read(10, 5), read(1000, 5)])).toEqual([
      "012",
      "45",
      "89",
      "",
      "",
    ]);
  });

  it("refuses invalid byte ranges", async () => {
    await using world = await open({ files: { file: "0123456789" } });
    const hint = "Give whole numbers that are not negative.";
    for (const [offset, length] of [
      [-1, 1] as const,
      [0, -1] as const,
      [0.5, 1] as const,
      [0, Number.NaN] as const,
    ]) {
      expect(await failureOf(world.environment.readBytes("file", { offset, length }))).toEqual(
        failure("invalid-input", `${length} bytes cannot be read from offset ${offset}`, hint),
      );
    }
  });

  it("reads nothing for a call that is cancelled", async () => {
    await using world = await open({ files: { file: "text" } });
    const { environment } = world;
    const signal = AbortSignal.abort();
    const cancelled = failure("cancelled", "The call was cancelled", undefined);
    expect(await failureOf(environment.readFile("file", { maxBytes: 10, signal }))).toEqual(cancelled);
    const range = { first: 1, count: 1, maxBytes: 10 };
    expect(await failureOf(environment.readLines("file", range, signal))).toEqual(cancelled);
  });

  it("reads a stored output by its handle and never changes it", async () => {
    const handle = "out_0123456789ab";
    await using world = await open({ files: { file: "text" }, outputs: { [handle]: "one\ntwo\n" } });
    const { environment } = world;
    expect(await textOf(environment, handle)).toBe("one\ntwo\n");
    expect((await environment.info(handle)).bytes).toBe(8);
    expect(await environment.realPath(handle)).toMatch(new RegExp(`^/.*/${handle}$`));
    const slice = await environment.readLines(handle, { first: 2, count: 1, maxBytes: 100 });
    expect(Buffer.from(slice.bytes).toString()).toBe("two\n");
    const denied = failure(
      "denied",
      `${handle} is a stored output and cannot be changed`,
      "Write to a path in the workspace instead.",
    );
    expect(await failureOf(environment.writeFile(handle, new Uint8Array(1)))).toEqual(denied);
    expect(await failureOf(environment.delete(handle))).toEqual(denied);
    expect(await failureOf(environment.move(handle, "here"))).toEqual(denied);
    expect(await failureOf(environment.move("file", handle, { replace: true }))).toEqual(denied);
    const gone = "out_ba9876543210";
    expect(await failureOf(environment.info(gone))).toEqual(
      failure(
        "not-found",
        `${gone} does not exist`,
        "The output is no longer stored: run the call that produced it again.",
      ),
    );
  });

  it("reports the real path of what it reads, and returns nothing when that is refused", async () => {
    await using world = await open({ files: { "folder/file": "text" } });
    const { environment } = world;
    world.link("link", "folder");
    const paths: string[] = [];
    const seeing = { reached: (realPath: string) => void paths.push(realPath) };
    const reads = (reaching: Reaching) => [
      environment.readFile("link/file", { maxBytes: 10, ...reaching }),
      environment.readBytes("link/file", { offset: 1, length: 2, ...reaching }),
      environment.readLines("link/file", { first: 1, count: 1, maxBytes: 10, ...reaching }),
    ];
    await Promise.all(reads(seeing));
    expect(paths).toEqual(Array(3).fill(`${environment.workspace}/folder/file`));
    const refusing = {
      reached: () => {
        throw new ToolError("denied", "not this one");
      },
    };
    expect(await Promise.all(reads(refusing).map(failureOf))).toEqual(
      Array(3).fill(failure("denied", "not this one", undefined)),
    );
  });
}
