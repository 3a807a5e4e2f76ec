import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/**
 * Has results that do not say of which kind they are taken as complete ones, as the protocol wants and its SDK does not,
 * and cuts lists that it would take minutes to check.
 */
export function repairResults<Kind extends Transport>(transport: Kind): Kind {
  let hear: Transport["onmessage"];
  const heard: Transport["onmessage"] = (message, extra) => hear?.(mended(message), extra);
  return Object.defineProperty(transport, "onmessage", {
    get: () => (hear === undefined ? undefined : heard),
    set: (listener: Transport["onmessage"]) => {
      hear = listener;
    },
  });
}

function mended<Message extends JSONRPCMessage>(message: Message): Message {
  if (!("result" in message) || typeof message.result !== "object" || message.result === null) return message;
  const { content, tools } = message.result as { content?: unknown; tools?: unknown };
  return {
    ...message,
    result: {
      resultType: "complete",
      ...message.result,
      ...(isLong(content, maxBlocks) && {
        content: [...content.slice(0, maxBlocks), leftOut(content.length)],
      }),
      ...(isLong(tools, maxTools) && { tools: tools.slice(0, maxTools) }),
    },
  };
}

const maxBlocks = 1_000;
// More than are taken in the end: it is to be seen that there are too many.
const maxTools = 10_000;

function isLong(list: unknown, max: number): list is unknown[] {
  return Array.isArray(list) && list.length > max;
}

function leftOut(blocks: number) {
  return { type: "text", text: `[${blocks - maxBlocks} more parts are left out]` };
}
