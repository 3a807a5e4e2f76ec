import { basename } from "node:path";
import { printableLine } from "../../lib/text/printable.ts";
import type { Overview, PendingQuestion } from "../api.ts";
import type { Follower } from "./follower.ts";

/**
 * Posts a message to the user's own address when a question begins to wait, as ntfy takes it: a title in a header and the
 * text as the body. Questions that waited before are not reported. Secrets are redacted in questions already.
 */
export function notifyWebhook(address: string, follower: Pick<Follower, "subscribe">): () => void {
  const seen = new Set<string>();
  let isFirst = true;
  return follower.subscribe(({ event }) => {
    if (event.type !== "overview") return;
    for (const question of event.overview.approvals) {
      const key = `${question.workspace} ${question.id} ${question.askedAt}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (!isFirst && !question.isAnswered) void post(address, question, event.overview);
    }
    isFirst = false;
  });
}

async function post(address: string, question: PendingQuestion, { workspaces }: Overview): Promise<void> {
  const path = workspaces.find(({ id }) => id === question.workspace)?.path ?? question.workspace;
  const { client, tool, title, reason } = question;
  const who = client?.name ?? client?.kind ?? "An agent";
  try {
    const { ok, status } = await fetch(address, {
      method: "POST",
      headers: { title: `${who}: ${tool} needs approval`.replace(/[^ -~]/g, "?"), priority: "high" },
      body: printableLine(`${title.slice(0, maxTitle)} in ${basename(path)}: ${reason}`),
      redirect: "error",
      signal: AbortSignal.timeout(10_000),
    });
    if (!ok) process.emitWarning(`The webhook answered ${status}.`);
  } catch (error) {
    process.emitWarning(`The webhook cannot be reached: ${(error as Error).message}`);
  }
}

const maxTitle = 300;
