import type { ModelAction } from "../../wire/actions/describe-actions.ts";
import { type FoundActions, findActions } from "../../wire/actions/read-actions.ts";

type Call = Extract<ModelAction, { action: "tool_call" }>;

export interface ReadText {
  /** Thoughts between tags, before everything else. */
  readonly thoughts: string;
  /** The part that was not shown yet. */
  readonly rest: string;
  readonly calls: readonly Call[];
  readonly fault: string | undefined;
  /** Whether the reply is text only, without anything that looks like a call. */
  readonly isProse: boolean;
}

/**
 * Reads a reply as it arrives. Shows prose at once, up to the first brace that may begin an action, and holds the rest
 * until the end, so that the user never sees half an object.
 */
export class ActionReader {
  readonly #example: string;
  readonly #pieces: string[] = [];
  #state: "start" | "thoughts" | "after thoughts" | "prose" | "held" = "start";
  /** Undecided text, which begins at `#offset` of the reply. */
  #pending = "";
  #offset = 0;
  /** How much before `#offset` was shown. */
  #given = 0;
  #closingTag = "";

  constructor(example: string) {
    this.#example = example;
  }

  /** Returns what can be shown now. */
  add(text: string): string {
    this.#pieces.push(text);
    if (this.#state === "held") return "";
    this.#pending += text;
    if (this.#state !== "prose") this.#findProse();
    if (this.#state !== "prose") return "";
    const given = this.#pending.slice(0, this.#safeEnd());
    this.#given += given.length;
    this.#drop(given.length);
    return given;
  }

  end(): ReadText {
    const reply = this.#pieces.join("");
    const reading = findActions(reply, this.#example);
    const { start, found, fault } = reading;
    const isText = reply.slice(start).trim() !== "" && !looksLikeCall.test(reply);
    return {
      thoughts: thoughtsIn(reply.slice(0, start)),
      rest: this.#rest(reply, reading),
      calls: found.map(({ action }) => action).filter((action) => action.action === "tool_call"),
      fault: fault?.message,
      isProse: isText && fault !== undefined && (fault.at === undefined || fault.isOther),
    };
  }

  #findProse(): void {
    if (this.#state === "start" && this.#skipBlanks()) {
      const head = this.#pending.slice(0, 10);
      const tag = thoughtTags.find((each) => each.startsWith(head) || head.startsWith(each));
      if (tag === undefined) this.#state = "prose";
      else if (head.length >= tag.length) {
        this.#state = "thoughts";
        this.#closingTag = tag.replace("<", "</");
      }
    }
    if (this.#state === "thoughts") {
      const end = this.#pending.indexOf(this.#closingTag);
      if (end === -1) this.#drop(Math.max(0, this.#pending.length - this.#closingTag.length));
      else {
        this.#drop(end + this.#closingTag.length);
        this.#state = "after thoughts";
      }
    }
    if (this.#state === "after thoughts" && this.#skipBlanks()) this.#state = "prose";
  }

  #skipBlanks(): boolean {
    this.#drop(this.#pending.length - this.#pending.trimStart().length);
    return this.#pending !== "";
  }

  #drop(length: number): void {
    this.#pending = this.#pending.slice(length);
    this.#offset += length;
  }

  #safeEnd(): number {
    const text = this.#pending;
    for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at + 1)) {
      const may = mayBegin(text.slice(at, at + mostDoubt));
      if (may === "no") continue;
      if (may === "yes") this.#state = "held";
      return withoutTail(text, at);
    }
    return withoutTail(text, text.length);
  }

  /** Returns the text for the user that was not shown yet: prose, and the messages of actions. */
  #rest(reply: string, { start, found, fault }: FoundActions): string {
    const isBegun = this.#given > 0;
    const pieces: string[] = [];
    let from = isBegun ? this.#offset : start;
    for (const { action, start: begin, end } of found) {
      pieces.push(proseBetween(reply, from, begin));
      if (action.action === "respond") pieces.push(action.message);
      if (action.action === "done") pieces.push(action.summary.trim() || "Done.");
      from = end + (behind.exec(reply.slice(end, end + mostTail))?.[0].length ?? 0);
    }
    const isBroken = fault?.at !== undefined && !fault.isOther;
    pieces.push(isBroken ? proseBetween(reply, from, fault.at!) : reply.slice(from).trimEnd());
    const [first = "", ...others] = pieces;
    const continued = isBegun ? first : first.trimStart();
    const later = others.map((piece) => piece.trimStart()).filter((piece) => piece !== "");
    const isSeparate = (isBegun || continued !== "") && later.length > 0;
    return `${continued}${isSeparate ? "\n\n" : ""}${later.join("\n\n")}`;
  }
}

const thoughtTags = ["<think>", "<thinking>"];

/** More characters than any key needs. Text that is undecided after this many is held until the end. */
const mostDoubt = 400;

/** Returns whether the text, which starts with a brace, may begin an action. */
function mayBegin(text: string): "yes" | "no" | "unknown" {
  if (begins.test(text)) return "yes";
  if (!mayStillBegin.test(text)) return "no";
  return text.length < mostDoubt ? "unknown" : "yes";
}

const begins = /^\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|["'`]?(?:action|tool|args)["'`]?\s*[:=])/;

const mayStillBegin =
  /^\{\s*(?:$|"(?:[^"\\\n]|\\.)*\\?(?:"\s*)?$|["'`]?(?:a|ac|act|acti|actio|action|ar|arg|args|t|to|too|tool)?(?:(?<=action|args|tool)["'`]?\s*)?$)/;

/** Matches white space and the start of a list or a code fence, which may precede an object. */
const tail = /[\s[]*(?:`{1,3}(?:[a-zA-Z]{0,10}\s*)?)?[\s[]*$/;
const mostTail = 60;

function withoutTail(text: string, end: number): number {
  const [found = ""] = tail.exec(text.slice(Math.max(0, end - mostTail), end)) ?? [];
  return end - found.length;
}

function proseBetween(reply: string, from: number, end: number): string {
  const prose = reply.slice(from, Math.max(from, end));
  return prose.slice(0, withoutTail(prose, prose.length)).trimEnd();
}

/** Matches the rest of a list or a code fence after an object. */
const behind = /^[\s,\]]*(?:```(?![a-zA-Z]))?[\s,\]]*/;

function thoughtsIn(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>|<\/think(?:ing)?>$/g, "").trim();
}

/** Matches calls in other formats. */
const looksLikeCall =
  /<\/?(?:tool_call|tool_use|function_calls?|invoke)\b|<function[=\s]|\[TOOL_CALLS\]|<\|tool|"(?:tool_calls|function_call|tool_name|function|arguments|parameters)"\s*:/i;
