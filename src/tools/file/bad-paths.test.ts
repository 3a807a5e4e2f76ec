import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../../../test/support/as-ordinary-user.ts";
import { type Refusal, type ToolFixture, toolFixture } from "../../../test/support/tool-fixture.ts";
import { fileDelete } from "./delete.ts";
import { fileMove } from "./move.ts";
import { fileRead } from "./read.ts";
import { fileWrite } from "./write.ts";

/** The result of each tool for one path, and of moving another entry onto it. */
async function refusals(opened: ToolFixture, path: string): Promise<Record<string, Refusal>> {
  writeFileSync(opened.at("good.txt"), "good\n");
  return {
    read: await opened.refusal(fileRead, { path }),
    write: await opened.refusal(fileWrite, { path, content: "new" }),
    delete: await opened.refusal(fileDelete, { path }),
    moveFrom: await opened.refusal(fileMove, { from: path, to: "new" }),
    moveTo: await opened.refusal(fileMove, { from: "good.txt", to: path }),
  };
}

function same(refusal: Refusal): Record<string, Refusal> {
  return { read: refusal, write: refusal, delete: refusal, moveFrom: refusal, moveTo: refusal };
}

describe("file tools refuse", () => {
  it("an empty path", async () => {
    await using opened = toolFixture();
    const refusal = {
      code: "invalid-input",
      message: "The path is empty",
      hint: 'Use "." for the workspace.',
    } as const;
    expect(await refusals(opened, "")).toEqual(same(refusal));
  });

  it("a NUL byte in a path", async () => {
    await using opened = toolFixture();
    const refusal = {
      code: "invalid-input",
      message: "The path contains a NUL byte",
      hint: "Give the path without it.",
    } as const;
    expect(await refusals(opened, "good.txt\0.png")).toEqual(same(refusal));
  });

  it("paths outside the workspace, relative, absolute and through a link", async () => {
    await using opened = toolFixture();
    symlinkSync(opened.outputs, opened.at("link"));
    for (const path of ["../secret", "/etc/passwd", "link/new.txt"]) {
      expect(await refusals(opened, path)).toEqual(
        same({
          code: "outside-workspace",
          message: `${path} leads outside the workspace`,
          hint: `Use a path inside ${opened.workspace}; links must stay inside it too.`,
        }),
      );
    }
    expect(readdirSync(opened.outputs)).toEqual([]);
  });

  it("stored outputs, except for reading", async () => {
    await using opened = toolFixture();
    const handle = "out_0123456789abcdef";
    const refusal = {
      code: "denied",
      message: `${handle} is a stored output and cannot be changed`,
      hint: "Write to a path in the workspace instead.",
    };
    writeFileSync(opened.at("good.txt"), "good\n");
    writeFileSync(`${opened.outputs}/${handle}`, "kept\n");
    expect([
      await opened.refusal(fileWrite, { path: handle, content: "new" }),
      await opened.refusal(fileDelete, { path: handle }),
      await opened.refusal(fileMove, { from: handle, to: "new" }),
      await opened.refusal(fileMove, { from: "good.txt", to: handle }),
    ]).toEqual([refusal, refusal, refusal, refusal]);
  });

  it("missing entries, and suggest the nearest name", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("README.md"), "");
    const refusal = {
      code: "not-found",
      message: "REDME.md does not exist",
      hint: "Did you mean README.md?",
    };
    expect([
      await opened.refusal(fileRead, { path: "REDME.md" }),
      await opened.refusal(fileDelete, { path: "REDME.md" }),
      await opened.refusal(fileMove, { from: "REDME.md", to: "new" }),
    ]).toEqual([refusal, refusal, refusal]);
  });

  it("to read a dangling link", async () => {
    await using opened = toolFixture();
    symlinkSync("nowhere.txt", opened.at("dangling"));
    expect(await opened.refusal(fileRead, { path: "dangling" })).toEqual({
      code: "not-found",
      message: "dangling is a link to nowhere.txt, which does not exist",
      hint: "Create the target, or delete the link.",
    });
  });

  it("circular links", async () => {
    await using opened = toolFixture();
    symlinkSync("b", opened.at("a"));
    symlinkSync("a", opened.at("b"));
    const refusal = {
      code: "unsupported",
      message: "The link a leads back to itself",
      hint: "Delete the link, or name the file itself.",
    };
    expect([
      await opened.refusal(fileRead, { path: "a" }),
      await opened.refusal(fileWrite, { path: "a", content: "" }),
    ]).toEqual([refusal, refusal]);
  });

  it("a directory where a file is needed", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("src"));
    writeFileSync(opened.at("good.txt"), "");
    expect([
      await opened.refusal(fileRead, { path: "src" }),
      await opened.refusal(fileWrite, { path: "src", content: "new" }),
      await opened.refusal(fileDelete, { path: "src" }),
      await opened.refusal(fileMove, { from: "good.txt", to: "src" }),
    ]).toEqual([
      {
        code: "unsupported",
        message: "src is a directory, not a file",
        hint: "List it with file.list. Find files in it with search.glob.",
      },
      {
        code: "unsupported",
        message: "src is a directory, not a file",
        hint: "List the directory, then name a file in it.",
      },
      {
        code: "unsupported",
        message: "src is a directory",
        hint: "To delete it with everything in it, set `recursive`.",
      },
      {
        code: "already-exists",
        message: "src is a directory",
        hint: "Give the full new path, for example src/good.txt.",
      },
    ]);
  });

  it("a file where a directory is needed", async () => {
    await using opened = toolFixture();
    expect(await refusals(opened, "good.txt/inside")).toEqual(
      same({
        code: "unsupported",
        message: "A part of good.txt/inside is a file, not a directory",
        hint: "Check the directories in the path.",
      }),
    );
  });

  it("FIFOs and sockets, without blocking", async () => {
    await using opened = toolFixture();
    execFileSync("/usr/bin/env", ["mkfifo", opened.at("fifo")]);
    const server = createServer();
    await new Promise<void>((listening) => server.listen(opened.at("socket"), listening));
    try {
      for (const path of ["fifo", "socket"]) {
        const refusal = {
          code: "unsupported",
          message: `${path} is a FIFO, device or socket, not a file`,
          hint: "Use the path of a regular file.",
        };
        expect([
          await opened.refusal(fileRead, { path }),
          await opened.refusal(fileWrite, { path, content: "new" }),
        ]).toEqual([refusal, refusal]);
      }
      expect((await opened.run(fileDelete, { path: "fifo" })).text).toBe(
        "Deleted fifo, a FIFO, device or socket.",
      );
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });

  it("devices, which only root can place inside the workspace", async () => {
    await using opened = toolFixture();
    symlinkSync("/dev/zero", opened.at("link"));
    expect((await opened.refusal(fileRead, { path: "link" })).code).toBe("outside-workspace");
    if (!madeDevice(opened.at("zero"))) return;
    expect(await opened.refusal(fileRead, { path: "zero" })).toEqual({
      code: "unsupported",
      message: "zero is a FIFO, device or socket, not a file",
      hint: "Use the path of a regular file.",
    });
  });

  it("files that the user may not read", { tags: ["root", "slow"] }, async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("private.txt"), "private\n");
    chmodSync(opened.at("private.txt"), 0);
    const program = new URL("../../../test/support/file-tools/forbidden.ts", import.meta.url);
    expect(await asOrdinaryUser(program, opened.workspace, "private.txt")).toEqual({
      code: "denied",
      message: "No permission for private.txt",
      hint: "Check the permissions of the file and its directory.",
    });
  });

  it("binary files, and name their type and size", async () => {
    await using opened = toolFixture();
    const hint =
      "Read documents, other images and archives with document.read; for other formats use a command.";
    writeFileSync(opened.at("a.zip"), Buffer.from("PK\x03\x04\x14\0\0\0", "latin1"));
    writeFileSync(opened.at("a.pdf"), Buffer.from("%PDF-1.4\n%âãÏÓ\n1 0 obj\n", "latin1"));
    writeFileSync(opened.at("a.bin"), Buffer.from([1, 0, 2]));
    writeFileSync(opened.at("a.bmp"), Buffer.from("BM\xae\0\0\0\0\0\0\0", "latin1"));
    const messages = {
      "a.zip": "a.zip cannot be shown: it is a ZIP archive (application/zip), 8 bytes",
      "a.pdf": "a.pdf cannot be shown: it is a PDF document (application/pdf), 23 bytes",
      "a.bin": "a.bin cannot be shown: it is a binary file of unknown type, 3 bytes",
      "a.bmp": "a.bmp cannot be shown: it is a BMP image (image/bmp), 10 bytes",
    };
    for (const [path, message] of Object.entries(messages)) {
      for (const offset of [1, 2, -1]) {
        expect(await opened.refusal(fileRead, { path, offset })).toEqual({
          code: "unsupported",
          message,
          hint,
        });
      }
    }
  });

  it("an image that is too large", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("large.png"), "\x89PNG\r\n\x1a\n", "latin1");
    truncateSync(opened.at("large.png"), 10 * 1024 * 1024 + 1);
    expect(await opened.refusal(fileRead, { path: "large.png" })).toEqual({
      code: "too-large",
      message:
        "large.png is a PNG image of 10485761 bytes; 10485760 bytes of images can still be shown in this call",
      hint: "Read it in a separate call; scale down an image above 10 MiB first.",
    });
  });

  it("to show a file of more than 2 GB whole, but show its lines", async () => {
    await using opened = toolFixture();
    const size = 2 ** 31 + 1;
    writeFileSync(opened.at("sparse"), "\0\n");
    truncateSync(opened.at("sparse"), size);
    expect(await opened.refusal(fileRead, { path: "sparse" })).toEqual({
      code: "unsupported",
      message: `sparse cannot be shown: it is a binary file of unknown type, ${size} bytes`,
      hint: "Read documents, other images and archives with document.read; for other formats use a command.",
    });
    writeFileSync(opened.at("text"), "line\n".repeat(20_000));
    truncateSync(opened.at("text"), size);
    expect((await opened.run(fileRead, { path: "text", offset: 19_999, limit: 2 })).text).toBe(
      "19999 | line\n20000 | line",
    );
  });

  it("an offset past the end, and report the number of lines", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "one\ntwo\n");
    expect(await opened.refusal(fileRead, { path: "a.txt", offset: 3 })).toEqual({
      code: "invalid-input",
      message: "a.txt has 2 lines; line 3 is past its end",
      hint: "Use an offset from 1 to 2.",
    });
  });
});

function madeDevice(path: string): boolean {
  try {
    execFileSync("mknod", [path, "c", "1", "5"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
