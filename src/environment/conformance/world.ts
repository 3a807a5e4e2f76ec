import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";

/** An environment under test, with helpers for entries that its own methods cannot create. */
export interface World {
  readonly environment: Environment;
  /** An absolute path next to the workspace. It contains the file "secret". */
  readonly outside: string;
  link(path: string, target: string): void;
  /** Creates a FIFO without a writer, or a substitute for one. */
  makeSpecial(path: string): void;
  /** Writes a file as another program does. Missing where the environment retries what another program disturbs. */
  write?(path: string, text: string): void | Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface WorldContent {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly outputs?: Readonly<Record<string, string>>;
}

export type OpenWorld = (content?: WorldContent) => World | Promise<World>;

/** Returns the error of a promise in a comparable form, or its result if it does not fail. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { succeeded: await promise };
  } catch (error) {
    if (error instanceof ToolError) return failure(error.code, error.message, error.hint);
    throw error;
  }
}

export function failure(code: string, message: string, hint: string | undefined): object {
  return { code, message, hint };
}

export function outsideFailure(world: World, path: string): object {
  const hint = `Use a path inside ${world.environment.workspace}; links must stay inside it too.`;
  return failure("outside-workspace", `${path} leads outside the workspace`, hint);
}

export function missingFailure(path: string, suggestion?: string): object {
  const hint = "List the directory or search for the name to find the right path.";
  return failure(
    "not-found",
    `${path} does not exist`,
    suggestion === undefined ? hint : `Did you mean ${suggestion}?`,
  );
}

export function directoryFailure(path: string): object {
  return failure(
    "unsupported",
    `${path} is a directory, not a file`,
    "List the directory, then name a file in it.",
  );
}

export function specialFailure(path: string): object {
  const message = `${path} is a FIFO, device or socket, not a file`;
  return failure("unsupported", message, "Use the path of a regular file.");
}

export function linkFailure(path: string): object {
  const message = `${path} is a link, and links are not followed here`;
  return failure("unsupported", message, "Name the file or directory it points to.");
}

export function existsFailure(path: string): object {
  return failure(
    "already-exists",
    `${path} already exists`,
    "Choose another name, or allow the call to replace it.",
  );
}

export function throughFileFailure(path: string): object {
  const message = `A part of ${path} is a file, not a directory`;
  return failure("unsupported", message, "Check the directories in the path.");
}

export function circleFailure(path: string): object {
  const message = `The link ${path} leads back to itself`;
  return failure("unsupported", message, "Delete the link, or name the file itself.");
}

export function workspaceFailure(path: string): object {
  const message = `${path} is the workspace itself and cannot be replaced`;
  return failure("unsupported", message, "Name a file or directory inside it.");
}

export async function textOf(environment: Environment, path: string): Promise<string> {
  const { bytes } = await environment.readFile(path, { maxBytes: 1_000_000 });
  return Buffer.from(bytes).toString();
}

/** Returns all entries of a workspace by path: the text of files, and the kind of every other entry. */
export async function contentOf(environment: Environment): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  const pending = [await environment.openDirectory(".")];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const { name, kind } of await directory.entries()) {
      const path = directory.path === "" ? name : `${directory.path}/${name}`;
      if (kind === "directory") pending.push(await directory.openDirectory(name));
      content[path] = kind === "file" ? await textOf(environment, path) : `(${kind})`;
    }
    directory.close();
  }
  return content;
}
