import type { CallAnswer } from "../../models/message.ts";
import type { CallRecord } from "../../toolcrib/index.ts";
import type { UnansweredCall } from "./restore.ts";

/**
 * The answer to a call whose process ended before there was one. The call is never made again by us; this tells the model what is
 * on record of it. Pure.
 */
export function answerLostCall({ call, callId }: UnansweredCall, record: CallRecord | undefined): CallAnswer {
  const { id, name } = call;
  return { id, name, content: tell(callId, record), isError: record?.outcome !== "ok", images: [] };
}

function tell(callId: string | null, record: CallRecord | undefined): string {
  if (callId === null)
    return "This call was not made: the session was cut off before. Nothing was done. Make it if it is still needed.";
  // What may change something is on record before it runs.
  if (record === undefined)
    return "The session was cut off during this call, which had changed nothing. Make it again if its answer is still needed.";
  if (record.outcome === null)
    return (
      `The session was cut off during this call. It may have happened in part${tellFiles(record)}. ` +
      "Look at what is there before you make it again."
    );
  const output = record.outputHandle === null ? "" : ` All that it said is kept as ${record.outputHandle}.`;
  if (record.outcome === "ok")
    return (
      `This call was made and succeeded${tellFiles(record)}; its answer was lost when the session was cut off.${output} ` +
      "Do not make it again; look at what is there."
    );
  return `This call was made and failed: ${record.message ?? record.outcome} (${record.outcome}).${output}`;
}

function tellFiles({ files: { created, changed, removed } }: CallRecord): string {
  const counts = [
    ...(created > 0 ? [`${created} created`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  return counts.length === 0 ? "" : `, files: ${counts.join(", ")}`;
}
