import type { HostAndPort } from "../../lib/net/parse-host.ts";
import type { Found } from "./way-out.ts";

const mostRemarks = 20;

/** What a command wanted to connect to and was not let, for the person who may change the rules. */
export class Refusals {
  readonly #counts = new Map<string, { readonly reason: string; times: number }>();
  #others = 0;

  /** `place` is where the host was found, if that is what was refused. */
  add({ host, port }: HostAndPort, place?: Found): void {
    const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const what =
      place === undefined || place.address === host
        ? where
        : `${where}, which is at ${place.address} (${place.kind})`;
    const known = this.#counts.get(what);
    if (known) known.times++;
    else if (this.#counts.size < mostRemarks)
      this.#counts.set(what, { reason: reasonFor(place?.named ?? host, place?.kind), times: 1 });
    else this.#others++;
  }

  remarks(): readonly string[] {
    const remarks = [...this.#counts].map(
      ([what, { reason, times }]) => `refused ${what}${times > 1 ? ` (${times} times)` : ""}: ${reason}`,
    );
    return this.#others === 0 ? remarks : [...remarks, `refused ${this.#others} more connections`];
  }
}

/** Whoever may connect to a name may connect to all its addresses on the internet, but those that a rule denies. */
function reasonFor(named: string, kind: string | undefined): string {
  return kind === "public"
    ? `a rule of yours denies ${named}`
    : `"allow connect ${named}" in your rules would let it`;
}
