import type { Action } from "../../text/actions/action.ts";
import { type FoundActions, findActions } from "../../text/actions/read-actions.ts";

type Call = Extract<Action, { action: "tool_call" }>;

/** What a reply in words has come to. */
export interface ReadText {
  /** That stand before everything else, in tags. */
  readonly thoughts: string;
  /** What people have not been shown yet of its words. */
  readonly rest: string;
  readonly calls: readonly Call[];
  readonly fault: string | undefined;
  /** Whether it is words only, without anything that looks like a call. */
  readonly isProse: boolean;
}

/**
 * Reads a reply as it comes. Prose is given out at once, up to the first brace that may begin an action: from there on nobody is
 * shown anything until all is there, so that no one sees half an object.
 */
export class ActionReader {
  readonly #example: string;
  #reply = "";
  /** How much of it has been given out, from `#start` on. */
  #shown = 0;
  /** Where prose begins: behind thoughts and blanks; undefined as long as that is not known. */
  #start: number | undefined;
  /** From where braces have not been looked at. */
  #looked = 0;
  #isHeld = false;

  constructor(example: string) {
    this.#example = example;
  }

  /** What of it people may see now. */
  add(text: string): string {
    this.#reply += text;
    if (this.#isHeld) return "";
    this.#start ??= this.#proseStart();
    if (this.#start === undefined) return "";
    this.#shown = Math.max(this.#shown, this.#start);
    const safe = this.#safeEnd();
    if (safe <= this.#shown) return "";
    const given = this.#reply.slice(this.#shown, safe);
    this.#shown = safe;
    return given;
  }

  /** All has come. */
  end(): ReadText {
    const reply = this.#reply;
    const reading = findActions(reply, this.#example);
    const { found, fault } = reading;
    const words = wordsOf(reply, reading);
    const given = this.#start === undefined ? "" : reply.slice(this.#start, this.#shown);
    return {
      thoughts: thoughtsIn(reply.slice(0, reading.start)),
      rest: words.slice(given.length),
      calls: found.map(({ action }) => action).filter((action) => action.action === "tool_call"),
      fault: fault?.message,
      isProse: fault !== undefined && (fault.at === undefined || fault.isOther) && !meansToAct.test(reply),
    };
  }

  #proseStart(): number | undefined {
    const begins = /\S/.exec(this.#reply)?.index;
    if (begins === undefined) return undefined;
    const head = this.#reply.slice(begins, begins + 10);
    const tag = thoughtTags.find((each) => each.startsWith(head) || head.startsWith(each));
    if (tag === undefined) return begins;
    if (head.length < tag.length) return undefined;
    // Tags that are closed later are rare; they are looked for where they may have come to be.
    const from = Math.max(begins, this.#looked - 12);
    this.#looked = this.#reply.length;
    const close = tag.replace("<", "</");
    const end = this.#reply.indexOf(close, from);
    if (end === -1) return undefined;
    const after = /\S/g;
    after.lastIndex = end + close.length;
    const prose = after.exec(this.#reply)?.index;
    if (prose === undefined) this.#looked = from;
    else this.#looked = prose;
    return prose;
  }

  /** The end of what is surely prose. */
  #safeEnd(): number {
    const reply = this.#reply;
    for (
      let at = reply.indexOf("{", Math.max(this.#looked, this.#shown));
      at !== -1;
      at = reply.indexOf("{", at + 1)
    ) {
      const may = mayBegin(reply.slice(at, at + mostDoubt));
      if (may === "no") continue;
      this.#looked = at;
      if (may === "yes") this.#isHeld = true;
      return withoutTail(reply, this.#shown, at);
    }
    this.#looked = reply.length;
    return withoutTail(reply, this.#shown, reply.length);
  }
}

const thoughtTags = ["<think>", "<thinking>"];

/** A key of JSON is not as long as this; who writes more blanks than that waits for the end. */
const mostDoubt = 400;

/** Whether a brace begins an object that may be an action, as far as can be seen. */
function mayBegin(text: string): "yes" | "no" | "unknown" {
  if (begins.test(text)) return "yes";
  if (!mayStillBegin.test(text)) return "no";
  return text.length < mostDoubt ? "unknown" : "yes";
}

const begins = /^\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|["'`]?(?:action|tool|args)["'`]?\s*[:=])/;

const mayStillBegin =
  /^\{\s*(?:$|"(?:[^"\\\n]|\\.)*\\?(?:"\s*)?$|["'`]?(?:a|ac|act|acti|actio|action|ar|arg|args|t|to|too|tool)?(?:(?<=action|args|tool)["'`]?\s*)?$)/;

/** Blanks, and what people put around an object: the beginning of a list, or of a fence. */
const tail = /[\s[]*(?:`{1,3}(?:[a-zA-Z]{0,10}\s*)?)?[\s[]*$/;
const mostTail = 60;

function withoutTail(reply: string, from: number, end: number): number {
  const start = Math.max(from, end - mostTail);
  const [found = ""] = tail.exec(reply.slice(start, end)) ?? [];
  return end - found.length;
}

/** What a fence, or a list, leaves behind an object. */
const head = /^[\s,\]]*(?:```)?[\s,\]]*/;

/** What a reply says to people: prose as it stands, and what is said by actions. */
function wordsOf(reply: string, { start, found, fault }: FoundActions): string {
  const pieces: string[] = [];
  let from = start;
  for (const { action, start: begin, end } of found) {
    pieces.push(proseBetween(reply, from, begin, from === start));
    if (action.action === "respond") pieces.push(action.message);
    if (action.action === "done") pieces.push(action.summary.trim() || "Done.");
    from = end;
  }
  const isBroken = fault?.at !== undefined && !fault.isOther;
  pieces.push(
    isBroken
      ? proseBetween(reply, from, fault.at!, from === start)
      : trimHead(reply.slice(from), from === start).trimEnd(),
  );
  return pieces.filter((piece) => piece !== "").join("\n\n");
}

function proseBetween(reply: string, from: number, end: number, isFirst: boolean): string {
  return trimHead(reply.slice(from, withoutTail(reply, from, end)), isFirst).trimEnd();
}

function trimHead(prose: string, isFirst: boolean): string {
  return isFirst ? prose.trimStart() : prose.replace(head, "");
}

function thoughtsIn(text: string): string {
  const tag = text.trim();
  return tag.slice(tag.indexOf(">") + 1, tag.lastIndexOf("<")).trim();
}

/** Calls as other formats write them. */
const meansToAct =
  /<\/?(?:tool_call|tool_use|function_calls?|invoke)\b|<function[=\s]|\[TOOL_CALLS\]|<\|tool|"(?:tool_calls|function_call|tool_name|function|arguments|parameters)"\s*:/i;
