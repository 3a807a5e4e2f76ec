import { ToolError } from "../contract/error.ts";
import type { FileSection } from "./file-section.ts";

/** A diff that is for one file may leave out its names. */
export function withHeader(diff: string): string {
  return hasHeader.test(diff) ? diff : diff.replace(/^[^\S\n]*@@/m, `--- file\n+++ file\n$&`);
}

const hasHeader = /^[^\S\n]*(?:diff --git |--- .*\n[^\S\n]*\+\+\+ |\*\*\* (?:Begin Patch|Update File:))/m;

/** The same changes of the file at `path`, whatever the diff calls it. */
export function onlyChanging(path: string, sections: readonly FileSection[]): readonly FileSection[] {
  const names = new Set(
    sections.map((section) => (section.kind === "add" ? section.name : section.names[0])),
  );
  if (names.size > 1) throw severalFiles(path, names.size);
  return sections.map((section) => {
    if (section.kind !== "update" || section.moveTo !== undefined) throw otherThanChange(path, section);
    return { ...section, names: [path] };
  });
}

function severalFiles(path: string, count: number): ToolError {
  return new ToolError("invalid-input", `The diff changes ${count} files, and it is for ${path} alone`, {
    hint: "Give the hunks of each file in a call of its own.",
  });
}

function otherThanChange(path: string, { kind }: FileSection): ToolError {
  const does = { add: "adds", delete: "deletes", update: "moves" }[kind];
  return new ToolError("invalid-input", `The diff ${does} a file; here it can only change ${path}`, {
    hint: "Give hunks that change the file as it is. New files are made with file.write.",
  });
}
