import type { AgentEvent } from "../../agent/event.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { callEndLine, callStartLine } from "./call-lines.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** The calls that a script makes, as a tree below it. The last ones are shown. */
export class InnerCalls {
  readonly #lines = new Map<string, { readonly what: string; end: string }>();
  #earlier = 0;

  start(event: Of<"inner-start">, workspace: string): void {
    this.#lines.set(event.callId, { what: callStartLine(event, workspace), end: " …" });
    const [oldest] = this.#lines.keys();
    if (this.#lines.size <= mostLines || oldest === undefined) return;
    this.#lines.delete(oldest);
    this.#earlier += 1;
  }

  end(event: Of<"inner-end">): void {
    const line = this.#lines.get(event.callId);
    if (line === undefined) return;
    const end = callEndLine({ ...event, data: null, shown: "" });
    line.end = end === "" ? "" : `  ${end}`;
  }

  /** Returns a line for each call; none without calls. */
  lines(): string[] {
    const shown = [...this.#lines.values()].map(({ what, end }) => what + end);
    if (this.#earlier > 0) shown.unshift(`… ${counted(this.#earlier, "earlier call")}`);
    return shown.map((line, at) => `${at === shown.length - 1 ? "└" : "├"} ${line}`);
  }
}

const mostLines = 10;
