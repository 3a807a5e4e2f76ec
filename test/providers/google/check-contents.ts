import { mayBeStopped } from "../stopped-reply.ts";
import type { Knowledge } from "./check-request.ts";
import type { Content, FunctionCall, FunctionResponse, GoogleRequest, Part } from "./request.ts";

/** Replaces the signature of a call that another model made. */
const noSignature = "skip_thought_signature_validator";

export function contentFaults({ contents, tools }: GoogleRequest, known: Knowledge): string[] {
  if (!Array.isArray(contents) || contents.length === 0) return ["contents is not specified."];
  const ids = new Set<string>();
  const faults = contents.flatMap((content, index) => {
    const before = contents[index - 1];
    const own =
      content.role === "model"
        ? [
            ...replyFaults(content, before, known),
            ...signatureFaults(content, contents[index + 1], known),
            ...content.parts.flatMap((part: Part) => callFaults(part, ids, known)),
          ]
        : answerFaults(content, before);
    return [...shapeFaults(content), ...own].map((fault) => `contents[${index}]: ${fault}`);
  });
  return [
    ...faults,
    ...(contents[0]!.role === "user" ? [] : ["contents: the first one must be of the user."]),
    ...(contents.at(-1)!.role === "user" ? [] : ["contents: the last one must be of the user."]),
    ...(ids.size > 0 && !tools?.length ? ["tools: must be given while contents hold function calls."] : []),
  ];
}

const kinds = ["text", "functionCall", "functionResponse", "inlineData"] as const;
const partFields = new Set<string>([...kinds, "thought", "thoughtSignature"]);

function shapeFaults({ role, parts, ...rest }: Content): string[] {
  return [
    ...Object.keys(rest).map((field) => `Unknown name "${field}".`),
    ...(role === "user" || role === "model" ? [] : ["Please use a valid role: user, model."]),
    ...(parts.length > 0 ? [] : ["must include at least one parts field."]),
    ...parts.flatMap(partFaults),
  ];
}

function partFaults(part: Part): string[] {
  const data = kinds.filter((kind) => part[kind] !== undefined);
  const isSigned = part.thoughtSignature !== undefined;
  return [
    ...Object.keys(part)
      .filter((field) => !partFields.has(field))
      .map((field) => `Unknown name "${field}" in a part.`),
    ...(data.length === 1 ? [] : ["required oneof field 'data' must have one initialized field."]),
    ...(part.text === "" && !isSigned ? ["a part of text is empty."] : []),
    ...(part.inlineData && !/^(image|audio|video|text|application)\//.test(part.inlineData.mimeType ?? "")
      ? ["inlineData: the mimeType is invalid."]
      : []),
    ...(part.inlineData && !part.inlineData.data ? ["inlineData: has no data."] : []),
  ];
}

function signatureFaults({ parts }: Content, next: Content | undefined, { sent }: Knowledge): string[] {
  const isBareText = parts.every(
    ({ text, thought, thoughtSignature }) => text && !thought && !thoughtSignature,
  );
  if (mayBeStopped({ isBareText }, next?.parts.map(({ text }) => text).join(" "))) return [];
  return sent.hasItsSignatures(parts) === false
    ? ["a thought signature is missing or at another position."]
    : [];
}

function replyFaults(
  { parts }: Content,
  before: Content | undefined,
  { sent, needsSignatures }: Knowledge,
): string[] {
  const calls = parts.filter(({ functionCall }) => functionCall);
  const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
  return [
    ...(before?.role === "model"
      ? ["a turn of the model must come immediately after a user turn or after a function response turn."]
      : []),
    ...parts.flatMap(({ functionResponse, inlineData }) =>
      functionResponse || inlineData ? ["only the user answers calls and shows things."] : [],
    ),
    ...signatures
      .filter((signature) => signature !== noSignature && !sent.isSignature(signature))
      .map(() => "Invalid thought signature."),
    ...(needsSignatures && calls.length > 0 && calls[0]!.thoughtSignature === undefined
      ? [
          `Function call is missing a thought_signature in functionCall parts: ${calls[0]!.functionCall!.name}.`,
        ]
      : []),
  ];
}

function callFaults({ functionCall: call }: Part, ids: Set<string>, { sent }: Knowledge): string[] {
  if (!call) return [];
  const { id, name, args } = call;
  const isTwice = id !== undefined && ids.has(id);
  ids.add(id ?? "");
  return [
    ...(/^[A-Za-z_][\w.:-]{0,127}$/.test(name) ? [] : [`functionCall.name: ${name} is invalid.`]),
    ...(args === undefined || isStruct(args) ? [] : [`functionCall.args: of ${name} is not an object.`]),
    ...(isTwice ? [`functionCall.id: ${id} is that of two calls.`] : []),
    ...(sent.isCall(call) === false ? [`functionCall: ${id} has changed.`] : []),
  ];
}

/** Requires as many answers as calls, directly after them, in their order. */
function answerFaults({ parts }: Content, before: Content | undefined): string[] {
  const calls =
    before?.role === "model" ? before.parts.flatMap(({ functionCall }) => functionCall ?? []) : [];
  const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const misplaced = answers.some((answer, index) => calls[index] && !isAnswer(answer, calls[index]));
  return [
    ...parts.flatMap(({ functionCall, thought, thoughtSignature }) =>
      functionCall || thought || thoughtSignature !== undefined ? ["only the model calls and thinks."] : [],
    ),
    ...(answers.length === calls.length
      ? []
      : [
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        ]),
    ...(misplaced ? ["function responses are not in the order of their calls."] : []),
    ...answers.flatMap(({ name, response }) =>
      isStruct(response) ? [] : [`functionResponse.response: of ${name} is not an object.`],
    ),
  ];
}

function isAnswer(answer: FunctionResponse, call: FunctionCall): boolean {
  return answer.name === call.name && answer.id === call.id;
}

function isStruct(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
