import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isAlias, isMap, isNode, isPair, LineCounter, parseDocument, visit } from "yaml";
import type * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type FleetFile, fleetSchema, type TaskFields, type TextOrFile, taskSchema } from "./spec-schema.ts";

/** A spec whose shape is valid. `expandRuns` checks the rest. */
export interface FleetSource {
  readonly fields: FleetFile;
  readonly tasks: readonly SourceTask[];
  /** The folder of the spec, from which its relative paths start. */
  readonly folder: string;
  readonly origin: Origin;
  /** Reads a text, or the file that it names. */
  text(value: TextOrFile, at: Place): string;
}

export interface SourceTask {
  readonly fields: TaskFields;
  readonly at: Place;
}

/** A place in a file, for errors. */
export interface Place {
  readonly origin: Origin;
  readonly path: readonly PropertyKey[];
}

interface Origin {
  readonly file: string;
  lineOf(path: readonly PropertyKey[]): number;
}

/** One thing that is wrong in a spec, and how to fix it. */
export interface Problem {
  readonly at: Place;
  readonly message: string;
  readonly fix: string;
}

/** Reads fleet.yaml and the files that it names. Throws `invalid-input` with file, line and a fix. */
export function readSpec(path: string): FleetSource {
  const file = resolve(path);
  const { value, origin } = parseYaml(readText(file, path, maxSpecBytes), path);
  const fields = checkShape(fleetSchema, value, { origin, path: [] });
  const folder = dirname(file);
  const texts = new Map<string, string>();
  const read = (name: string, at: Place) => {
    const text = texts.get(name) ?? readText(fileBelow(folder, name, at), name, maxTextBytes);
    texts.set(name, text);
    return text;
  };
  const text = (given: TextOrFile, at: Place) => (typeof given === "string" ? given : read(given.file, at));
  const source = { fields, folder, origin, text };
  const tasks: SourceTask[] = [];
  const mostTasks = maxRuns / ((fields.models?.length ?? 1) * (fields.repetitions ?? 1));
  // Counted on the way: repositories times prompts may be more than the memory holds.
  for (const task of tasksOf(source))
    if (tasks.push(task) > mostTasks)
      throw specError([
        {
          at: { origin, path: ["tasks"] },
          message: `has more than ${maxRuns} runs`,
          fix: "Split it into several fleets.",
        },
      ]);
  return { ...source, tasks };
}

const maxRuns = 200_000;

function* tasksOf({ fields, folder, origin }: Omit<FleetSource, "tasks">): Iterable<SourceTask> {
  const { tasks } = fields;
  const at = (...path: readonly PropertyKey[]): Place => ({ origin, path: ["tasks", ...path] });
  if (Array.isArray(tasks)) {
    for (const [index, task] of tasks.entries()) yield { fields: task, at: at(index) };
  } else if ("file" in tasks) yield* readLines(folder, tasks.file, at("file"));
  else {
    for (const [row, given] of tasks.repositories.entries()) {
      const place = at("repositories", row);
      const { name, ...repository } =
        typeof given === "string" ? { name: undefined, repository: given } : given;
      const first = name ?? nameOfRepository(repository.repository);
      const prompts = tasks.prompts ?? [{ name: "", prompt: undefined }];
      for (const { name: second, prompt } of prompts) {
        const whole = second === "" ? first : `${first}/${second}`;
        const task = { name: whole, ...repository, ...(prompt !== undefined && { prompt }) };
        yield { fields: checkShape(taskSchema, task, place), at: place };
      }
    }
  }
}

function* readLines(folder: string, name: string, at: Place): Iterable<SourceTask> {
  const lines = readText(fileBelow(folder, name, at), name, maxTasksBytes).split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const place: Place = { origin: { file: name, lineOf: () => index + 1 }, path: [] };
    const value = tryParseJson(line);
    if (value === undefined)
      throw specError([{ at: place, message: "is not JSON", fix: '{"name": "task-1", "prompt": "…"}' }]);
    yield { fields: checkShape(taskSchema, value, place), at: place };
  }
}

/** `https://host/acme/api.git` is named `api`. */
function nameOfRepository(repository: string): string {
  const last =
    repository
      .replace(/[/\\]+$/, "")
      .split(/[/:\\]/)
      .at(-1) ?? "";
  return (
    last
      .replace(/\.git$/, "")
      .replace(/[^\w.+-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "") || "repository"
  );
}

/** Refuses paths that leave the folder of the spec, also through a link: a copied spec must not send a file of the user. */
function fileBelow(folder: string, name: string, at: Place): string {
  const file = join(folder, name);
  const isInside = () => !existsSync(file) || realpathSync(file).startsWith(`${realpathSync(folder)}/`);
  if (isPathBelow(name) && isInside()) return file;
  throw specError([
    {
      at,
      message: `"${printableLine(name)}" is not below the folder of the spec`,
      fix: "Copy the file next to the spec, and name it without / and .. at the beginning.",
    },
  ]);
}

export function isPathBelow(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..") && !path.includes("\0");
}

const maxSpecBytes = 16 * 1024 * 1024;
const maxTextBytes = 1024 * 1024;
const maxTasksBytes = 256 * 1024 * 1024;

function readText(file: string, name: string, maxBytes: number): string {
  try {
    const stats = statSync(file);
    if (stats.isFIFO()) throw new Error("it is a pipe");
    const { size } = stats;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT";
    throw new ToolError(
      isMissing ? "not-found" : "invalid-input",
      isMissing ? `${name} does not exist` : `${name} cannot be read: ${message}`,
      { hint: isMissing ? "Name a file that exists." : "Use a UTF-8 text file.", cause },
    );
  }
}

/** Plain YAML: no custom tags, and aliases cannot make a small file large. */
function parseYaml(text: string, file: string): { readonly value: unknown; readonly origin: Origin } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "core", prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const [fault] = [...document.errors, ...document.warnings];
  const failed = (line: number, message: string, fix: string) =>
    specError([{ at: { origin: { file, lineOf: () => line }, path: [] }, message, fix }]);
  if (fault !== undefined)
    throw failed(
      lineAt(fault.pos[0]),
      `is not valid YAML: ${fault.message}`,
      yamlFixes[fault.code] ?? 'Quote texts that contain : # or !, for example prompt: "Fix: the parser"',
    );
  let aliases = 0;
  visit(document, (_key, node) => {
    if (isAlias(node)) aliases += 1;
  });
  if (aliases > maxAliases)
    throw failed(1, "has too many aliases", "Write defaults at the top level instead.");
  const lineOf = (path: readonly PropertyKey[]) => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const parent = document.getIn(path.slice(0, depth - 1), true);
      const pair = isMap(parent)
        ? parent.items.find((item) => isPair(item) && String(item.key) === String(path[depth - 1]))
        : undefined;
      const node = pair?.key ?? document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return lineAt(node.range[0]);
    }
    return 1;
  };
  return { value: document.toJS({ maxAliasCount: maxAliases }), origin: { file, lineOf } };
}

const maxAliases = 100;

const yamlFixes: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "Indent with spaces instead of tabs.",
  BAD_INDENT: "Indent the fields of one group with the same number of spaces.",
  DUPLICATE_KEY: "Remove one of the two fields.",
  MISSING_CHAR: "Close the quote or bracket, or add a space after the colon.",
  MULTIPLE_DOCS: "Remove the line --- and write one file per fleet.",
  TAG_RESOLVE_FAILED: "Remove the tag, or quote the text that begins with !",
  BAD_ALIAS: "Quote the text that begins with * or &",
  BAD_DQ_ESCAPE: "Use single quotes around texts with backslashes.",
};

function checkShape<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  at: Place,
): z.infer<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw specError(parsed.error.issues.flatMap((issue) => deepest(issue)).map((issue) => explain(issue, at)));
}

/** Returns the issues of the member of a union that fits best: the one whose issues lie deepest. */
function deepest(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const members = issue.errors.map((issues) => issues.flatMap(deepest));
  const depthOf = (issues: readonly z.core.$ZodIssue[]) =>
    Math.max(...issues.map(({ path, code }) => path.length + (code === "invalid_type" ? 0 : 1)));
  const best = members.toSorted((one, other) => depthOf(other) - depthOf(one))[0] ?? [];
  return best.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function explain(issue: z.core.$ZodIssue, { origin, path }: Place): Problem {
  const field = nameField([...path, ...issue.path]);
  const at = { origin, path: [...path, ...issue.path] };
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const near = nearest(key, knownFields);
    return {
      at: { origin, path: [...at.path, key] },
      message: `unknown field ${printableLine(nameField([...at.path, key]))}`,
      fix:
        near === undefined || near === key
          ? `Remove ${printableLine(key)}.`
          : `Write ${near}: instead of ${printableLine(key)}:`,
    };
  }
  if (issue.code === "invalid_type" && issue.input === undefined)
    return { at, message: `${field} is missing`, fix: `Add ${field.split(".").at(-1)}: …` };
  const wanted =
    issue.code === "invalid_value"
      ? `one of ${issue.values.join(", ")}, not ${printableLine(JSON.stringify(issue.input)).slice(0, 100)}`
      : (wantedOf(issue) ?? issue.message);
  const name = issue.path.findLast((key) => typeof key === "string") ?? path.at(-1);
  const fix = name === undefined ? "name: nightly" : `Write ${String(name)}: ${exampleOf(issue)}`;
  return { at, message: `${field} must be ${wanted}`, fix };
}

/** Returns a value that would be accepted. */
function exampleOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") {
    const values = issue.values.map(String);
    return nearest(String(issue.input), values) ?? values[0]!;
  }
  if (issue.code === "too_big" && issue.origin !== "string") return String(issue.maximum);
  if (issue.code === "too_small" && issue.origin !== "string") return issue.origin === "array" ? "[…]" : "1";
  if (issue.code === "invalid_format") return issue.path.at(-1) === "name" ? "task-1" : '"…" in one line';
  return (issue.code === "invalid_type" ? examples[issue.expected] : undefined) ?? '"…"';
}

const examples: Readonly<Record<string, string>> = {
  ...{ number: "10", int: "10", boolean: "true", object: "{ … }", record: "{ … }", array: "[…]" },
};

function wantedOf(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? issue.expected;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? "not empty"
        : `more than ${issue.inclusive ? Number(issue.minimum) - 1 : issue.minimum}`;
    case "too_big":
      return `at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    case "invalid_format":
      return issue.path.at(-1) === "name"
        ? "letters, digits and . _ - / : @ +, without spaces"
        : "one line without control characters";
    default:
      return undefined;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text; quote it",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a group of fields",
  record: "a group of fields",
  array: "a list",
};

const knownFields = [
  ...Object.keys(fleetSchema.shape),
  ...Object.keys(taskSchema.shape),
  "repositories",
  "prompts",
  "command",
  "files",
  "minutes",
  "rounds",
  "dollars",
  "branch",
  "message",
  "concurrency",
  "tokensPerMinute",
  "file",
];

/** `tasks[3].limits.rounds` */
function nameField(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return text.replace(/^\./, "") || "the spec";
}

/** Makes one error of the first problems. Its hint fixes the first. */
export function specError(problems: readonly Problem[]): ToolError {
  const shown = problems.slice(0, maxShown).map(({ at, message }) => {
    return `${at.origin.file}:${at.origin.lineOf(at.path)}: ${message}`;
  });
  const more = problems.length > maxShown ? [`… and ${problems.length - maxShown} more`] : [];
  return new ToolError("invalid-input", [...shown, ...more].join("\n"), { hint: problems[0]!.fix });
}

const maxShown = 5;
