// Run with the permissions of an ordinary user: prints the errors of a journal whose folder is read-only or was deleted.
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ToolError } from "../../../src/contract/error.ts";
import { Journal } from "../../../src/journal/journal.ts";

const [top = ""] = process.argv.slice(2);
const folder = join(top, "state");
const journal = new Journal({ file: join(folder, "journal.sqlite"), session: "s", patienceMs: 100 });
const begin = (callId: string) => {
  try {
    journal.begin({ callId, tool: "file.write", input: {}, startedAt: 0 });
    return "recorded";
  } catch (error) {
    const { code, hint, forUser } = error as ToolError;
    return { code, hint, forUser: forUser?.hint };
  }
};

mkdirSync(folder);
chmodSync(folder, 0o500);
const readOnly = begin("call_1");
chmodSync(folder, 0o700);
const writable = begin("call_2");
rmSync(folder, { recursive: true });
chmodSync(top, 0o500);
const deleted = begin("call_3");
chmodSync(top, 0o700);
const createdAgain = begin("call_4");
const calls = journal.latest(10).map(({ callId, outcome }) => [callId, outcome]);
journal.close();
process.stdout.write(JSON.stringify({ readOnly, writable, deleted, createdAgain, calls }));
