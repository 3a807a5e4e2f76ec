/** @module-tag slow */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

const scan = readFileSync(new URL("../../samples/documents/scan.pdf", import.meta.url));

/** The beginning of a PNG file, in base64. */
const png = "iVBORw0KGgo";

describe.each(sides)("$name", (side) => {
  it("shows a scanned page of a PDF to a model that sees, once and within the limits", async () => {
    const stage = await openStage(
      side,
      () => [{ calls: [{ name: "document_read", input: { path: "scan.pdf" } }] }, { text: "A scan." }],
      {
        files: { "scan.pdf": scan },
        dialect: "toolcrib",
        ...(side.kind === "ollama" && { served: ["qwen3-vl:8b"] }),
      },
    );
    expect(await stage.ask("What is it?")).toEqual(completed("A scan.", { rounds: 2, calls: 1 }));
    expect(stage.answers()[0]).toContain("page 1 is also shown as a picture");
    const body = JSON.stringify(stage.server.requests[1]!.body);
    expect(body.split(png)).toHaveLength(2);
    expect(body).not.toContain("JVBERi0");
    expect(body.length).toBeLessThan(3_800_000);
  });
});
