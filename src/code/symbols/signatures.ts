import { firstIndex } from "../first-index.ts";
import type { TextSpan } from "../lines.ts";

const longest = 200;

export function signatureOf(parts: readonly TextSpan[], text: string, comments: readonly TextSpan[]): string {
  const line = parts
    .map((part) => withoutComments(part, text, comments))
    .join(" ")
    .replace(/\s+/g, " ")
    .replace(/([([]) | (?=[)\],;])/g, "$1")
    .replace(/,(?=[)\]])/g, "")
    .replace(/[\s{(:=;,\\]*(=>)?[\s{(:=;,\\]*$/, "");
  return cut(line.trim());
}

function withoutComments({ start, end }: TextSpan, text: string, comments: readonly TextSpan[]): string {
  // Text that is cut off later is not read.
  const last = Math.min(end, start + longest * 20);
  let kept = "";
  let at = start;
  for (
    let next = firstIndex(comments.length, (index) => comments[index]!.start >= start);
    at < last;
    next++
  ) {
    const comment = comments[next];
    const isWithin = comment !== undefined && comment.start < last;
    kept += text.slice(at, isWithin ? comment.start : last);
    at = isWithin ? comment.end : last;
  }
  return kept;
}

export function docSentence(comments: readonly string[]): string | undefined {
  const readable = comments.map(unquoted).filter((comment) => !isDirective.test(comment));
  const docs = readable.filter((comment) => isDoc.test(comment));
  const words: string[] = [];
  for (const line of (docs.length > 0 ? docs : readable)
    .join("\n")
    .slice(0, longest * 20)
    .split("\n")) {
    const bare = line
      .replace(opening, "")
      .replace(closing, "")
      .replace(/^\.(SYNOPSIS|DESCRIPTION)\b/, "")
      .replace(/<\/?(summary|para|p|remarks)>/g, "")
      .trim();
    if (bare === "" || /^[-=*#~/_]+$/.test(bare)) {
      if (words.length > 0) break;
      continue;
    }
    if (/^[@\\][a-z]/i.test(bare) && words.length > 0) break;
    words.push(bare);
    if (/[.!?]$/.test(bare)) break;
  }
  const text = words.join(" ").replace(/\s+/g, " ");
  const sentence = /^.*?[.!?](?=\s+\P{Ll}|$)/u.exec(text)?.[0] ?? text;
  return sentence === "" ? undefined : cut(sentence);
}

function unquoted(comment: string): string {
  return comment.replace(/^\s*[rRuUbBfF]{0,2}("""|'''|"|')([\s\S]*)\1\s*$/, "$2");
}

const opening =
  /^\s*(=begin\b|<!--+|<#+|\/\*[*!]*|\*+(?!\/)|\/\/[/!]*<?|#+[:|!']?|--+(\s?[|^])?|!+[<>]?|;+|%+!?|\(\*+|\{-(\s?\|)?|[rRuUbBfF]{0,2}("""|'''|"|'))\s?/;
const closing = /\s*(=end|--+>|#+>|\*+\/|\*+\)|-\}|"""|''')\s*$/;
const isDoc = /^\s*(\/\*[*!]|\/\/[/!]|##|--\s?[|-]|\(\*\*|\{-\|)/;
const isDirective =
  /^\s*(\/\/|\/\*+|#)\s*(eslint|tslint|jshint|prettier-ignore|biome-ignore|istanbul|c8|v8|@ts-|nolint|noqa|pylint|type: ignore|pragma|go:|\+build|clang-format|NOLINT|noinspection|rustfmt)/;

function cut(line: string): string {
  return line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line;
}
