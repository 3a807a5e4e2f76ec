import type { CallOptions, CallResult, Toolcrib } from "../../toolcrib/index.ts";
import type { ReadInput } from "../../wire/read-arguments.ts";
import { inOrder, toolsThatOnlyRead } from "./in-order.ts";

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

/**
 * Makes calls and answers them in their order, each exactly once, also when they are cancelled. Arguments that cannot be
 * read are told to the model, never repaired: what it did not say is not run.
 */
export async function answerCalls<Item, Answer>(
  crib: Toolcrib,
  calls: readonly ModelCall<Item>[],
  options: CallOptions,
  toAnswer: (call: ModelCall<Item>, result: Answered) => Answer,
): Promise<Answer[]> {
  if (calls.length === 0) return [];
  const makeInOrder = inOrder(await toolsThatOnlyRead(crib));
  return Promise.all(
    firstOfEachId(calls).map(async ({ call, others }) => {
      const { name, input } = call;
      const result = input.ok
        ? await makeInOrder(name, () => crib.call(name, input.value, options))
        : unreadable(input.problem);
      return toAnswer(call, others === 0 ? result : withOthersNotMade(result, others));
    }),
  );
}

/** A provider takes one answer for an id: of two different calls that have the same, the second is not made. */
function firstOfEachId<Item>(
  calls: readonly ModelCall<Item>[],
): readonly { readonly call: ModelCall<Item>; readonly others: number }[] {
  const meaning = ({ name, input }: ModelCall<Item>) => JSON.stringify([name, input]);
  return calls.flatMap((call, index) => {
    if (!call.id) return [{ call, others: 0 }];
    const same = calls.filter(({ id }) => id === call.id);
    if (calls.indexOf(same[0]!) !== index) return [];
    const others = same.length === 1 ? 0 : same.filter((each) => meaning(each) !== meaning(call)).length;
    return [{ call, others }];
  });
}

function withOthersNotMade(result: Answered, others: number): Answered {
  const note = `[${others === 1 ? "Another call" : `${others} other calls`} had the same id and ${others === 1 ? "was" : "were"} not made: call again with an id for each.]`;
  return { ...result, content: result.content === "" ? note : `${result.content}\n${note}` };
}

function unreadable(problem: string): Answered {
  const content = `${problem}\nNothing was done: make the call again with whole arguments.`;
  return { content, isError: true, images: [] };
}
