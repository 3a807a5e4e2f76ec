import type { Json } from "../json.ts";
import type { Piece, WireCall, WireReply } from "../protocol.ts";
import { sse } from "../sse.ts";
import { onWire } from "./arguments.ts";
import type { SentItemReasoning, SentItems } from "./sent-items.ts";

/** A reply as the events of the Responses API. */
export function responsesPieces(reply: WireReply, body: Json, sent: SentItems): readonly Piece[] {
  const writer = new ResponseWriter(reply, body);
  const isWordsFirst = reply.text !== undefined && reply.oddity !== "text-after-calls";
  const words = reply.text === undefined ? undefined : `text:${reply.text}`;
  const first = isWordsFirst ? words : (reply.calls[0]?.id ?? words);
  writer.begin();
  const reasoning = reply.reasoning === undefined ? undefined : writer.reasoning(reply.reasoning, first);
  if (isWordsFirst) writer.message(reply.text!);
  for (const call of reply.calls)
    if (call.name === "tool_search") writer.search(call);
    else writer.call(call);
  if (reply.text !== undefined && !isWordsFirst) writer.message(reply.text);
  writer.end();
  if (first !== undefined) sent.sent(first, reasoning);
  if (reply.text !== undefined) sent.spoke(reply.text, writer.phase);
  return writer.pieces;
}

class ResponseWriter {
  readonly pieces: Piece[] = [];
  readonly phase: string;
  readonly #reply: WireReply;
  readonly #body: Json;
  readonly #output: object[] = [];
  #sequence = 0;

  constructor(reply: WireReply, body: Json) {
    this.#reply = reply;
    this.#body = body;
    this.phase = reply.calls.length > 0 ? "commentary" : "final_answer";
  }

  begin(): void {
    this.#event("response.created", { response: this.#response("in_progress") });
    this.#event("response.in_progress", { response: this.#response("in_progress") });
  }

  reasoning(text: string, before: string | undefined): SentItemReasoning {
    const { number } = this.#reply;
    // Only clients that ask for a summary get one.
    const paragraphs = this.#body.reasoning?.summary ? text.split("\n\n") : [];
    const summary = paragraphs.map((paragraph) => ({ type: "summary_text", text: paragraph }));
    const encrypted = `encrypted:${number}:${Buffer.from(text).toString("base64")}`;
    const item = { id: `rs_${number}`, type: "reasoning", summary: [], encrypted_content: "" };
    const ids = new Set<string>();
    const place = this.#add(item, ids);
    for (const [summary_index, part] of summary.entries()) {
      const at = () => ({ ...this.#at(item.id, place, ids), summary_index });
      const empty = { type: "summary_text", text: "" };
      this.#event("response.reasoning_summary_part.added", { ...at(), part: empty });
      for (const delta of this.#reply.split(part.text))
        this.#event("response.reasoning_summary_text.delta", { ...at(), delta }, "reasoning");
      this.#event("response.reasoning_summary_text.done", { ...at(), text: part.text });
      this.#event("response.reasoning_summary_part.done", { ...at(), part });
    }
    this.#done(place, { ...item, summary, encrypted_content: encrypted }, ids);
    return { encrypted, ids, summary: paragraphs, before };
  }

  message(text: string): void {
    const id = `msg_${this.#reply.number}`;
    const item = {
      id,
      type: "message",
      role: "assistant",
      status: "in_progress",
      content: [],
      phase: this.phase,
    };
    const place = this.#add(item);
    const at = () => ({ ...this.#at(id, place), content_index: 0 });
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    this.#event("response.content_part.added", { ...at(), part });
    for (const delta of this.#reply.split(text))
      this.#event("response.output_text.delta", { ...at(), delta, logprobs: [] }, "text");
    this.#event("response.output_text.done", { ...at(), text, logprobs: [] });
    this.#event("response.content_part.done", { ...at(), part: { ...part, text } });
    this.#done(place, { ...item, status: this.#itemStatus(), content: [{ ...part, text }] });
  }

  call(call: WireCall): void {
    const { type, text } = onWire(call, this.#body.tools);
    const isCustom = type === "custom_tool_call";
    const id = `${isCustom ? "ctc" : "fc"}_${this.#reply.number}_${this.#output.length}`;
    const [field, events] = isCustom
      ? ["input", "response.custom_tool_call_input"]
      : ["arguments", "response.function_call_arguments"];
    const item = { id, type, status: "in_progress", call_id: call.id, name: call.name, [field]: "" };
    const place = this.#add(item);
    for (const delta of this.#reply.split(text))
      this.#event(`${events}.delta`, { ...this.#at(id, place), delta }, "arguments");
    const isCut = this.#itemStatus() === "incomplete";
    if (!isCut) this.#event(`${events}.done`, { ...this.#at(id, place), [field]: text });
    this.#done(place, { ...item, status: this.#itemStatus(), [field]: text });
  }

  /** The arguments of a search are an object, and come with the end of its item. */
  search({ id: call_id, input }: WireCall): void {
    const id = `tsc_${this.#reply.number}_${this.#output.length}`;
    const item = { id, type: "tool_search_call", execution: "client", call_id, status: "in_progress" };
    const place = this.#add({ ...item, arguments: {} });
    this.#done(place, { ...item, status: this.#itemStatus(), arguments: input });
  }

  end(): void {
    const { finish, oddity } = this.#reply;
    const status =
      oddity === "failed-reply"
        ? "failed"
        : finish === "stop" || finish === "calls"
          ? "completed"
          : "incomplete";
    this.#event(`response.${status}`, { response: this.#response(status) }, "terminal");
  }

  /** An item is incomplete when the reply is cut inside it. */
  #itemStatus(): string {
    return this.#reply.finish === "length" ? "incomplete" : "completed";
  }

  #add(item: Item, ids?: Set<string>): number {
    const output_index = this.#output.push(item) - 1;
    this.#event("response.output_item.added", {
      output_index,
      item: { ...item, id: this.#idOf(item.id, ids) },
    });
    return output_index;
  }

  #done(output_index: number, item: Item, ids?: Set<string>): void {
    const last = { ...item, id: this.#idOf(item.id, ids) };
    this.#output[output_index] = last;
    this.#event("response.output_item.done", { output_index, item: last });
  }

  #at(id: string, output_index: number, ids?: Set<string>) {
    return { item_id: this.#idOf(id, ids), output_index };
  }

  #idOf(id: string, ids?: Set<string>): string {
    const given = this.#reply.oddity === "changing-item-ids" ? `${id}_${this.#sequence}` : id;
    ids?.add(given);
    return given;
  }

  #event(type: string, fields: object, is?: Piece["is"]): void {
    const data = { type, sequence_number: this.#sequence++, ...fields };
    this.pieces.push(sse(data, { event: type, ...(is && { is }) }));
  }

  #response(status: string): object {
    const { number, model, finish, oddity, usage } = this.#reply;
    const isOver = status !== "in_progress";
    const reason = finish === "length" ? "max_output_tokens" : "content_filter";
    const error = { code: "server_error", message: "The model failed to generate a response." };
    return {
      id: `resp_${number}`,
      object: "response",
      created_at: 1_760_000_000 + number,
      status,
      error: status === "failed" ? error : null,
      incomplete_details: status === "incomplete" ? { reason } : null,
      instructions: null,
      metadata: {},
      model,
      output: isOver ? this.#output : [],
      parallel_tool_calls: true,
      reasoning: { effort: this.#body.reasoning?.effort ?? "medium", summary: null },
      store: false,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: 1,
      truncation: "disabled",
      usage: isOver && oddity !== "no-usage" ? usageOf(usage) : null,
    };
  }
}

interface Item {
  readonly id: string;
  readonly [field: string]: unknown;
}

function usageOf({ input, cached, output, reasoning }: WireReply["usage"]): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
