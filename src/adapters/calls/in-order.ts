import type { Toolcrib } from "../../toolcrib/index.ts";

/** Makes the calls of one answer as the model wrote them down, one after the other. */
export type MakeInOrder = <Result>(name: string, make: () => Promise<Result>) => Promise<Result>;

/**
 * A model that writes "create, then read" counts on it: each call waits for those before it, and only neighbours that change
 * nothing run side by side. One for each answer of a model.
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

/** The names of the tools no call of which changes anything. */
export async function toolsThatOnlyRead(crib: Toolcrib): Promise<ReadonlySet<string>> {
  const definitions = await crib.definitions({ which: "all" });
  const reading = definitions.filter(({ effects }) => effects.readOnly);
  return new Set(reading.flatMap(({ name, canonical }) => [name, canonical]));
}
