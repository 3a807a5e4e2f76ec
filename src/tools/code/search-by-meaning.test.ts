import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type EmbeddingServer, embeddingServer } from "../../../test/support/embeddings/embedding-server.ts";
import { type TemporaryToolcrib, temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { openEmbedder } from "../../models/embeddings.ts";
import type { CodeSearchData } from "./found-code.ts";

/** A private key of 50 lines. */
const keyLines = Array.from({ length: 50 }, (_, at) =>
  createHash("sha512").update(String(at)).digest("base64").slice(0, 64),
);
const key = [`-----BEGIN ${"PRIVATE"} KEY-----`, ...keyLines, `-----END ${"PRIVATE"} KEY-----`].join("\n");

const token = ["ghp", "x7Kq2LmZ9vRt4WbN8sYc1HdF6gJp3QaE5uTo"].join("_");

describe("code.search with an embedding model", () => {
  let server: EmbeddingServer;
  let opened: TemporaryToolcrib;
  const search = (query: string) => opened.crib.call("code.search", { query });

  beforeAll(async () => {
    server = await embeddingServer();
    opened = await temporaryToolcrib({
      rules: ["deny read private.ts", "ask read asked.ts"],
      embedder: openEmbedder("ollama/words", {}, { OLLAMA_HOST: server.address }),
    });
    opened.write(
      "money.ts",
      `export function createInvoice(order: Order): Invoice {\n  const key = "${token}";\n}\n`,
    );
    opened.write("private.ts", "export function secretShipment(parcel: Parcel): void {}\n");
    // The text of a piece ends within the token, and another piece begins within the key.
    opened.write(
      "long.ts",
      `export function paintLong(): void {\n  // ${"o".repeat(1430)}\n  use("${token}");\n}\n`,
    );
    opened.write("notes.md", `# Keys\n${"Some words about keys.\n".repeat(75)}\n${key}\n`);
    opened.write("asked.ts", "export function askedShipment(parcel: Parcel): void {}\n");
    opened.write(".env", "SHIPMENT_PASSWORD=correct-horse-battery\n");
    opened.write("other.ts", "export function paintTheFence(colour: string): void {}\n");
    await vi.waitFor(
      async () =>
        expect(((await search("fence")).data as CodeSearchData).index?.vectors).toMatchObject({
          pieces: 6,
          missing: 0,
        }),
      { timeout: 30_000 },
    );
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it("finds code by meaning", async () => {
    const { content } = await search("bill");
    expect(content).toMatch(/^money\.ts:1-3 function createInvoice {2}\(meaning\)\n/);
  });

  it("sends no secrets, and no files that rules hide or ask about", async () => {
    await search(`where is ${token}`);
    await search(`where is ${"o ".repeat(735)}${token}`);
    const sent = JSON.stringify(server.received);
    for (const shown of ["createInvoice", "paintLong", "notes.md"]) expect(sent).toContain(shown);
    for (const hidden of [
      token.slice(0, 12),
      ...keyLines,
      "secretShipment",
      "askedShipment",
      "correct-horse-battery",
    ])
      expect(sent).not.toContain(hidden);
  });

  it("answers by words and names when the server is gone, says so, and does not ask it again at once", async () => {
    await server[Symbol.asyncDispose]();
    const before = server.received.length;
    const { content, isError } = await search("invoice");
    expect([isError, content]).toEqual([
      false,
      expect.stringMatching(
        /^money\.ts:1-3 function createInvoice[\s\S]*\n\[Searched by words and names only\. No embeddings from ollama: Cannot connect to /,
      ),
    ]);
    server = await embeddingServer();
    expect((await search("paint")).content).toContain("[Searched by words and names only.");
    expect(server.received.length + before).toBe(before);
  });
});
