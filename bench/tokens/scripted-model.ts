import { encode } from "gpt-tokenizer/encoding/o200k_base";

import { tokensOf } from "../../scripts/token-table.ts";
import type { ToolDefinition } from "../../src/dialects/definition.ts";
import { oncePerObject } from "../../src/lib/once-per-object.ts";
import type { CallAnswer, CallPart, Message } from "../../src/models/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/models/model.ts";

/** A call of the script, by the canonical name of the tool. */
export type ScriptedCall = readonly [tool: string, input: object];

/** What a trajectory has cost. */
export interface Cost {
  rounds: number;
  calls: number;
  /** The tokens of all requests together, and of all replies. */
  input: number;
  output: number;
  /** The bytes of the outputs that the model was shown. */
  bytes: number;
}

/**
 * A model that follows a trajectory: a function that makes calls, reads what the model sees of their answers, and returns
 * the final answer. It knows only what its requests contain.
 */
export class ScriptedModel {
  readonly cost: Cost = { rounds: 0, calls: 0, input: 0, output: 0, bytes: 0 };
  readonly model: Model;
  /** The features that the trajectory uses where it can. */
  readonly uses: ReadonlySet<string>;
  readonly #trajectory: Trajectory;
  #messages: readonly Message[] = [];
  #listed: readonly ToolDefinition[] = [];
  readonly #loaded = new Set<string>();
  #step = Promise.withResolvers<Step>();
  #answered = Promise.withResolvers<readonly CallAnswer[]>();
  #numbers = 0;

  constructor(trajectory: Trajectory, { defersTools, uses }: ScriptedOptions) {
    this.#trajectory = trajectory;
    this.uses = uses;
    this.model = {
      id: "scripted/model",
      provider: "scripted",
      name: "model",
      facts: { callsTools: true, contextTokens: 1_000_000, maxOutputTokens: 128_000, defersTools },
      stream: (request) => this.#reply(request),
    };
  }

  #start(): void {
    this.#trajectory(this).then(
      (text) => this.#step.resolve({ text, calls: [] }),
      (error: Error) => this.#step.reject(error),
    );
  }

  /** Makes one call and returns what the model sees of its output. */
  async call(tool: string, input: object): Promise<string> {
    return (await this.calls([[tool, input]]))[0]!;
  }

  /** Makes calls in one reply. Finds the tools first that the model does not have yet. */
  async calls(wanted: readonly ScriptedCall[]): Promise<readonly string[]> {
    for (const [tool] of wanted) {
      const name = nameOf(tool);
      if (this.#has(name)) continue;
      await this.#make([["tools.find", { query: tool.replace(/[._]/g, " "), limit: 3 }]]);
      if (!this.#has(name)) throw new Error(`tools.find does not find ${tool}.`);
    }
    return (await this.#make(wanted)).map(({ content }) => content);
  }

  /**
   * Returns the first match in an output that the model was shown. When it shows only a part, or was cleared, searches the
   * stored output.
   */
  async find(pattern: RegExp, shown: string): Promise<string> {
    const visible = pattern.exec(shown)?.[0];
    if (visible !== undefined) return visible;
    const handle = /out_[a-z0-9]+/.exec(shown)?.[0];
    if (handle === undefined) throw new Error(`No ${pattern} in: ${shown.slice(0, 2_000)}`);
    const found = await this.call("search.grep", { pattern: pattern.source, path: handle });
    const match = pattern.exec(found)?.[0];
    if (match === undefined) throw new Error(`No ${pattern} in ${handle}: ${found.slice(0, 500)}`);
    return match;
  }

  /** Returns what the model now sees of the answer to an earlier call, counted from 1. */
  shown(number: number): string {
    const answers = this.#messages.flatMap((message) => (message.role === "tool" ? message.answers : []));
    return answers.find(({ id }) => id === `call_${number}`)?.content ?? "";
  }

  /** The number of the last call. */
  get lastCall(): number {
    return this.#numbers;
  }

  #has(name: string): boolean {
    return this.#loaded.has(name) || this.#listed.some((tool) => tool.name === name);
  }

  async #make(calls: readonly ScriptedCall[]): Promise<readonly CallAnswer[]> {
    this.#answered = Promise.withResolvers();
    const made = calls.map(([tool, value]): CallPart => {
      this.#numbers += 1;
      return { type: "call", id: `call_${this.#numbers}`, name: nameOf(tool), input: { ok: true, value } };
    });
    this.#step.resolve({ text: `Next I need ${calls[0]![0]} for this step.`, calls: made });
    const answers = await this.#answered.promise;
    const failed = answers.find(({ isError, name }) => isError && name !== "shell_run");
    if (failed) throw new Error(`${failed.name} failed: ${failed.content.slice(0, 500)}`);
    for (const { found = [] } of answers) for (const name of found) this.#loaded.add(name);
    return answers;
  }

  async *#reply({ system, tools, deferred = [], messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    this.#messages = messages;
    this.#listed = tools;
    const last = messages.at(-1);
    if (this.cost.rounds === 0) this.#start();
    if (last?.role === "tool") {
      this.#step = Promise.withResolvers();
      for (const { content } of last.answers) this.cost.bytes += Buffer.byteLength(content);
      this.#answered.resolve(last.answers);
    }
    const { text, calls } = await this.#step.promise;
    const definitions = new Map([...tools, ...deferred].map((tool) => [tool.name, tool]));
    const input =
      tokens(system) +
      sum(tools.map(tokensOfTool)) +
      sum(messages.map((message) => messageTokens(message, definitions)));
    const output = tokens(text) + sum(calls.map(callTokens));
    this.cost.rounds += 1;
    this.cost.calls += calls.length;
    this.cost.input += input;
    this.cost.output += output;
    yield { type: "part-start", id: "text", part: "text" };
    yield { type: "part-delta", id: "text", text };
    yield { type: "part-end", id: "text" };
    for (const call of calls) yield { type: "call", call };
    const usage = { input, output, cached: 0, cacheWritten: 0, reasoning: 0 };
    yield { type: "finish", reason: calls.length > 0 ? "calls" : "stop", usage };
  }
}

interface ScriptedOptions {
  readonly defersTools: boolean;
  readonly uses: ReadonlySet<string>;
}

type Trajectory = (work: ScriptedModel) => Promise<string>;

interface Step {
  readonly text: string;
  readonly calls: readonly CallPart[];
}

/** The name of a tool in the toolcrib dialect. */
function nameOf(tool: string): string {
  return tool.replace(".", "_");
}

function messageTokens(message: Message, definitions: ReadonlyMap<string, ToolDefinition>): number {
  if (message.role === "tool")
    // APIs that load tools show the model the definitions instead of the answer.
    return sum(
      message.answers.map(({ content, found }) =>
        found === undefined
          ? tokens(content)
          : sum(found.map((name) => tokensOfTool(definitions.get(name)!))),
      ),
    );
  if (message.role === "assistant")
    return sum(
      message.content.map((part) =>
        part.type === "call" ? callTokens(part) : part.type === "text" ? tokens(part.text) : 0,
      ),
    );
  return sum(message.content.map((part) => (part.type === "text" ? tokens(part.text) : 0)));
}

function callTokens({ name, input }: CallPart): number {
  return tokens(`${name} ${JSON.stringify(input.ok ? input.value : input.given)}`);
}

/** Counts a text once, because every request repeats the earlier ones. */
const counts = new Map<string, number>();

function tokens(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  const count = encode(text).length;
  counts.set(text, count);
  return count;
}

const tokensOfTool = oncePerObject(tokensOf);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
