import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/**
 * Marks results without a `resultType` as complete, as the protocol demands, and cuts lists that the SDK would validate
 * for minutes.
 */
export function repairResults<Kind extends Transport>(transport: Kind): Kind {
  let listener: Transport["onmessage"];
  const repairing: Transport["onmessage"] = (message, extra) => listener?.(repaired(message), extra);
  return Object.defineProperty(transport, "onmessage", {
    get: () => (listener === undefined ? undefined : repairing),
    set: (given: Transport["onmessage"]) => {
      listener = given;
    },
  });
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
