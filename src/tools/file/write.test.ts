import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../../../test/support/as-ordinary-user.ts";
import { schemaFaults, toolFixture } from "../../../test/support/tool-fixture.ts";
import { fileWrite } from "./write.ts";

describe("file.write", () => {
  it("creates a file with its directories", async () => {
    await using opened = toolFixture();
    expect(await opened.run(fileWrite, { path: "notes/today/a.txt", content: "Grüße\r\n" })).toEqual({
      data: { path: "notes/today/a.txt", created: true, changed: true, bytes: 9, previousBytes: undefined },
      text: "Created notes/today/a.txt: 9 bytes written.",
    });
    expect(readFileSync(opened.at("notes/today/a.txt"), "utf8")).toBe("Grüße\r\n");
  });

  it("replaces a file, and reports its old size", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "before", { mode: 0o640 });
    expect(await opened.run(fileWrite, { path: "a.txt", content: "after that" })).toEqual({
      data: { path: "a.txt", created: false, changed: true, bytes: 10, previousBytes: 6 },
      text: "Overwrote a.txt: 10 bytes written, 6 before.",
    });
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("after that");
    expect(statSync(opened.at("a.txt")).mode & 0o777).toBe(0o640);
  });

  it("does not rewrite a file that already has the content", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "same");
    const before = statSync(opened.at("a.txt"), { bigint: true });
    expect(await opened.run(fileWrite, { path: "a.txt", content: "same" })).toEqual({
      data: { path: "a.txt", created: false, changed: false, bytes: 4, previousBytes: 4 },
      text: "a.txt already has exactly this content, 4 bytes; nothing was written.",
    });
    const after = statSync(opened.at("a.txt"), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  it("replaces content of the same length", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "same");
    expect((await opened.run(fileWrite, { path: "a.txt", content: "else" })).text).toBe(
      "Overwrote a.txt: 4 bytes written, 4 before.",
    );
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("else");
  });

  it("empties a file and creates empty files", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "full");
    const texts = [];
    for (const path of ["a.txt", "b.txt"])
      texts.push((await opened.run(fileWrite, { path, content: "" })).text);
    expect(texts).toEqual(["Overwrote a.txt: 0 bytes written, 4 before.", "Created b.txt: 0 bytes written."]);
    expect([readFileSync(opened.at("a.txt"), "utf8"), readFileSync(opened.at("b.txt"), "utf8")]).toEqual([
      "",
      "",
    ]);
  });

  it("refuses to replace a file when overwriting is disabled, even with the same content", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("a.txt"), "mine");
    for (const content of ["mine", "yours"]) {
      expect(await opened.refusal(fileWrite, { path: "a.txt", content, if_exists: "refuse" })).toEqual({
        code: "already-exists",
        message: "a.txt already exists",
        hint: "Choose another name, or allow the call to replace it.",
      });
    }
    expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("mine");
    expect((await opened.run(fileWrite, { path: "b.txt", content: "new", if_exists: "refuse" })).text).toBe(
      "Created b.txt: 3 bytes written.",
    );
  });

  it("writes through a link to its target", async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("target.txt"), "before");
    symlinkSync("target.txt", opened.at("link.txt"));
    expect((await opened.run(fileWrite, { path: "link.txt", content: "after" })).text).toBe(
      "Overwrote link.txt: 5 bytes written, 6 before.",
    );
    expect(readFileSync(opened.at("target.txt"), "utf8")).toBe("after");
  });

  it("writes bytes given in base64, with or without padding and line breaks", async () => {
    await using opened = toolFixture();
    for (const content of ["AP+A/w==", "AP+A/w", "AP+A\n/w==\n"]) {
      await opened.run(fileWrite, { path: "bytes", content, encoding: "base64" });
      expect([...readFileSync(opened.at("bytes"))]).toEqual([0, 255, 128, 255]);
      writeFileSync(opened.at("bytes"), "");
    }
  });

  it("refuses invalid base64", async () => {
    await using opened = toolFixture();
    for (const content of ["AP+A/w===", "A", "not base64!", "AP-A_w==", "AP==AP=="]) {
      expect(await opened.refusal(fileWrite, { path: "bytes", content, encoding: "base64" })).toEqual({
        code: "invalid-input",
        message: "The content is not valid base64",
        hint: "Use the standard alphabet (A-Z a-z 0-9 + /), or send text with encoding utf-8.",
      });
    }
  });

  it("refuses half a surrogate pair, which no file can contain", async () => {
    await using opened = toolFixture();
    expect(await opened.refusal(fileWrite, { path: "a.txt", content: "😀 \ud83d half" })).toEqual({
      code: "invalid-input",
      message: "The content has an unpaired surrogate at index 3",
      hint: "Send the whole character, or the bytes with encoding base64.",
    });
  });

  it("writes at most 10 MB", async () => {
    await using opened = toolFixture();
    const most = 10 * 1024 * 1024;
    expect((await opened.run(fileWrite, { path: "large", content: "x".repeat(most) })).text).toBe(
      "Created large: 10485760 bytes written.",
    );
    expect(await opened.refusal(fileWrite, { path: "large", content: "ä".repeat(most / 2 + 1) })).toEqual({
      code: "too-large",
      message: "large would have 10485762 bytes; the limit is 10485760",
      hint: "Split the content into several files, or create it with a command.",
    });
    expect(statSync(opened.at("large")).size).toBe(most);
  });

  it("overwrites a file that is writable but not readable, even one of the same size", {
    tags: ["root", "slow"],
  }, async () => {
    await using opened = toolFixture();
    writeFileSync(opened.at("log"), "old", { mode: 0o200 });
    const program = new URL("../../../test/support/file-tools/unreadable.ts", import.meta.url);
    expect(await asOrdinaryUser(program, opened.workspace, "log", "new")).toEqual({
      succeeded: {
        data: { path: "log", created: false, changed: true, bytes: 3, previousBytes: 3 },
        text: "Overwrote log: 3 bytes written, 3 before.",
      },
    });
    chmodSync(opened.at("log"), 0o600);
    expect(readFileSync(opened.at("log"), "utf8")).toBe("new");
  });

  it("changes nothing when it is cancelled", async () => {
    await using opened = toolFixture();
    mkdirSync(opened.at("full"));
    writeFileSync(opened.at("full/a.txt"), "old");
    expect(
      await opened.refusal(fileWrite, { path: "full/a.txt", content: "new" }, AbortSignal.abort()),
    ).toEqual({
      code: "cancelled",
      message: "The call was cancelled",
      hint: undefined,
    });
    expect(readFileSync(opened.at("full/a.txt"), "utf8")).toBe("old");
  });

  it("shows what it would write", () => {
    expect(fileWrite.accesses({ path: "a", content: "" })).toEqual([{ kind: "write", path: "a" }]);
  });

  it("accepts a path, content and two flags", () => {
    const inputs = [
      { path: "a", content: "" },
      { path: "a", content: "", if_exists: "refuse", encoding: "base64" },
      { path: "a" },
      { path: "a", content: 1 },
      { path: "a", content: "", if_exists: "append" },
      { path: "a", content: "", encoding: "latin1" },
    ];
    expect(inputs.map((input) => schemaFaults(fileWrite, input).length)).toEqual([0, 0, 1, 1, 1, 1]);
  });
});
