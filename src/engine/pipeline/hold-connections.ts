import type { ToolCall } from "../../contract/call.ts";
import type { Confinement } from "../../contract/confinement.ts";
import { ToolError } from "../../contract/error.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { parseHost } from "../../lib/network-address.ts";
import type { DecidedCall } from "../../pipeline/decide-call.ts";
import { hostOf } from "../../policy/hosts.ts";
import { mayConnect } from "../../policy/may-connect.ts";
import type { PolicyPart } from "../../policy/policy.ts";
import { isThisMachine } from "../../system/network-policy.ts";

/** A host that no rule is about is asked for when a command connects to it. The connection waits for the answer. */
export interface HeldConnections {
  readonly mayConnect: NonNullable<Confinement["mayConnect"]>;
  /** How long connections have waited for an answer. */
  readonly heldMs: () => number;
  /** Withdraws the questions that wait, and refuses later connections, because the call has ended. */
  end(): void;
}

/** `settle` decides a call and asks for it. Throws a ToolError when it may not run. */
export function holdConnections(
  call: ToolCall,
  decided: DecidedCall,
  confinement: Confinement,
  settle: (call: ToolCall) => Promise<{ readonly latest: DecidedCall }>,
): HeldConnections {
  const approved: PolicyPart[] = [];
  const answers = new Map<string, Promise<void>>();
  const held = new HeldTime();
  const ended = new AbortController();
  const signal = AbortSignal.any([call.signal, ended.signal]);
  let latest = decided;

  const isAllowed: NonNullable<Confinement["mayConnect"]> = (...given) =>
    mayConnect(approved, latest.question, latest.policy)?.(...given) ?? false;
  const ask = async (host: string): Promise<void> => {
    const release = held.begin();
    // The account of the call keeps the decision about the command.
    const account = { ...call.account };
    try {
      // A hook has answered for the command, and has not seen the host.
      const connection = { ...call, hook: undefined, account, signal };
      ({ latest } = await settle({ ...connection, accesses: [{ kind: "network", host }] }));
    } catch (error) {
      if (error instanceof ToolError) return;
      throw error;
    } finally {
      release();
    }
    const { answer } = account.decision ?? {};
    if (answer === undefined) return;
    approved.push({ kind: "connect", spelling: host, host });
    const { decision } = call.account;
    const reason = `${decision?.reason}; connecting to ${host} was approved (${answer})`;
    if (decision) call.account.decision = { ...decision, reason };
  };
  const mayBeAsked = (host: string, leadingName: string | undefined): string | undefined => {
    const given = parseHost(host);
    const name = given === undefined ? undefined : hostOf(given);
    // Programs that ignore no_proxy would ask for their own servers, so ports of the machine need a rule.
    const isHere = name !== undefined && isThisMachine(name);
    const isTooMuch = name !== undefined && !answers.has(name) && answers.size >= mostHosts;
    return ended.signal.aborted || leadingName !== undefined || isHere || isTooMuch ? undefined : name;
  };
  return {
    end: () => ended.abort(),
    heldMs: () => held.ms(),
    mayConnect: (host, port, leadingName) => {
      const known = confinement.mayConnect?.(host, port, leadingName) || isAllowed(host, port, leadingName);
      const name = known === false ? mayBeAsked(host, leadingName) : undefined;
      if (name === undefined) return known;
      const answer = answers.get(name) ?? ask(name);
      answers.set(name, answer);
      return answer.then(() => isAllowed(host, port, leadingName));
    },
  };
}

/** A command that makes up hosts cannot ask without end. */
const mostHosts = 10;

/** The time in which at least one connection waited. */
class HeldTime {
  #ms = 0;
  #waiting = 0;
  #since = 0;

  begin(): () => void {
    if (this.#waiting === 0) this.#since = monotonicMs();
    this.#waiting += 1;
    return () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#ms += monotonicMs() - this.#since;
    };
  }

  ms(): number {
    return this.#ms + (this.#waiting > 0 ? monotonicMs() - this.#since : 0);
  }
}
