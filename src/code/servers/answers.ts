import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { CodeLocation, Diagnostic, RenameEdits, TextEdit } from "../../contract/language-server.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { pathOf } from "./server-files.ts";

/** The parts of the protocol's answers that are used. A server may be broken or hostile, so each answer is checked. */
const position = z.object({
  line: z.int().check(z.minimum(0)),
  character: z.int().check(z.minimum(0)),
});
const range = z.object({ start: position, end: position });
const location = z.object({ uri: z.string(), range });
const locationLink = z.object({ targetUri: z.string(), targetSelectionRange: range });
const locations = z.nullish(z.union([location, z.array(z.union([location, locationLink]))]));

const markedString = z.union([z.string(), z.object({ value: z.string(), language: z.optional(z.string()) })]);
const hover = z.nullish(z.object({ contents: z.union([markedString, z.array(markedString)]) }));

const diagnostic = z.object({
  range,
  message: z.string(),
  severity: z.optional(z.int()),
  code: z.optional(z.union([z.string(), z.number()])),
});
const diagnostics = z.array(diagnostic);

const textEdit = z.object({ range, newText: z.string() });
const renameFile = z.object({ kind: z.literal("rename"), oldUri: z.string(), newUri: z.string() });
const workspaceEdit = z.nullish(
  z.object({
    changes: z.optional(z.record(z.string(), z.array(textEdit))),
    documentChanges: z.optional(
      z.array(
        z.union([
          z.object({ textDocument: z.object({ uri: z.string() }), edits: z.array(textEdit) }),
          renameFile,
        ]),
      ),
    ),
  }),
);

export function readHover(answer: unknown): string | undefined {
  const contents = parsed(hover, answer)?.contents;
  if (contents === undefined) return undefined;
  const text = [contents]
    .flat()
    .map((part) =>
      typeof part === "string" ? part : part.language ? fenced(part.value, part.language) : part.value,
    )
    .join("\n\n")
    .trim();
  return text === "" ? undefined : printable(text);
}

function fenced(code: string, language: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

/** Returns the locations, each once, ordered by path and position. */
export function readLocations(answer: unknown, workspace: string): readonly CodeLocation[] {
  const found = [parsed(locations, answer) ?? []].flat().slice(0, maxLocations);
  const byKey = new Map<string, CodeLocation>();
  for (const one of found) {
    const [uri, at] = "uri" in one ? [one.uri, one.range] : [one.targetUri, one.targetSelectionRange];
    const path = pathOf(uri, workspace);
    if (path !== undefined) byKey.set(JSON.stringify([path, at.start]), { path, range: at });
  }
  return [...byKey.values()].sort(
    (one, other) =>
      compare(one.path, other.path) ||
      one.range.start.line - other.range.start.line ||
      one.range.start.character - other.range.start.character,
  );
}

const maxLocations = 20_000;

export function readDiagnostics(answer: unknown, path: string): readonly Diagnostic[] {
  return parsed(diagnostics, answer)
    .slice(0, maxDiagnostics)
    .map(({ range: { start }, message, severity = 1, code }) => ({
      path,
      line: start.line + 1,
      column: start.character + 1,
      severity: severities[severity - 1] ?? "error",
      message: printable(message).slice(0, 2000),
      code: code === undefined ? undefined : codeName(code, path),
    }));
}

/** TypeScript sends numbers, which everyone writes as TS2322. */
function codeName(code: string | number, path: string): string {
  if (typeof code === "string") return printableLine(code).slice(0, 100);
  return /\.[cm]?[jt]sx?$/i.test(path) ? `TS${code}` : String(code);
}

const maxDiagnostics = 5000;
const severities = ["error", "warning", "information", "hint"] as const;

/** Reads the edits of a rename. Throws `unsupported` when a server wants more than to change text and to move files. */
export function readWorkspaceEdit(answer: unknown, workspace: string): RenameEdits {
  const edit = parsed(workspaceEdit, answer) ?? {};
  const edits = new Map<string, readonly TextEdit[]>();
  const moves: { from: string; to: string }[] = [];
  const inside = (uri: string) => {
    const path = pathOf(uri, workspace);
    if (path === undefined || path.startsWith("/"))
      throw new ToolError(
        "outside-workspace",
        `The rename would change ${printableLine(path ?? uri)}, outside the workspace`,
        {
          hint: "Rename another symbol, or edit the files of this project with edit.replace.",
        },
      );
    return path;
  };
  const add = (uri: string, more: readonly TextEdit[]) => {
    const path = inside(uri);
    edits.set(path, [...(edits.get(path) ?? []), ...more]);
  };
  // Servers that send both mean the same by them.
  if (edit.documentChanges !== undefined)
    for (const one of edit.documentChanges) {
      if ("kind" in one) moves.push({ from: inside(one.oldUri), to: inside(one.newUri) });
      else add(one.textDocument.uri, one.edits);
    }
  else for (const [uri, more] of Object.entries(edit.changes ?? {})) add(uri, more);
  return { edits, moves };
}

function parsed<Schema extends z.ZodMiniType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  throw new ToolError("unsupported", "The language server gave an answer that is not understood", {
    hint: "Use search.grep and code.symbols, which need no language server.",
  });
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
