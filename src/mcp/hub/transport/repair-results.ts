import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../../lib/json/is-record.ts";
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

/**
 * A server may repeat the token that it was sent. The members of the message itself stay: a token can be any text, also
 * the name of one of them.
 */
function redacted<Message extends JSONRPCMessage>(message: Message, secrets: readonly string[]): Message {
  if (secrets.length === 0) return message;
  const text = JSON.stringify(message);
  if (!secrets.some((secret) => text.includes(JSON.stringify(secret).slice(1, -1)))) return message;
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, isRecord(value) ? shown(value, secrets) : value]),
  ) as Message;
}

/** Returns a copy without the secrets in its texts and names. */
function shown(part: object, secrets: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(part), (_, value: unknown) => {
    if (typeof value === "string") return withoutSecrets(value, secrets);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [withoutSecrets(name, secrets), inner]),
    );
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
