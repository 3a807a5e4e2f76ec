import { ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import type { Touch } from "./touched-paths.ts";

/** The files a request may mean, read before anything is decided. */
export class NamedFiles {
  readonly #found = new Map<string, Uint8Array | ToolError>();
  /** Whether the request is about more than one file. */
  readonly areSeveral: boolean;
  #bytes = 0;

  private constructor(touches: readonly Touch[]) {
    this.areSeveral = new Set(touches.map(({ paths }) => paths[0])).size > 1;
  }

  /** Reads as many as the names need: of several spellings, up to the one that is there. */
  static async read(touches: readonly Touch[], context: PreviewContext): Promise<NamedFiles> {
    const files = new NamedFiles(touches);
    for (const { paths, to } of touches) {
      await files.#readFirst(paths, context);
      if (to !== undefined) await files.#read(to, context);
    }
    return files;
  }

  /** The bytes at a path, undefined when there is nothing. Throws for all else, also for a path nobody announced. */
  at(path: string): Uint8Array | undefined {
    const found = this.#found.get(path);
    if (found === undefined)
      throw new ToolError("internal", `${path} was not announced, so it is not touched`);
    if (!(found instanceof ToolError)) return found;
    if (found.code === "not-found") return undefined;
    throw found;
  }

  /** Says that a file is missing, and which names are near. */
  missing(path: string): ToolError | undefined {
    const found = this.#found.get(path);
    return found instanceof ToolError && found.code === "not-found" ? found : undefined;
  }

  /** The path a message of the engine is about: it begins or ends with it. */
  subjectOf(message: string): string | undefined {
    const isSubject = (path: string) =>
      message.startsWith(`${path}:`) || message.startsWith(`${path} `) || message.endsWith(` ${path}`);
    return [...this.#found.keys()].filter(isSubject).sort((left, right) => right.length - left.length)[0];
  }

  async #readFirst(paths: readonly string[], context: PreviewContext): Promise<void> {
    for (const [index, path] of paths.entries()) {
      if ((await this.#read(path, context)) instanceof ToolError) continue;
      // What is no file cannot be meant where another spelling is one.
      for (const other of paths.slice(0, index)) this.#passOver(other);
      return;
    }
  }

  #passOver(path: string): void {
    const found = this.#found.get(path);
    if (found instanceof ToolError && found.code === "unsupported")
      this.#found.set(path, new ToolError("not-found", found.message));
  }

  async #read(path: string, context: PreviewContext): Promise<Uint8Array | ToolError> {
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    const found = await contentOf(path, context);
    this.#found.set(path, found);
    if (found instanceof ToolError) return found;
    this.#bytes += found.length;
    if (this.#bytes > maxTogether * megabyte) throw tooLargeTogether();
    return found;
  }
}

const megabyte = 1024 * 1024;

/** Larger files are rather data, and an edit holds a file in memory several times. */
const maxEach = 64;
const maxTogether = 256;

async function contentOf(
  path: string,
  { environment, signal }: PreviewContext,
): Promise<Uint8Array | ToolError> {
  try {
    const { bytes } = await environment.readFile(path, { maxBytes: maxEach * megabyte, signal });
    return bytes;
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    return error.code === "too-large" ? tooLarge(path) : error;
  }
}

function tooLarge(path: string): ToolError {
  return new ToolError("too-large", `${path} is too large to edit: at most ${maxEach} MB`, {
    hint: "Change it with a command or a script of your own.",
  });
}

function tooLargeTogether(): ToolError {
  return new ToolError("too-large", `The files of this call have more than ${maxTogether} MB together`, {
    hint: "Edit fewer of them at once.",
  });
}
