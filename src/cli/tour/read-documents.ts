import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guide, OwnRoom } from "./guide.ts";

const table = `Quay;Depth;Since
"North; old";4,9;1902-03-01
South;12;2001-10-31
`;

/** What others have written: documents and pages. */
export async function readDocuments(guide: Guide, room: OwnRoom): Promise<void> {
  guide.chapter("Documents, the web, and arithmetic");
  writeFileSync(join(room.workspace, "quays.csv"), table);
  await guide.visit(room, {
    says: "A document as text: PDF, Office, notebooks … or a table, whatever separates its cells.",
    words: ["document.read", "--path", "quays.csv", "--part", "row 1"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "No page leads to where keys are handed out, in no mode and no disguise.",
    words: ["web.fetch", "--url", "http://2852039166/latest/", "--mode", "yolo"],
    ends: "denied",
  });
  await guide.visit(room, {
    says: "Numbers that are exact.",
    words: ["math.calculate", "--expression", "0.1 + 0.2 + 2^64"],
    ends: "ok",
  });
}
