import type { IndexFilter } from "../../../contract/code.ts";
import { FileFilter } from "../../../files/file-filter.ts";
import { findLanguage } from "../../languages/find-language.ts";

type Filter = Pick<IndexFilter, "path" | "language">;

/** Returns a filter by path and language. A file of unknown language passes. */
export function filterFiles({ path, language }: Filter): (file: FilteredFile) => boolean {
  const isIn = path === undefined ? () => true : pathFilter(path);
  const name = language === undefined ? undefined : findLanguage(language).name;
  return (file) =>
    isIn(file.path) && (name === undefined || file.language === "unknown" || file.language === name);
}

export interface FilteredFile {
  readonly path: string;
  readonly language: string | undefined | "unknown";
}

/** Matches a file or folder, or a glob. */
function pathFilter(wanted: string): (path: string) => boolean {
  const plain = wanted.replace(/^(?:\.\/+)+|\/+$/g, "");
  if (plain === "" || plain === ".") return () => true;
  if (!/[*?[{!]/.test(plain)) return (path) => path === plain || path.startsWith(`${plain}/`);
  const filter = new FileFilter({ globs: [plain] });
  return (path) => path === plain || path.startsWith(`${plain}/`) || filter.takes(path);
}
