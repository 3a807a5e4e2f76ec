import type { CallOptions, CallResult, Toolcrib } from "../../toolcrib.ts";

/** A call as a model has made it. */
export interface ModelCall<Item> {
  /** As the provider sent it, to answer it in the same form. */
  readonly item: Item;
  /** Two calls of one id are the same call: providers refuse a second answer. */
  readonly id: string | undefined;
  readonly name: string;
  readonly input: ReadInput;
}

/** What is needed of a call's result to answer it. */
export type Answered = Pick<CallResult, "content" | "isError" | "images">;

/** Arguments that can be read, or why they cannot. */
export type ReadInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * Makes all calls at once and answers them in their order, each exactly once, also when they are cancelled. Arguments that
 * cannot be read are told to the model, never repaired: what it did not say is not run.
 */
export async function answerCalls<Item, Answer>(
  crib: Toolcrib,
  calls: readonly ModelCall<Item>[],
  options: CallOptions,
  toAnswer: (call: ModelCall<Item>, result: Answered) => Answer,
): Promise<Answer[]> {
  const distinct = calls.filter(
    ({ id }, index) => id === undefined || calls.findIndex((call) => call.id === id) === index,
  );
  return Promise.all(
    distinct.map(async (call) => {
      const { name, input } = call;
      const result = input.ok ? await crib.call(name, input.value, options) : unreadable(input.problem);
      return toAnswer(call, result);
    }),
  );
}

/** Arguments that came as JSON text; a tool that takes nothing is often given nothing. */
export function readArguments(text: string): ReadInput {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

function unreadable(problem: string): Answered {
  const content = `The arguments are not valid JSON, so nothing was done: ${problem}\nMake the call again with whole arguments.`;
  return { content, isError: true, images: [] };
}
