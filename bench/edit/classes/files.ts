import { applyChanges, encodeDocument } from "../document.ts";
import { type Draft, draftOf, fileOf, patchForms, type TaskClass, type TaskParts } from "../draft.ts";
import type { Form } from "../task.ts";
import { envelope, udiffHunks, udiffSection, v4aSection } from "../write-call.ts";

/** Calls about several files, or calls that create, delete and rename them. */
function filesClass(
  kind: string,
  make: (draft: Draft, other: Draft, form: Form) => TaskParts | undefined,
): TaskClass {
  return {
    kind,
    category: "clean",
    forms: patchForms,
    make(given, form, _, other) {
      const drafts = [given, other()].map((modification) => draftOf(modification, form, 3));
      if (!drafts[0] || !drafts[1] || drafts[0].path === drafts[1].path) return undefined;
      return make(drafts[0], drafts[1], form);
    },
  };
}

const twoFiles = filesClass("two files", (first, second, form) => ({
  call: {
    form,
    text: form === "v4a" ? envelope(section(first) + section(second)) : section(first) + section(second),
  } as TaskParts["call"],
  files: [fileOf(first), fileOf(second)],
}));

const newFile = filesClass("new file", (draft, other, form) => {
  const { path, document } = other;
  if (document.lines.length > 150 || document.ends.at(-1) === "") return undefined;
  const added = document.lines.map((line) => `+${line}\n`).join("");
  const text =
    form === "v4a"
      ? envelope(`${section(draft)}*** Add File: ${path}\n${added}`)
      : `${section(draft)}diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${document.lines.length} @@\n${added}`;
  return {
    call: { form, text } as TaskParts["call"],
    files: [fileOf(draft), { path, before: undefined, after: encodeDocument(document) }],
  };
});

const deletedFile = filesClass("deleted file", (draft, other, form) => {
  const { path, document } = other;
  if (document.lines.length > 150 || document.ends.at(-1) === "") return undefined;
  const removed = document.lines.map((line) => `-${line}\n`).join("");
  const text =
    form === "v4a"
      ? envelope(`*** Delete File: ${path}\n${section(draft)}`)
      : `--- a/${path}\n+++ /dev/null\n@@ -1,${document.lines.length} +0,0 @@\n${removed}${section(draft)}`;
  return {
    call: { form, text } as TaskParts["call"],
    files: [fileOf(draft), { path, before: encodeDocument(document), after: undefined }],
  };
});

const renamedFile = filesClass("renamed file", (draft, _, form) => {
  const { path, document, hunks, changes } = draft;
  const target = path.replace(/([^/]+)$/, "moved/$1");
  const text =
    form === "v4a"
      ? envelope(section(draft).replace("\n", `\n*** Move to: ${target}\n`))
      : `diff --git a/${path} b/${target}\nsimilarity index 90%\nrename from ${path}\nrename to ${target}\n--- a/${path}\n+++ b/${target}\n${udiffHunks(document, hunks)}`;
  return {
    call: { form, text } as TaskParts["call"],
    files: [
      { path, before: encodeDocument(document), after: undefined },
      { path: target, before: undefined, after: encodeDocument(applyChanges(document, changes)) },
    ],
  };
});

export const fileClasses: readonly TaskClass[] = [twoFiles, newFile, deletedFile, renamedFile];

export function section({
  form,
  path,
  document,
  hunks,
}: Pick<Draft, "form" | "path" | "document" | "hunks">): string {
  return form === "v4a" ? v4aSection(path, hunks) : udiffSection(path, document, hunks);
}
