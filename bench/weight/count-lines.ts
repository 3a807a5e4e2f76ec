export interface FileLines {
  /** Relative to the repository. */
  readonly path: string;
  readonly lines: number;
}

interface FolderLines {
  readonly folder: string;
  readonly files: number;
  readonly lines: number;
}

/** Sums source files by folder of src, without their tests; then whole areas. Other Markdown than that of docs is left out. */
export function countFolders(files: readonly FileLines[]): readonly FolderLines[] {
  const sums = new Map<string, { files: number; lines: number }>();
  for (const { path, lines } of files) {
    for (const folder of foldersOf(path)) {
      const sum = sums.get(folder) ?? { files: 0, lines: 0 };
      sums.set(folder, { files: sum.files + 1, lines: sum.lines + lines });
    }
  }
  return [...sums]
    .map(([folder, sum]) => ({ folder, ...sum }))
    .toSorted((one, other) => (one.folder < other.folder ? -1 : 1));
}

function foldersOf(path: string): readonly string[] {
  const [top, second] = path.split("/");
  if (path.endsWith(".md")) return top === "docs" ? ["docs"] : [];
  if (/\.test\.tsx?$/.test(path) || top === "test") return ["tests"];
  if (top === "src") return ["src", path.split("/").length > 2 ? `src/${second}` : "src/."];
  return path.includes("/") ? [top!] : [];
}
