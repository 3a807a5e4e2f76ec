/** A call worth trying of each tool, for its help. A test holds every one against the tool's schema. */
export const toolExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "file.read": { path: "README.md", offset: 1, limit: 20 },
  "file.write": { path: "notes.txt", content: "hello" },
  "file.list": { path: "src", depth: 2 },
  "file.delete": { path: "notes.txt" },
  "file.move": { from: "notes.txt", to: "docs/notes.txt" },
  "edit.replace": { path: "notes.txt", find: "hello", replace: "goodbye" },
  "edit.patch": { patch: "*** Begin Patch\n*** Update File: notes.txt\n-hello\n+goodbye\n*** End Patch" },
  "edit.diff": { diff: "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-hello\n+goodbye\n" },
  "edit.preview": { path: "notes.txt", find: "hello", replace: "goodbye" },
  "search.grep": { pattern: "TODO", path: "src", mode: "files" },
  "search.glob": { pattern: "**/*.ts" },
  "journal.undo": { last: 1, dry_run: true },
  "journal.diff": { last: 1 },
  "journal.checkpoint": { name: "before-refactoring" },
};
