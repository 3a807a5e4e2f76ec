import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ToolError } from "../contract/error.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { openBlobs } from "./blobs.ts";

const content = Buffer.from("one\r\n\0two");
const hash = contentHash(content);
const large = Buffer.alloc(3_000_000, "0123456789");
const keepFile = fileURLToPath(new URL("../../test/support/journal/keep-file.ts", import.meta.url));

describe("blobs", () => {
  it("store a content once, under its hash, readable only by the user", async () => {
    await using fixture = temporaryFolder();
    const folder = join(fixture.path, "state/blobs");
    const blobs = openBlobs(folder);
    expect([blobs.has(hash), await blobs.keep(content), await blobs.keep(content), blobs.has(hash)]).toEqual([
      false,
      hash,
      hash,
      true,
    ]);
    expect(Buffer.from(await blobs.read(hash)).equals(content)).toBe(true);
    const modes = ["", hash.slice(0, 2), `${hash.slice(0, 2)}/${hash.slice(2)}`].map(
      (path) => statSync(join(folder, path)).mode & 0o777,
    );
    expect([readdirSync(folder), modes]).toEqual([[hash.slice(0, 2)], [0o700, 0o700, 0o600]]);
  });

  it("store a file of any size, with any permissions, through a symlink and from any environment", async () => {
    await using fixture = temporaryFolder();
    const workspace = join(fixture.path, "workspace");
    mkdirSync(workspace);
    const contents = { small: content, empty: Buffer.alloc(0), large };
    for (const [name, bytes] of Object.entries(contents)) writeFileSync(join(workspace, name), bytes);
    chmodSync(join(workspace, "large"), 0o444);
    symlinkSync("small", join(workspace, "link"));
    const local = openLocalEnvironment({ workspace, guard: () => ({ reason: "is secret", rule: "" }) });
    const memory = new MemoryEnvironment();
    await memory.writeFile("large", large);
    const folder = join(fixture.path, "blobs");
    const blobs = openBlobs(folder);
    const kept = (bytes: Uint8Array) => ({ hash: contentHash(bytes), bytes: bytes.length });
    expect([
      await blobs.keepFile(local, "small"),
      await blobs.keepFile(local, "empty"),
      await blobs.keepFile(local, "large"),
      await blobs.keepFile(local, "link"),
      await blobs.keepFile(memory, "large"),
    ]).toEqual([kept(content), kept(Buffer.alloc(0)), kept(large), kept(content), kept(large)]);
    expect(Buffer.from(await blobs.read(contentHash(large))).equals(large)).toBe(true);
    const { hash: name } = kept(large);
    expect(statSync(join(folder, name.slice(0, 2), name.slice(2))).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((entry) => entry.length > 2)).toEqual([]);
    await local.close();
  });

  it("refuse anything that is not a file inside the workspace", async () => {
    await using fixture = temporaryFolder();
    const workspace = join(fixture.path, "workspace");
    mkdirSync(join(workspace, "folder"), { recursive: true });
    symlinkSync("/etc/hostname", join(workspace, "out"));
    const local = openLocalEnvironment({ workspace });
    const blobs = openBlobs(join(fixture.path, "blobs"));
    const codes = [];
    for (const path of ["none", "folder", "out", "../blobs"]) {
      codes.push(await blobs.keepFile(local, path).catch(({ code }: ToolError) => code));
    }
    expect(codes).toEqual(["not-found", "unsupported", "outside-workspace", "outside-workspace"]);
    await local.close();
  });

  it("never return damaged content, and repair it when it is stored again", async () => {
    await using fixture = temporaryFolder();
    const folder = join(fixture.path, "blobs");
    const blobs = openBlobs(folder);
    await blobs.keep(content);
    const file = join(folder, hash.slice(0, 2), hash.slice(2));
    const unreadable = (fault: string) =>
      new ToolError("unavailable", `The stored content ${hash.slice(0, 12)}… ${fault}`, {
        hint: "Nothing was changed. Restore the file from another source, such as git.",
      });
    writeFileSync(file, "one\r\n\0tw0");
    await expect(blobs.read(hash)).rejects.toThrow(unreadable("is damaged"));
    truncateSync(file, 0);
    await expect(blobs.read(hash)).rejects.toThrow(unreadable("is damaged"));
    await blobs.keep(content);
    expect(Buffer.from(await blobs.read(hash)).equals(content)).toBe(true);
    const gone = contentHash(Buffer.from("never kept"));
    await expect(blobs.read(gone)).rejects.toThrow("no longer exists");
    await expect(blobs.read("../../../etc/passwd")).rejects.toThrow("no longer exists");
  });

  it("accept the same content from several processes at once", { tags: "slow" }, async () => {
    await using fixture = temporaryFolder();
    writeFileSync(join(fixture.path, "large"), large);
    const folder = join(fixture.path, "blobs");
    const keepers = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, [keepFile, fixture.path, "large", folder]),
    );
    const answers = (await Promise.all(keepers)).map(({ stdout }) => JSON.parse(stdout).answer);
    expect(answers).toEqual(Array(4).fill({ hash: contentHash(large), bytes: large.length }));
    expect(Buffer.from(await openBlobs(folder).read(contentHash(large))).equals(large)).toBe(true);
    expect(readdirSync(folder).filter((entry) => entry.length > 2)).toEqual([]);
  });

  it("do not load a large file into memory", { tags: "slow" }, async () => {
    await using fixture = temporaryFolder();
    writeFileSync(join(fixture.path, "huge"), "");
    truncateSync(join(fixture.path, "huge"), 200_000_000);
    const words = [keepFile, fixture.path, "huge", join(fixture.path, "blobs")];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    const { answer, grownBytes } = JSON.parse(stdout);
    expect(answer.bytes).toBe(200_000_000);
    expect(grownBytes).toBeLessThan(50_000_000);
  });

  it("leave nothing behind when the disk is full, and report it", { tags: "slow" }, async () => {
    await using fixture = temporaryFolder();
    writeFileSync(join(fixture.path, "large"), large);
    writeFileSync(join(fixture.path, "small"), content);
    const folder = join(fixture.path, "blobs");
    const keep = (name: string) => {
      const words = [process.execPath, keepFile, fixture.path, name, folder];
      // A limit on file sizes fails like a full disk, and needs no separate disk.
      const child = spawnSync("bash", ["-c", `trap "" XFSZ; ulimit -f 8; exec "$0" "$@"`, ...words], {
        encoding: "utf8",
      });
      return JSON.parse(child.stdout || child.stderr).answer;
    };
    expect([keep("large"), keep("small")]).toEqual([
      {
        code: "unavailable",
        message: expect.stringMatching(/^.* was not changed: the disk is full or a size limit is reached$/),
        hint: "Free disk space, then retry.",
      },
      { hash, bytes: content.length },
    ]);
    expect(readdirSync(folder)).toEqual([hash.slice(0, 2)]);
    expect(readFileSync(join(folder, hash.slice(0, 2), hash.slice(2))).equals(content)).toBe(true);
  });
});
