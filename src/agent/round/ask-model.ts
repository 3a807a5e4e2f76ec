import type { Model, ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { AgentHappening } from "../event.ts";
import { pause } from "../retry/pause.ts";
import { retryWait } from "../retry/retry-wait.ts";
import type { SessionLimits } from "../session.ts";
import { eachEvent } from "./each-event.ts";
import { type ReadReply, ReplyReader } from "./reply-reader.ts";

export interface Asking {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly limits: Pick<SessionLimits, "retries" | "retryWaitMs" | "silenceMs">;
  readonly signal: AbortSignal;
  readonly nextId: () => number;
  readonly emit: (happening: AgentHappening) => void;
}

/** A whole reply, or what was seen of one that was stopped. */
export type Asked =
  | { readonly isWhole: true; readonly reply: ReadReply }
  | { readonly isWhole: false; readonly shownText: string };

/**
 * Asks a model until a reply has come whole. Nothing that came of one that failed counts; `retry` tells so. Throws what will
 * not pass.
 */
export async function askModel(asking: Asking): Promise<Asked> {
  const { signal, limits, emit } = asking;
  for (let attempt = 1; ; attempt += 1) {
    const reader = new ReplyReader(asking.model.id, asking.nextId, emit);
    try {
      return { isWhole: true, reply: await readReply(reader, asking) };
    } catch (error) {
      reader.breakOff();
      if (signal.aborted) return { isWhole: false, shownText: reader.shownText };
      if (!(error instanceof ModelError)) throw error;
      const waitMs = retryWait({ error, attempt, limits });
      emit({ type: "retry", attempt, waitMs, kind: error.kind, message: error.message });
      await pause(waitMs, signal);
      if (signal.aborted) return { isWhole: false, shownText: "" };
    }
  }
}

async function readReply(reader: ReplyReader, asking: Asking): Promise<ReadReply> {
  const { model, request, limits, signal } = asking;
  let reply: ReadReply | undefined;
  await eachEvent(
    (ending) => model.stream(request, ending),
    { signal, silenceMs: limits.silenceMs },
    (event) => {
      reply = reader.read(event);
      return reply !== undefined;
    },
  );
  if (reply) return reply;
  throw new ModelError("cut", `The reply of ${model.id} ended without saying that it has`);
}
