import { type Answer, type Engine, Refusal, type Task } from "./task.ts";

/**
 * Lets an engine apply a call, and measures the time. An unexpected error counts as a refusal, but not as an intended
 * one.
 */
export async function attempt(
  engine: Engine,
  { call, files }: Pick<Task, "call" | "files">,
): Promise<{ answer: Answer; microseconds: number; crash?: string }> {
  const given = new Map(files.flatMap(({ path, before }) => (before ? [[path, before]] : [])));
  const start = performance.now();
  try {
    const result = engine.apply(call, given);
    // Synchronous engines must not wait for a turn of the queue.
    const answer = result instanceof Promise ? await result : result;
    return { answer, microseconds: 1000 * (performance.now() - start) };
  } catch (error) {
    const crash = (error as Error).stack ?? String(error);
    return { answer: new Refusal(crash), microseconds: 1000 * (performance.now() - start), crash };
  }
}
