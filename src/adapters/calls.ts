import type { CallOptions, CallResult, Toolcrib, ToolDefinition } from "../toolcrib/index.ts";
import { freeformFieldOf, type ReadInput } from "../wire/read-arguments.ts";

export interface ModelCall<Item> {
  /** The call as the provider sent it, to answer it in the same form. */
  readonly item: Item;
  /** Two calls with one id are the same call: providers refuse a second answer. */
  readonly id: string | undefined;
  readonly name: string;
  readonly input: ReadInput;
}

export type Answered = Pick<CallResult, "content" | "isError" | "images">;

/**
 * Makes calls and answers each exactly once, in order, even when cancelled. Unreadable arguments are never repaired.
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
        ? await makeInOrder(name, () => crib.call(name, input.value, { ...options, onlyOffered: true }))
        : { content: `${input.problem}\n${callAgain}`, isError: true, images: [] };
      return toAnswer(call, others === 0 ? result : withOthersNotMade(result, others));
    }),
  );
}

/** Returns the first call of each id, because providers take one answer per id. Others with the same id are not made. */
function firstOfEachId<Item>(
  calls: readonly ModelCall<Item>[],
): readonly { readonly call: ModelCall<Item>; readonly others: number }[] {
  const contentOf = ({ name, input }: ModelCall<Item>) => JSON.stringify([name, input]);
  return calls.flatMap((call, index) => {
    if (!call.id) return [{ call, others: 0 }];
    const same = calls.filter(({ id }) => id === call.id);
    if (calls.indexOf(same[0]!) !== index) return [];
    const others = same.length === 1 ? 0 : same.filter((each) => contentOf(each) !== contentOf(call)).length;
    return [{ call, others }];
  });
}

function withOthersNotMade(result: Answered, others: number): Answered {
  const note = `[${others === 1 ? "Another call" : `${others} other calls`} had the same id and ${others === 1 ? "was" : "were"} not made. Give each call its own id.]`;
  return { ...result, content: result.content === "" ? note : `${result.content}\n${note}` };
}

/** The hint after arguments that could not be read. */
export const callAgain = "The call was not made. Make it again with complete arguments.";

/** Makes the calls of one answer in the order in which the model wrote them. */
export type MakeInOrder = <Result>(name: string, make: () => Promise<Result>) => Promise<Result>;

/**
 * Orders the calls of one answer. Each call waits for those before it, because a model may write "create, then read".
 * Only adjacent calls that change nothing run in parallel.
 */
export function inOrder(changesNothing: ReadonlySet<string>): MakeInOrder {
  let change: Promise<unknown> = Promise.resolve();
  let reads: Promise<unknown>[] = [];
  return (name, make) => {
    const isRead = changesNothing.has(name);
    const made = Promise.all(isRead ? [change] : [change, ...reads]).then(make);
    const ended = made.catch(() => {});
    if (isRead) reads.push(ended);
    else [change, reads] = [ended, []];
    return made;
  };
}

export async function toolsThatOnlyRead(crib: Toolcrib): Promise<ReadonlySet<string>> {
  const definitions = await crib.definitions({ which: "all" });
  const reading = definitions.filter(({ effects }) => effects.readOnly);
  return new Set(reading.flatMap(({ name, canonical }) => [name, canonical]));
}

/** Returns the name of the patch tool, if there is one. */
export async function patchTool(crib: Toolcrib): Promise<string | undefined> {
  const definitions = await crib.definitions({ which: "all" });
  return definitions.find((definition) => freeformFieldOf(definition) !== undefined)?.name;
}

/** Returns the definition of a tool; undefined for an unknown name. */
export async function definitionOf(crib: Toolcrib, name: string): Promise<ToolDefinition | undefined> {
  const definitions = await crib.definitions({ which: "all" });
  return definitions.find((definition) => definition.name === name || definition.canonical === name);
}
