import type { Leg } from "./scenario.ts";

/** The parts of the suite that do not apply to a tool server or a hub, and why. */
export interface Exception {
  readonly leg: Leg;
  /** `tasks-*` means all that begin with it. */
  readonly scenarios: readonly string[];
  /** Only these checks do not apply; all others must pass. */
  readonly checks?: readonly string[];
  /** The suite tests an optional part of the protocol that such a program could have. */
  readonly isMissing?: true;
  readonly because: string;
}

export const notForUs: readonly Exception[] = [
  {
    leg: "server",
    scenarios: [
      "prompts-get-embedded-resource",
      "prompts-get-with-image",
      "input-required-result-non-tool-request",
    ],
    because: "Prompts are the text of commands and skills. They ask nothing.",
  },
  {
    leg: "server",
    scenarios: ["logging-set-level", "tools-call-with-logging"],
    because: "Nothing is logged to clients, which the protocol deprecates.",
  },
  {
    leg: "server",
    scenarios: ["tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"],
    because:
      "Tools give text, pictures, data and links to what is kept; no sounds and no embedded resources.",
  },
  {
    leg: "server",
    scenarios: ["resources-read-text", "resources-read-binary", "resources-templates-read"],
    because:
      "Wants resources of its own (`test://…`); ours are stored outputs, changes and files of the workspace (`src/mcp/server/workspace-resources.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["resources-subscribe", "resources-unsubscribe"],
    because:
      "Wants resources of its own; the resources of other servers can be subscribed to (`src/mcp/server/other-servers.test.ts`).",
  },
  {
    leg: "server",
    scenarios: [
      "tools-call-sampling",
      "input-required-result-basic-sampling",
      "input-required-result-basic-list-roots",
      "input-required-result-multiple-input-requests",
      "input-required-result-capability-check",
    ],
    because: "The client's model and roots are never asked for, which the protocol deprecates.",
  },
  {
    leg: "server",
    scenarios: ["server-stateless"],
    checks: ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"],
    because:
      "No tool needs an ability of the client: who cannot be asked gets a refusal that says how to allow the call.",
  },
  {
    leg: "server",
    scenarios: ["elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
    because: "Wants forms of its own. The one that we show, for approval, has one choice and no default.",
  },
  {
    leg: "server",
    scenarios: ["input-required-result-basic-elicitation", "input-required-result-multi-round"],
    because:
      "Wants questions of its own, by its own names. Ours is for approval, in one round (`src/mcp/server/approvals.test.ts`).",
  },
  {
    leg: "server",
    scenarios: ["input-required-result-ignore-extra-params"],
    because:
      "Answers, without the signed state, a question that it was never asked: nobody is believed who does.",
  },
  {
    leg: "server",
    scenarios: ["json-schema-2020-12"],
    checks: ["json-schema-2020-12-$schema", "sep-2106-composition-keywords-preserved"],
    because:
      "Schemas do not name their draft, which costs tokens and is 2020-12 anyway, and give no choice at the top: clients hand them on to providers, who refuse it.",
  },
  {
    leg: "server",
    scenarios: ["http-custom-header-server-validation"],
    because:
      "No argument of a tool is told in a header; such words in the schemas of other servers are left out.",
  },
  {
    leg: "server",
    scenarios: ["tasks-*"],
    isMissing: true,
    because: "The extension for tasks is not offered.",
  },
  {
    leg: "client",
    scenarios: ["auth/client-credentials-*", "auth/enterprise-managed-authorization", "auth/wif-jwt-bearer"],
    isMissing: true,
    because: "The hub logs in users, not programs or organizations.",
  },
  {
    leg: "client",
    scenarios: ["auth/dpop*"],
    isMissing: true,
    because: "The hub uses bearer tokens only.",
  },
];
