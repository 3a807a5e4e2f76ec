import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { withoutSecrets } from "./recent-lines.ts";

/**
 * Marks results without a `resultType` as complete, as the protocol demands, and cuts lists that the SDK would validate
 * for minutes. Removes `secrets` from all messages.
 */
export function repairResults<Kind extends Transport>(
  transport: Kind,
  secrets: () => readonly string[] = () => [],
): Kind {
  let listener: Transport["onmessage"];
  const repairing: Transport["onmessage"] = (message, extra) =>
    listener?.(repaired(redacted(message, secrets())), extra);
  return Object.defineProperty(transport, "onmessage", {
    get: () => (listener === undefined ? undefined : repairing),
    set: (given: Transport["onmessage"]) => {
      listener = given;
    },
  });
}

/** A server may repeat the token that it was sent. */
function redacted<Message extends JSONRPCMessage>(message: Message, secrets: readonly string[]): Message {
  if (secrets.length === 0) return message;
  const text = JSON.stringify(message);
  const shown = withoutSecrets(text, secrets);
  return shown === text ? message : JSON.parse(shown);
}

function repaired<Message extends JSONRPCMessage>(message: Message): Message {
  if (!("result" in message) || typeof message.result !== "object" || message.result === null) return message;
  const { content, tools } = message.result as { content?: unknown; tools?: unknown };
  return {
    ...message,
    result: {
      resultType: "complete",
      ...message.result,
      ...(isLong(content, maxBlocks) && {
        content: [
          ...content.slice(0, maxBlocks),
          { type: "text", text: `[${content.length - maxBlocks} more parts not shown]` },
        ],
      }),
      ...(isLong(tools, maxTools) && { tools: tools.slice(0, maxTools) }),
    },
  };
}

const maxBlocks = 1_000;
// More tools are kept than are used, so that listing still reports that there are too many.
const maxTools = 10_000;

function isLong(list: unknown, max: number): list is unknown[] {
  return Array.isArray(list) && list.length > max;
}
