import { analyseCommand } from "./commands/analyse-command.ts";
import { judgeCall } from "./judge-call.ts";
import type { Decision, Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";

/** Judges what a call would do, part by part; the strictest part decides. Pure: the apps ask the person. */
export function decide(question: Question, policy: Policy): Decision {
  return judgeCall(question, policy, analyseCommand);
}
