/** Checks that every call of a conversation is answered once, directly after it, and that ids are unique. */
export class PairedCalls {
  readonly faults: string[] = [];
  readonly #made = new Map<string, string>();
  readonly #open = new Set<string>();
  #isAnswering = false;

  /** `kind` is the type of call, which its answer must match. */
  call(id: string, kind = "call"): void {
    this.#ended("another call");
    if (this.#made.has(id)) this.faults.push(`The id ${id} is that of two calls.`);
    this.#made.set(id, kind);
    this.#open.add(id);
  }

  answer(id: string, kind = "call"): void {
    this.#isAnswering = true;
    const made = this.#made.get(id);
    if (made === undefined) this.faults.push(`No call has the id ${id} that is answered.`);
    else if (!this.#open.delete(id)) this.faults.push(`The call ${id} is answered twice, or too late.`);
    else if (made !== kind) this.faults.push(`The ${made} ${id} is answered as a ${kind}.`);
  }

  /** Another item of the model. It is allowed in the reply, before any answer. */
  modelItem(): void {
    this.#ended("something that the model said");
  }

  /** A message of the user, or the end of the request: all calls must be answered by now. */
  userItem(): void {
    this.#isAnswering = true;
    this.#ended("the next message");
  }

  #ended(next: string): void {
    if (!this.#isAnswering) return;
    for (const id of this.#open) this.faults.push(`The call ${id} is not answered before ${next}.`);
    this.#open.clear();
    this.#isAnswering = false;
  }
}
