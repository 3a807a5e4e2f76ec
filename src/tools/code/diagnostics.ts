import { posix } from "node:path";
import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Diagnostic, LanguageServer, NoServer } from "../../contract/language-server.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { listFiles } from "../../files/list-files.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { describeDiagnostics } from "../edit/describe-diagnostics.ts";
import { amount, string } from "../fields.ts";
import { findScope } from "../search/scope.ts";
import { readSource } from "./code-file.ts";
import { isMissing, requireServer } from "./served-symbol.ts";

export interface CodeDiagnosticsData {
  readonly diagnostics: readonly Diagnostic[];
  /** How many files were checked. */
  readonly files: number;
  /** How many diagnostics of the checked files the limit has left out. */
  readonly notShown: number;
  /** The value of `from` for the next call; null when all files were checked. */
  readonly next: string | null;
}

const input = z.strictObject({
  path: z.optional(z.string().check(z.describe("A file or folder. Default: the workspace."))),
  severity: z.optional(z.enum(["error", "warning"]).check(z.describe("The least severe. Default warning."))),
  limit: amount(1, 1000, "Default 100."),
  from: string("Where to continue, from the previous result."),
});

export type CodeDiagnosticsInput = z.infer<typeof input>;

export const codeDiagnostics: Tool<CodeDiagnosticsInput, CodeDiagnosticsData> = {
  name: "code.diagnostics",
  description:
    "List type errors and warnings of a file or folder, with the language server of the project. Faster than a build.",
  risk: "read",
  startsPrograms: true,
  input,
  limits: { maxChars: 20_000, keep: "head" },
  timeoutMs: 180_000,
  accesses: ({ path = "." }) => [
    { kind: "read", path },
    { kind: "read", path: "." },
  ],

  async run(input, context) {
    const data = await diagnose(input, context);
    const { next, notShown } = data;
    const notes = [
      ...(notShown === 0 ? [] : [`${notShown} more: give a higher \`limit\`, or their file as \`path\`.`]),
      ...(next === null ? [] : [`Continue with \`from\`: "${next}".`]),
    ];
    return { data, text: describe(input, data), continuation: notes.join("\n") || undefined };
  },
};

async function diagnose(input: CodeDiagnosticsInput, context: ToolContext): Promise<CodeDiagnosticsData> {
  const { path = ".", severity = "warning", limit = 100, from = "" } = input;
  const scope = await findScope(context.environment, path);
  if (scope.kind === "file") {
    const server = await requireServer(scope.path, context);
    const { text } = await readSource(scope.path, context);
    const found = (await server.diagnostics({ path: scope.path, text })).filter(isAtLeast(severity));
    const notShown = Math.max(0, found.length - limit);
    return { diagnostics: found.slice(0, limit), files: 1, notShown, next: null };
  }
  const filter = new FileFilter({ globs: ["!**/node_modules/"] });
  const wanted = { directory: scope.path, filter, hidden: false, ignoreFiles: true };
  const { paths } = await listFiles(wanted, context);
  const diagnostics: Diagnostic[] = [];
  const servers = new Map<string, LanguageServer | NoServer>();
  let [files, notShown] = [0, 0];
  for (const file of [...paths].sort().filter((one) => one >= from)) {
    const extension = posix.extname(file);
    const server = servers.get(extension) ?? (await context.servers.serverFor(file));
    servers.set(extension, server);
    if (isMissing(server)) continue;
    if (files === mostFiles || diagnostics.length >= limit)
      return { diagnostics, files, notShown, next: file };
    files += 1;
    context.progress(`${file}: ${counted(diagnostics.length, "diagnostic")} so far`);
    const source = await readSource(file, context).catch(undefinedIfRefused);
    if (source === undefined) continue;
    const found = (await server.diagnostics({ path: file, text: source.text })).filter(isAtLeast(severity));
    const shown = found.slice(0, limit - diagnostics.length);
    diagnostics.push(...shown);
    notShown += found.length - shown.length;
  }
  if (files === 0) throw nothingServed(path, [...servers.values()]);
  return { diagnostics, files, notShown, next: null };
}

const mostFiles = 200;

function isAtLeast(least: "error" | "warning"): (diagnostic: Diagnostic) => boolean {
  return ({ severity }) => severity === "error" || severity === least;
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof ToolError) || error.code === "cancelled" || error.code === "timeout") throw error;
  return undefined;
}

function nothingServed(path: string, servers: readonly (LanguageServer | NoServer)[]): ToolError {
  const missing = servers.filter(isMissing);
  const best = missing.find(({ hint }) => hint !== undefined);
  return new ToolError("unavailable", best?.missing ?? `No file in ${path} has a language server`, {
    hint: best?.hint ?? "Check the syntax with code.validate.",
  });
}

function describe({ path = "." }: CodeDiagnosticsInput, data: CodeDiagnosticsData): string {
  const { diagnostics, files } = data;
  const where = files === 1 ? showPath(path) : counted(files, "file");
  if (diagnostics.length === 0) return `No errors or warnings in ${where}.`;
  return describeDiagnostics(diagnostics).join("\n");
}
