import { plainTerminalText } from "../../lib/terminal-text.ts";

/** Whether an output ends as if the program waits for somebody to type: "Password:", "Continue? [y/N]", "> ". */
export function looksLikePrompt(output: string): boolean {
  const lastLine = plainTerminalText(output.slice(-longestLine)).split("\n").at(-1)!;
  return lastLine.trim() !== "" && prompts.some((prompt) => prompt.test(lastLine));
}

const longestLine = 500;

const prompts: readonly RegExp[] = [
  /\b(?:pass(?:word|phrase|code)?|pin|user(?:name)?|login|otp|token)\b[^?]*[:?]\s*$/i,
  /[[(](?:y(?:es)?\s*[/|,]\s*n(?:o)?|[^\])]*\/\s*(?:n|no|all|quit))[^\])]{0,20}[\])]\s*[:?]?\s*$/i,
  /\b(?:continue|proceed|overwrite|confirm|are you sure|ok to)\b[^.]*\?\s*(?:[[(][^\])]*[\])])?:?\s*$/i,
  /\b(?:press|hit)\b.{0,30}\b(?:key|enter|return)\b.*$/i,
  /\b(?:enter|type|choose|select|input|specify)\b[^.]{0,80}[:?]\s*$/i,
  /\?\s*$/,
  /^(?:[\w.@~/ -]{0,40})?(?:>>>|[>#$?❯›])\s*$/,
];
