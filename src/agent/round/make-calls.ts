import { inOrder } from "../../adapters/calls/in-order.ts";
import type { ToolDefinition } from "../../dialects/definition.ts";
import type { CallAnswer, CallPart } from "../../models/message.ts";
import type { Approve, Caller } from "../../toolcrib/index.ts";
import type { AgentHappening } from "../event.ts";
import type { Recorder } from "../parts.ts";
import type { SessionHooks } from "../session.ts";
import { makeCall } from "./make-call.ts";

/** Where the calls of a session are made. */
export interface Counter {
  readonly caller: Caller;
  /** As the model was told of them, by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly hooks: SessionHooks;
  /** Asks the person about the call of this id. */
  readonly approverFor: (id: string) => Approve | undefined;
  readonly recorder: Recorder;
  readonly emit: (happening: AgentHappening) => void;
}

/** How a call ended, for the conversation and for whoever watches the model. */
export interface MadeCall {
  readonly answer: CallAnswer;
  /** The tool that was meant. */
  readonly canonical: string;
  readonly input: unknown;
  /** What kind of failure it was; undefined where it was none. */
  readonly failure: string | undefined;
}

/** Makes the calls of one reply. Each is answered exactly once, in their order, whatever happens; never rejects. */
export async function makeCalls(
  calls: readonly CallPart[],
  counter: Counter,
  signal: AbortSignal,
): Promise<readonly MadeCall[]> {
  const takeTurn = inOrder(namesOfReading(counter.tools));
  return Promise.all(calls.map((call) => takeTurn(call.name, () => makeCall(call, counter, signal))));
}

function namesOfReading(tools: Counter["tools"]): ReadonlySet<string> {
  let names = reading.get(tools);
  if (names === undefined) {
    const isReading = ({ effects, canonical }: ToolDefinition) =>
      effects.readOnly || canonical === beginsBeside;
    names = new Set([...tools.values()].filter(isReading).map(({ name }) => name));
    reading.set(tools, names);
  }
  return names;
}

/** Agents of one reply begin side by side, also those that are waited for. */
const beginsBeside = "agent.spawn";

const reading = new WeakMap<Counter["tools"], ReadonlySet<string>>();
