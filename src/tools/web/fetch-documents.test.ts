import { readFileSync } from "node:fs";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { serve, webFixture } from "../../../test/support/web-fixture.ts";
import type { WebPage } from "./fetch.ts";

const rules = ["allow connect 127.0.0.1 by web.fetch"];

/** Serves this, fetches it, and returns the answer. */
async function fetched(body: string | Uint8Array, mediaType: string | undefined, path = "/a") {
  await using server = await serve((_request, response) => {
    if (mediaType !== undefined) response.setHeader("content-type", mediaType);
    response.end(body);
  });
  await using opened = await webFixture({ rules });
  const { content, error, data, images } = await opened.crib.call("web.fetch", { url: server.origin + path });
  const page = data as WebPage | null;
  const neutral = (text: string) => text.replaceAll(server.origin, "http://here");
  return {
    content: neutral(content),
    code: error?.code,
    format: page?.format,
    images,
  };
}

describe("web.fetch shows", () => {
  it("a page as Markdown, with absolute links, in its character set", { tags: "slow" }, async () => {
    const html = `<!doctype html><html lang=de><head><title>Grün</title><meta charset=iso-8859-1></head><body>
      <nav><a href=/home>Home</a></nav>
      <main><h1>Grün & Blau</h1><p>Ein <a href="../b?c#d">Verweis</a> und <code>x &lt; y</code>.</p>
      <pre><code class="language-ts">const a = 1;\n</code></pre>
      <table><tr><th>a<th>b<tr><td>1<td>2</table></main></body></html>`;
    const { content, format } = await fetched(Buffer.from(html, "latin1"), "text/html", "/x/a");
    expect([content.replace(/\n\n\[Note: .*$/s, ""), format]).toEqual([
      `http://here/x/a (200): web page, ${html.length} bytes (title: Grün; language: de)

# Grün & Blau

Ein [Verweis](http://here/b?c#d) und \`x < y\`.

\`\`\`ts
const a = 1;
\`\`\`

| a | b |
| --- | --- |
| 1 | 2 |`,
      "html",
    ]);
  });

  it("a page whose server declares no type", { tags: "slow" }, async () => {
    const { format } = await fetched("<!DOCTYPE html><p>words</p>", undefined);
    expect(format).toBe("html");
  });

  it("source code that a server declares as text unchanged", async () => {
    const { content } = await fetched("<html><p>words</p>", "text/plain");
    expect(content).toBe("http://here/a (200): text/plain, 18 bytes\n\n<html><p>words</p>");
  });

  it("an image as an image, regardless of the declared type", { tags: "slow" }, async () => {
    const { format, images } = await fetched(picture, "text/html");
    expect([format, images]).toEqual([
      "image",
      [{ mediaType: "image/png", base64: Buffer.from(picture).toString("base64") }],
    ]);
  });

  it("a document as text, regardless of the declared type", { tags: "slow" }, async () => {
    const file = readFileSync(new URL("../../../test/samples/documents/report.docx", import.meta.url));
    const { format, code } = await fetched(file, "application/octet-stream", "/download?id=7");
    expect([format, code]).toEqual(["docx", undefined]);
  });

  it("the contents of an archive", { tags: "slow" }, async () => {
    const { code, content } = await fetched(gzipSync("words"), "application/gzip", "/notes.txt.gz");
    expect([code, content]).toEqual([undefined, expect.stringContaining("notes.txt")]);
  });

  it("the type of any other file, and how to save it", { tags: "slow" }, async () => {
    const program = Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01", "latin1"), Buffer.alloc(5000)]);
    const { code, content } = await fetched(program, "application/octet-stream", "/tool");
    expect([code, content]).toEqual([
      "unsupported",
      "http://here/tool is an ELF program or library (application/x-elf), 5.0 kB: it cannot be read as a document\n" +
        "Download it with a command (shell.run): curl -fLO URL",
    ]);
  });

  it("no binary file that is declared as text", { tags: "slow" }, async () => {
    const { code, content } = await fetched(Buffer.from("a\0b\0\0c"), "text/plain");
    expect([code, content.split("\n")[0]]).toEqual([
      "unsupported",
      "http://here/a is a binary file of unknown type, 6 bytes: it cannot be read as a document",
    ]);
  });

  it("no document that was fetched only in part", { tags: "slow" }, async () => {
    const pdf = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(11_000_000)]);
    const { code, content } = await fetched(pdf, "application/pdf", "/book.pdf");
    expect([code, content]).toEqual([
      "too-large",
      "http://here/book.pdf is larger than 10 MB, and it cannot be read in parts\n" +
        "Fetch it with a command (shell.run: curl -fLO URL), then read it with document.read.",
    ]);
  });
});

/** One red pixel. */
const picture = png();

function png(): Uint8Array {
  const chunk = (name: string, data: Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
