/** A call worth trying of each tool, for its help. A test holds every one against the tool's schema. */
export const toolExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "file.read": { path: "README.md", offset: 1, limit: 20 },
  "file.write": { path: "notes.txt", content: "hello" },
  "file.list": { path: "src", depth: 2 },
  "file.delete": { path: "notes.txt" },
  "file.move": { from: "notes.txt", to: "docs/notes.txt" },
  "search.grep": { pattern: "TODO", path: "src", mode: "files" },
  "search.glob": { pattern: "**/*.ts" },
};
