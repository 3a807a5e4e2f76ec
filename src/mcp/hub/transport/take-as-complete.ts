import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** Has results that do not say of which kind they are taken as complete ones, as the protocol wants and its SDK does not. */
export function takeAsComplete<Kind extends Transport>(transport: Kind): Kind {
  let hear: Transport["onmessage"];
  const heard: Transport["onmessage"] = (message, extra) => hear?.(completed(message), extra);
  return Object.defineProperty(transport, "onmessage", {
    get: () => (hear === undefined ? undefined : heard),
    set: (listener: Transport["onmessage"]) => {
      hear = listener;
    },
  });
}

function completed<Message extends JSONRPCMessage>(message: Message): Message {
  if (!("result" in message) || typeof message.result !== "object" || message.result === null) return message;
  return { ...message, result: { resultType: "complete", ...message.result } };
}
