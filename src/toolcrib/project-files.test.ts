import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { MemoryEnvironment, openToolcrib, type ToolcribOptions } from "./index.ts";
import type { ProjectFiles } from "./project-files.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "project files ")));
  folders.push(folder);
  return folder;
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
}

async function read(
  options: ToolcribOptions,
  { names = ["AGENTS.md"], maxBytes = 1_000 }: { names?: string[]; maxBytes?: number } = {},
): Promise<ProjectFiles> {
  const crib = await openToolcrib({ stateDirectory: newFolder(), configDirectory: newFolder(), ...options });
  try {
    return await crib.projectFiles(names, maxBytes);
  } finally {
    await crib.close();
  }
}

it("reads from the repository root down to the workspace, and nothing above or beside", async () => {
  const outside = newFolder();
  const repository = join(outside, "project");
  mkdirSync(join(repository, ".git"), { recursive: true });
  for (const below of [".", "project", "project/a", "project/a/b", "project/a/b/c", "project/d"])
    write(join(outside, below, "AGENTS.md"), `in ${below}`);
  write(join(repository, "a/b/.codex/AGENTS.md"), "codex");
  expect(
    await read({ workspace: join(repository, "a/b") }, { names: ["AGENTS.md", ".codex/AGENTS.md"] }),
  ).toEqual({
    files: [
      whole(join(repository, "AGENTS.md"), "in project"),
      whole(join(repository, "a/AGENTS.md"), "in project/a"),
      whole(join(repository, "a/b/AGENTS.md"), "in project/a/b"),
      whole(join(repository, "a/b/.codex/AGENTS.md"), "codex"),
    ],
    refused: [],
  });
});

it("stays in the workspace outside a repository, or when another user owns the one above it", {
  tags: "root",
}, async () => {
  const shared = newFolder();
  const workspace = join(shared, "mine");
  write(join(shared, "AGENTS.md"), "planted");
  write(join(workspace, "AGENTS.md"), "mine");
  const mine = { files: [whole(join(workspace, "AGENTS.md"), "mine")], refused: [] };
  const planted = { files: [whole(join(shared, "AGENTS.md"), "planted"), ...mine.files], refused: [] };
  expect(await read({ workspace })).toEqual(mine);
  mkdirSync(join(shared, ".git"));
  expect(await read({ workspace })).toEqual(planted);
  if (process.getuid?.() === 0) {
    chownSync(join(shared, ".git"), 12345, 12345);
    expect(await read({ workspace })).toEqual(mine);
  }
});

it("follows symlinks inside the repository, each file once, and none to outside or denied files", async () => {
  const repository = newFolder();
  const elsewhere = newFolder();
  mkdirSync(join(repository, ".git"));
  const workspace = join(repository, "work");
  write(join(repository, "AGENTS.md"), "all");
  write(join(repository, ".env"), "KEY=secret");
  write(join(repository, "private/notes.md"), "denied");
  write(join(elsewhere, "secret"), "out");
  mkdirSync(workspace);
  const links = {
    SAME: "../AGENTS.md",
    OUT: join(elsewhere, "secret"),
    SECRET: "../.env",
    DENIED: "../private/notes.md",
    NOWHERE: "../missing",
    LOOP: "LOOP",
    DEVICE: "/dev/zero",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(workspace, name));
  const found = await read(
    { workspace, rules: ["deny read ../private/**"] },
    { names: ["AGENTS.md", ...Object.keys(links)] },
  );
  expect({
    files: found.files,
    refused: found.refused.map(({ path }) => path),
  }).toEqual({
    files: [whole(join(repository, "AGENTS.md"), "all")],
    refused: ["OUT", "SECRET", "DENIED", "LOOP", "DEVICE"].map((name) => join(workspace, name)),
  });
  expect(JSON.stringify(found)).not.toMatch(/KEY=secret|"denied"|"out"/);
});

it("skips FIFOs and directories, and reads only the beginning of a huge file", async () => {
  const workspace = newFolder();
  execFileSync("mkfifo", [join(workspace, "FIFO")]);
  mkdirSync(join(workspace, "FOLDER"));
  write(join(workspace, "HUGE"), "line\n".repeat(1_000_000));
  write(join(workspace, "LONG"), "x".repeat(100_000));
  write(join(workspace, "BINARY"), Uint8Array.of(0, 1, 2, 0, 3));
  const names = ["FIFO", "FOLDER", "HUGE", "LONG", "BINARY"];
  const found = await read({ workspace }, { names, maxBytes: 12 });
  expect({ files: found.files, refused: found.refused.map(({ path }) => path) }).toEqual({
    files: [
      { path: join(workspace, "HUGE"), text: "line\nline\n", nextLine: 3, bytes: 5_000_000, isWhole: false },
      {
        path: join(workspace, "LONG"),
        text: "x".repeat(12),
        nextLine: undefined,
        bytes: 100_000,
        isWhole: false,
      },
    ],
    refused: ["FIFO", "FOLDER", "BINARY"].map((name) => join(workspace, name)),
  });
});

it("decodes the encodings that editors write", async () => {
  const workspace = newFolder();
  write(join(workspace, "UTF16"), Buffer.from("\ufeffgrüße\n", "utf16le"));
  write(join(workspace, "MARKED"), "\ufeffgrüße\n");
  write(join(workspace, "LATIN"), Buffer.from("grüße\n", "latin1"));
  const { files } = await read({ workspace }, { names: ["UTF16", "MARKED", "LATIN"] });
  expect(files.map(({ text }) => text)).toEqual(["grüße\n", "grüße\n", "grüße\n"]);
});

it("reads in an environment other than the local machine", async () => {
  const environment = new MemoryEnvironment({ files: { "AGENTS.md": "in memory", ".env": "KEY=secret" } });
  expect(await read({ environment }, { names: ["AGENTS.md", ".env"] })).toEqual({
    files: [whole("/workspace/AGENTS.md", "in memory")],
    refused: [{ path: "/workspace/.env", reason: expect.stringContaining("is secret and cannot be read") }],
  });
});

function whole(path: string, text: string): ProjectFiles["files"][number] {
  return { path, text, nextLine: undefined, bytes: text.length, isWhole: true };
}

it("lists the files that tools can read, without recording a call", async () => {
  const workspace = newFolder();
  for (const path of ["src/a.ts", "dist/b.js", "keys/id_rsa", "private/c.txt", ".env", ".gitignore"])
    write(join(workspace, path), path === ".gitignore" ? "dist\n" : "x");
  const folders = { stateDirectory: newFolder(), configDirectory: newFolder() };
  const crib = await openToolcrib({ workspace, rules: ["deny read private/**"], ...folders });
  try {
    const files = await crib.listFiles(AbortSignal.timeout(60_000));
    expect([files, crib.log()]).toEqual([["src/a.ts"], []]);
  } finally {
    await crib.close();
  }
});
