import type { Random } from "../../data/random.ts";
import { encodeDocument } from "../document.ts";
import { type Draft, draftOf, patchForms, type TaskClass } from "../draft.ts";
import { mapLines } from "../hunk.ts";
import { isAbsent } from "../oracle.ts";
import type { Call, Form } from "../task.ts";
import { envelope } from "../write-call.ts";
import { section } from "./files.ts";
import { aged } from "./stale.ts";

/** Calls that fail because of a file. `text` is the patch without its envelope. */
function refusedFiles(
  kind: string,
  write: (draft: Draft, other: Draft, form: Form, random: Random) => string | undefined,
  forms: readonly Form[] = patchForms,
): TaskClass {
  return {
    kind,
    category: "refuse",
    forms,
    make(given, form, random, other) {
      const drafts = [given, other()].map((modification) => draftOf(modification, form, 3));
      if (!drafts[0] || !drafts[1] || drafts[0].path === drafts[1].path) return undefined;
      const text = write(drafts[0], drafts[1], form, random);
      if (text === undefined) return undefined;
      return {
        call: { form, text: form === "v4a" ? envelope(text) : text } as Call,
        files: drafts.map((draft) => ({
          path: draft!.path,
          before: encodeDocument(draft!.document),
          after: undefined,
        })),
      };
    },
  };
}

const missing = "no/such/file.txt";
const small = ({ document }: Draft) => document.lines.length <= 150;
const added = ({ document }: Draft) => document.lines.map((line) => `+${line}\n`).join("");

export const refusedFileClasses: readonly TaskClass[] = [
  refusedFiles("file that is not there", (draft) => section({ ...draft, path: missing })),
  refusedFiles(
    "one of two files is not there",
    (draft, other) => section(draft) + section({ ...other, path: missing }),
  ),
  refusedFiles("one of two files does not match", (draft, other, _, random) => {
    const spoil = (text: string) => (/[A-Za-z_]{4,}/.test(text) ? aged(text, other, random) : text);
    const hunks = other.hunks.map((hunk) =>
      mapLines(hunk, ({ kind, text }) => (kind === "add" ? text : spoil(text))),
    );
    const changed = hunks[0]!.lines.filter(
      ({ text }, index) => text !== other.hunks[0]!.lines[index]!.text,
    ).length;
    if (changed < 2 || !isAbsent(other.document, hunks, other.form)) return undefined;
    return section(draft) + section({ ...other, hunks });
  }),
  refusedFiles("new file that exists", (draft, other, form) => {
    if (!small(other)) return undefined;
    if (form === "v4a") return `${section(draft)}*** Add File: ${other.path}\n${added(other)}`;
    const { path, document } = other;
    return `${section(draft)}--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${document.lines.length} @@\n${added(other)}`;
  }),
  refusedFiles(
    "deletion of a file that is not there",
    (draft) => `*** Delete File: ${missing}\n${section(draft)}`,
    ["v4a"],
  ),
  refusedFiles("move onto itself", ({ path }) => `*** Update File: ${path}\n*** Move to: ${path}\n`, ["v4a"]),
  refusedFiles(
    "changed and moved onto itself",
    (draft) => section(draft).replace("\n", `\n*** Move to: ${draft.path}\n`),
    ["v4a"],
  ),
  refusedFiles(
    "move onto another file",
    (draft, other) => section(draft).replace("\n", `\n*** Move to: ${other.path}\n`),
    ["v4a"],
  ),
];
