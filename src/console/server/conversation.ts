import { tryReadEntry } from "../../agent/records/read-entries.ts";
import type { SessionEntry } from "../../agent/records/session-entry.ts";
import { Spending } from "../../agent/spending.ts";
import type { ConversationEntry } from "../../contract/conversations.ts";
import { nameForUser } from "../../dialects/find-tool.ts";
import { toolcribDialect } from "../../dialects/toolcrib.ts";
import { callTitle } from "../../lib/text/call-title.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { CallInput, UserMessage } from "../../models/message.ts";
import type { ModelPrices } from "../../models/model.ts";
import type { AgentItem, SessionItem, UsagePoint } from "../api.ts";

/** A recorded conversation, read entry by entry, so that a session that goes on is not read again from its beginning. */
export class RecordedConversation {
  /** The number of the last entry that was read. */
  readTo = 0;
  model: string | null = null;
  title: string | null = null;
  turns = 0;
  lastAt = 0;
  readonly items: SessionItem[] = [];
  readonly usage: UsagePoint[] = [];
  readonly agents: RecordedAgent[] = [];
  /** The session that it was forked from; null when it was not. */
  parent: string | null = null;
  readonly #session: string;
  readonly #pricesOf: (model: string) => ModelPrices | undefined;
  readonly #spending = new Spending();
  readonly #calls = new Map<string, CallItem>();
  #forkedAfter = 0;

  constructor(session: string, pricesOf: (model: string) => ModelPrices | undefined) {
    this.#session = session;
    this.#pricesOf = pricesOf;
  }

  /** In US dollars; null when unknown. */
  get cost(): number | null {
    return this.#spending.cost;
  }

  read(entries: readonly ConversationEntry[]): void {
    for (const kept of entries) {
      this.readTo = kept.number;
      this.lastAt = kept.at;
      const entry = tryReadEntry(kept, this.#session);
      if (entry === undefined) this.#add(kept.at, "notice", `Entry ${kept.number} is damaged.`);
      else this.#take(entry, kept.at);
    }
  }

  #take(entry: SessionEntry, at: number): void {
    switch (entry.kind) {
      case "start":
        this.model = entry.model;
        this.parent = entry.parent?.session ?? null;
        this.#forkedAfter = entry.parent?.turn ?? 0;
        break;
      case "user":
        this.turns = Math.max(this.turns, entry.turn);
        if (entry.source !== "notice") this.title ??= textOf(entry.message).trim().slice(0, 200);
        this.#add(at, entry.source === "notice" ? "notice" : "user", textOf(entry.message));
        break;
      case "reply":
        this.#takeReply(entry, at);
        this.#spend(entry.message.model, entry.usage, at);
        break;
      case "begun":
        this.#change(entry.id, { callId: entry.callId });
        break;
      case "answer":
        this.#change(entry.answer.id, {
          callId: entry.callId,
          state: entry.answer.isError ? "failed" : "ok",
        });
        break;
      case "agent":
        this.#takeAgent(entry);
        break;
      case "spent":
        this.#spend(entry.model, entry.usage, at);
        break;
      case "change":
        this.model = entry.model ?? this.model;
        if (entry.model) this.#add(at, "notice", `The model is now ${entry.model}.`);
        break;
      case "cleared":
        this.#add(
          at,
          "notice",
          `Cleared ${counted(entry.answers.length, "old output")}: from about ${entry.tokensBefore} to ${counted(entry.tokensAfter, "token")}.`,
        );
        break;
      case "compacted":
        this.#add(
          at,
          "notice",
          `Compacted from about ${entry.tokensBefore} to ${counted(entry.tokensAfter, "token")}.`,
        );
        break;
      case "turn-end": {
        const { outcome, error } = entry.result;
        if (outcome !== "completed")
          this.#add(at, "notice", `The turn ended: ${outcome}${error ? `: ${error.message}` : ""}`);
        break;
      }
    }
  }

  #takeReply({ message }: Extract<SessionEntry, { kind: "reply" }>, at: number): void {
    for (const part of message.content) {
      if (part.type === "text") this.#add(at, "model", part.text);
      else if (part.type === "reasoning") this.#add(at, "reasoning", part.text);
      else {
        const title = titleOf(part.input);
        const call = { callId: null, tool: toolForUser(part.name), title, state: "running", agent: null };
        this.#calls.set(part.id, { index: this.items.length, at });
        this.items.push({ type: "call", turn: this.turns, at, ...call });
      }
    }
  }

  /** A session that is resumed counts its agents from 1 again, so the latest of a name is meant. */
  #takeAgent({ agent: path, state, task }: Extract<SessionEntry, { kind: "agent" }>): void {
    const ids = path.split("/");
    const id = ids.pop()!;
    let siblings = this.agents;
    for (const parent of ids) siblings = siblings.findLast((one) => one.id === parent)?.agents ?? [];
    const known = siblings.findLast((one) => one.id === id);
    if (task !== undefined) siblings.push({ id, task, state, agents: [] });
    else if (known !== undefined) known.state = state;
  }

  #change(id: string, change: { readonly callId: string | null; readonly state?: string }): void {
    const found = this.#calls.get(id);
    const item = found && this.items[found.index];
    if (item?.type !== "call") return;
    this.items[found!.index] = { ...item, ...change, callId: change.callId ?? item.callId };
  }

  #add(at: number, type: "user" | "model" | "reasoning" | "notice", text: string): void {
    if (text.trim() !== "") this.items.push({ type, turn: this.turns, at, text });
  }

  /** The parent of a fork has paid for the copied part. */
  #spend(model: string, usage: Parameters<Spending["add"]>[0], at: number): void {
    if (this.turns <= this.#forkedAfter) return;
    this.#spending.addSum(usage, this.#pricesOf(model), model);
    this.usage.push({
      at,
      turn: this.turns,
      inputTokens: usage.input,
      outputTokens: usage.output,
      cost: this.#spending.cost,
    });
  }
}

interface RecordedAgent extends AgentItem {
  state: AgentItem["state"];
  readonly agents: RecordedAgent[];
}

interface CallItem {
  readonly index: number;
  readonly at: number;
}

function textOf({ content }: UserMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

/** Returns `plan.update` for `plan_update`, and names of other dialects and servers as they are. */
function toolForUser(name: string): string {
  const found = toolcribDialect.tools.find((tool) => tool.name === name);
  return found === undefined ? name : nameForUser(found);
}

function titleOf(input: CallInput): string {
  return input.ok ? callTitle(input.value, "") : input.given.slice(0, 200);
}
