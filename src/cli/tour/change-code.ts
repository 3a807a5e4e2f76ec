import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guide, OwnRoom } from "./guide.ts";

const source = `/** Adds prices up. */
export function total(prices: number[]): number {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;

/** Functions instead of lines. */
export async function changeCode(guide: Guide, room: OwnRoom): Promise<void> {
  guide.chapter("Code, as its language sees it");
  writeFileSync(join(room.workspace, "total.ts"), source);
  await guide.visit(room, {
    says: "What does a file declare?",
    words: ["code.symbols", "--path", "total.ts"],
    ends: "ok",
  });
  await guide.visit(room, {
    says: "Rename a variable wherever the file means it: not the parts of other names.",
    words: ["code.rename", "--path", "total.ts", "--name", "price", "--new-name", "each"],
    ends: "ok",
    lines: 12,
  });
  await guide.visit(room, {
    says: "A change that would no longer parse is not written.",
    words: [
      "code.replace_block",
      "--path",
      "total.ts",
      "--name",
      "total",
      "--new-block",
      "function total( {}",
    ],
    ends: "invalid-input",
  });
}
