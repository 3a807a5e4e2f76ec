import { resolve } from "node:path";
import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { bigintAsText } from "../../lib/json/bigint-as-text.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { callStartLine } from "../session/call-lines.ts";

/** A call as the editor lists it before it has run. */
export interface CallShape {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  readonly rawInput?: unknown;
}

export function shapeOf(
  call: {
    readonly name: string;
    readonly canonical: string;
    readonly input: unknown;
    readonly agent?: string | undefined;
  },
  workspace: string,
): CallShape {
  const { name, canonical, input, agent } = call;
  const line = callStartLine({ canonical, input }, workspace);
  return {
    title: agent === undefined ? line : `${agent}: ${line}`,
    name,
    kind: kindOf(canonical),
    locations: locationsIn(input, workspace),
    rawInput: plainInput(input),
  };
}

export function kindOf(canonical: string): ToolKind {
  const [family = ""] = canonical.split(".", 1);
  return kinds[canonical] ?? kinds[family] ?? "other";
}

const kinds: { readonly [toolOrFamily: string]: ToolKind | undefined } = {
  ...{ file: "read", document: "read", search: "search", web: "fetch", edit: "edit", notebook: "edit" },
  ...{ shell: "execute", process: "execute", git: "execute", "transaction.check": "execute", agent: "think" },
  ...{ "file.write": "edit", "file.delete": "delete", "file.move": "move", "file.list": "search" },
  ...{ code: "search", "code.read_symbol": "read", "code.rename": "edit", "code.replace_block": "edit" },
  ...{ "code.insert_block": "edit", "code.delete_block": "edit", "edit.preview": "read" },
  ...{
    "journal.undo": "edit",
    "git.status": "read",
    "git.diff": "read",
    "git.log": "read",
    "git.show": "read",
  },
  "git.blame": "read",
};

/** The fields of all dialects that hold paths and lines. */
const pathFields = ["path", "file_path", "filePath", "absolute_path", "notebook_path", "paths", "from", "to"];
const lineFields = ["line", "offset", "start_line", "startLine", "view_range"];

/** Returns the files that a call names, for editors that follow the agent. Files outside the workspace are left out. */
function locationsIn(input: unknown, workspace: string): ToolCallLocation[] {
  const named = isRecord(input) ? pathFields.flatMap((field) => input[field]) : [];
  const patch = isRecord(input) ? Object.values(input).join("\n") : input;
  const inPatch =
    typeof patch === "string" ? [...patch.matchAll(patchHeader)].map(([, path]) => path?.trim()) : [];
  const paths = [...named, ...inPatch].flatMap((path) =>
    typeof path === "string" && path !== "" && !path.includes("\0") ? [resolve(workspace, path)] : [],
  );
  const line = isRecord(input) ? lineFields.flatMap((field) => input[field]).find(isLine) : undefined;
  return [...new Set(paths)]
    .filter((path) => path !== workspace && liesInside(path, workspace))
    .slice(0, maxLocations)
    .map((path) => (isLine(line) ? { path, line } : { path }));
}

const patchHeader = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
const maxLocations = 20;

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Returns the arguments as JSON data; undefined when they are long. */
function plainInput(input: unknown): unknown {
  const text = JSON.stringify(input, bigintAsText);
  return text === undefined || text.length > maxInputChars ? undefined : JSON.parse(text);
}

const maxInputChars = 64 * 1024;
