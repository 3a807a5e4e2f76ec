import type { Leg } from "./scenario.ts";

/** The parts of the suite that do not apply to a tool server or a hub, and why. */
export interface Exception {
  readonly leg: Leg;
  /** `tasks-*` means all that begin with it. */
  readonly scenarios: readonly string[];
  /** Only these checks do not apply; all others must pass. */
  readonly checks?: readonly string[];
  readonly because: string;
}

export const notForUs: readonly Exception[] = [
  {
    leg: "server",
    scenarios: ["prompts-get-embedded-resource", "prompts-get-with-image"],
    because: "Needs the suite's own prompts; ours are the text of commands and skills.",
  },
  {
    leg: "server",
    scenarios: ["input-required-result-non-tool-request"],
    because:
      "Needs a prompt of the suite that asks. Ours ask nothing; those of other servers ask for approval (`src/mcp/server/other-servers.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"],
    because:
      "Tools return text, images, data and links to stored outputs; no audio and no embedded resources.",
  },
  {
    leg: "server",
    scenarios: ["resources-read-text", "resources-read-binary", "resources-templates-read"],
    because:
      "Needs the suite's own resources (`test://…`); ours are stored outputs, changes and files of the workspace (`src/mcp/server/workspace-resources.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["resources-subscribe", "resources-unsubscribe"],
    because:
      "Needs the suite's own resources; clients can subscribe to resources of other servers (`src/mcp/server/other-servers.test.ts`).",
  },
  {
    leg: "server",
    scenarios: [
      "tools-call-sampling",
      "input-required-result-basic-sampling",
      "input-required-result-multiple-input-requests",
      "input-required-result-capability-check",
    ],
    because: "The server never asks for the client's model, which the protocol deprecates.",
  },
  {
    leg: "server",
    scenarios: ["input-required-result-basic-list-roots"],
    because:
      "Since 2026-07-28 roots are deprecated, and results that ask for them interrupt a call. The server asks only clients of the 2025 era, over standard input and output (`src/mcp/server/client-roots.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["server-stateless"],
    checks: ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"],
    because:
      "No tool needs a capability of the client: if the client cannot ask, the error says how to allow the call.",
  },
  {
    leg: "server",
    scenarios: ["elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
    because:
      "Needs the suite's own forms. Our only form is for approval (`src/mcp/server/approvals.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["input-required-result-basic-elicitation", "input-required-result-multi-round"],
    because:
      "Needs the suite's own questions. Ours is for approval, in one round (`src/mcp/server/approvals.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["input-required-result-ignore-extra-params"],
    because: "Answers a question that was never asked, without the signed state. Such an answer is ignored.",
  },
  {
    leg: "server",
    scenarios: ["json-schema-2020-12"],
    checks: ["json-schema-2020-12-$schema", "sep-2106-composition-keywords-preserved"],
    because:
      "Schemas do not name their draft, which costs tokens and is 2020-12 anyway, and have no `anyOf` at the top level, which providers refuse.",
  },
  {
    leg: "server",
    scenarios: ["http-custom-header-server-validation"],
    because:
      "No tool takes an argument from a header; such keywords in the schemas of other servers are removed.",
  },
  {
    leg: "server",
    scenarios: ["tasks-lifecycle"],
    checks: ["sep-2663-tasks-get-status-failed"],
    because:
      "Needs a tool that ends in an error of the protocol. Errors of our tools are results; a failed task is tested in `src/mcp/server/tasks.test.ts`.",
  },
  {
    leg: "server",
    scenarios: ["tasks-mrtr-input", "tasks-mrtr-composition"],
    because:
      "Needs the suite's own questions. Ours is for approval, and is asked before the call becomes a task (`src/mcp/server/tasks.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["tasks-required-task-error"],
    because: "No tool requires tasks: clients without them wait for the result.",
  },
  {
    leg: "server",
    scenarios: ["tasks-status-notifications"],
    because:
      "The suite always skips this scenario, which it has not yet rewritten for `subscriptions/listen`. Notifications about tasks are tested in `src/mcp/server/tasks.test.ts`.",
  },
];
