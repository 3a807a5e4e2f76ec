import type { Outcome, ToolCall } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import type { Scanner } from "../journal/scan/scanner.ts";
import { wrapEnvironment } from "../lib/wrap-environment.ts";
import type { Next } from "./stage.ts";

/**
 * Looks for what programs change which a tool starts by its own choice: from before the first of them that may change
 * something and is not ours, so that a call which starts none pays nothing.
 */
export async function aroundPrograms(
  call: ToolCall,
  next: Next,
  scanner: Pick<Scanner, "around">,
): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  let begun: Promise<void> | undefined;
  let scanned: Promise<Outcome> | undefined;
  let { outlivedBy } = call;
  const begin = () =>
    new Promise<void>((resolve, reject) => {
      scanned = scanner.around(call, (own) => {
        outlivedBy = own.outlivedBy;
        resolve();
        return outcome.promise;
      });
      scanned.catch(reject);
    });
  const start: Environment["start"] = async (program, options) => {
    if (options.confinement !== "ours" && !options.leavesFiles) {
      begun ??= begin();
      await begun;
    }
    return call.environment.start(program, options);
  };
  const running = next({
    ...call,
    environment: wrapEnvironment(call.environment, { start }),
    outlivedBy: (work) => outlivedBy(work),
  });
  running.then(outcome.resolve, outcome.reject);
  await outcome.promise.catch(() => {});
  return scanned ?? running;
}
