import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { isRecord } from "../../lib/json/is-record.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { ListedTool } from "../types.ts";
import { cleanLine } from "./clean-text.ts";
import { weightOf } from "./schema/repair-schema.ts";

const maxPages = 64;
const maxTools = 1_000;
const maxNameChars = 256;
const maxProblems = 20;
// These limit the memory for one tool, and for all tools.
const maxToolChars = 1024 * 1024;
const maxAllChars = 8 * 1024 * 1024;

/** Lists all tools of a server, page by page. Skips invalid tools. */
export async function listTools(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly ListedTool[]; readonly problems: readonly string[] }> {
  const list = new ToolList();
  if (client.getServerCapabilities()?.tools === undefined) return list.taken;
  const read = async (cursor: string | undefined) => {
    const { tools, nextCursor } = await readPage(client, cursor, signal);
    return { items: tools, nextCursor };
  };
  const isWhole = await readPages(
    read,
    (tool) => list.take(tool),
    () => list.isFull,
  );
  return isWhole ? list.taken : list.left;
}

/** Takes the items of all pages. Returns false for a list that is too long or does not end. */
export async function readPages(
  read: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly unknown[]; readonly nextCursor?: unknown }>,
  take: (item: unknown) => void,
  isFull: () => boolean,
): Promise<boolean> {
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const { items, nextCursor } = await read(cursor);
    for (const item of items) take(item);
    if (typeof nextCursor !== "string") return true;
    if (cursors.has(nextCursor) || pages >= maxPages || isFull()) return false;
    cursor = nextCursor;
    cursors.add(cursor);
  }
}

/** The listed tools, in bounded memory. */
class ToolList {
  readonly #tools = new Map<string, ListedTool>();
  readonly #problems = new Set<string>();
  #space = maxAllChars;
  #missed = 0;

  get isFull(): boolean {
    return this.#tools.size >= maxTools || this.#missed > 0;
  }

  get taken() {
    const all = counted(this.#tools.size + this.#missed, "tool");
    if (this.#missed > 0) this.#report(`of its ${all} only the first ${this.#tools.size} are used`);
    return { tools: [...this.#tools.values()], problems: [...this.#problems] };
  }

  /** The tools so far of a list that does not end. */
  get left() {
    this.#report(`its list of tools does not end; only the first ${counted(this.#tools.size, "tool")} count`);
    return this.taken;
  }

  take(given: unknown): void {
    const tool = this.#read(given);
    if (typeof tool === "string") {
      this.#report(tool);
      return;
    }
    const weight = weightOf(tool, maxToolChars);
    if (this.#tools.size >= maxTools || weight > this.#space) {
      this.#missed += 1;
      return;
    }
    this.#space -= weight;
    this.#tools.set(tool.name, tool);
  }

  /** Returns the tool, or why it is skipped. */
  #read(given: unknown): ListedTool | string {
    if (!isRecord(given) || typeof given.name !== "string" || given.name.trim() === "")
      return "a tool without a name is skipped";
    const { name } = given;
    if (name.length > maxNameChars) return `a tool whose name has ${name.length} characters is skipped`;
    const shown = JSON.stringify(cleanLine(name, 80));
    if (this.#tools.has(name)) return `it lists ${shown} twice: the first is used`;
    const tool = essence(given, name);
    if (weightOf(tool, maxToolChars) <= maxToolChars) return tool;
    return `its tool ${shown} is skipped: its definition is too large`;
  }

  #report(problem: string): void {
    if (this.#problems.size < maxProblems) this.#problems.add(problem);
  }
}

/** Returns only the fields that are used. */
function essence(given: Record<string, unknown>, name: string): ListedTool {
  const { title, description, inputSchema } = given;
  const listed = isRecord(given.annotations) ? given.annotations : {};
  const annotations = Object.fromEntries(
    hints.filter((hint) => Object.hasOwn(listed, hint)).map((hint) => [hint, listed[hint]]),
  );
  return { name, title, description, inputSchema, annotations };
}

const hints = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

async function readPage(client: Client, cursor: string | undefined, signal: AbortSignal) {
  const options = { signal, timeout: longest };
  if (client.getProtocolEra() === "modern") {
    // The SDK skips tools with invalid headers, as the protocol demands. A page that it refuses is read without its checks.
    const page = await client
      .listTools(cursor === undefined ? undefined : { cursor }, options)
      .catch(() => undefined);
    if (page !== undefined) return page;
  }
  const request = { method: "tools/list", params: cursor === undefined ? undefined : { cursor } } as const;
  return client.request(request, anyPage, options);
}

/** The longest timer, so that only the signal ends a request. */
export const longest: number = 2 ** 31 - 1;

// The protocol's own schema would refuse the whole page for one bad tool.
const anyPage = z.looseObject({
  // Validating each item would take too long.
  tools: z._default(
    z.custom<readonly unknown[]>((value) => Array.isArray(value)),
    [],
  ),
  nextCursor: z.optional(z.unknown()),
});
