import type { ToolAccess } from "../../contract/access.ts";
import type { ApprovalChoice, ApprovalView, ViewPart } from "../../contract/approval-view.ts";
import { bigintAsText } from "../../lib/json/bigint-as-text.ts";
import { showHidden, showHiddenInLine } from "../../lib/text/printable.ts";
import { truncateText } from "../../lib/text/truncate.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { CommandSegment } from "../../policy/policy.ts";
import type { Span } from "../policy/commands/command.ts";
import { type Approval, type ShownRequest, toShownRequest } from "./approval-request.ts";

export type * from "../../contract/approval-view.ts";

/** The meaning of each answer. */
export const answers: Readonly<Record<ApprovalChoice["id"], Approval>> = {
  once: { allow: true },
  session: { allow: true, remember: "session" },
  always: { allow: true, remember: "always" },
  "always 2": { allow: true, remember: "always", width: 1 },
  "always 3": { allow: true, remember: "always", width: 2 },
  no: { allow: false },
};

export function approvalView(request: ShownRequest): ApprovalView {
  const shown = toShownRequest(request);
  const body = [
    ...definitionOf(shown),
    ...commands(shown),
    ...inputOf(shown),
    ...previewOf(shown),
    ...facts(shown),
  ];
  const isEscaped = body.some(({ text }) => escaped.test(text));
  return {
    title: titleOf(shown),
    asker: askerOf(shown),
    risk: shown.risk,
    body: isEscaped ? [...body, line("Beware", hiddenCharacters)] : body,
    choices: choicesOf(shown),
  };
}

const escaped = /\\u\{[0-9a-f]+\}/;
const hiddenCharacters = "its text has characters that hide or turn text: they are shown as \\u{…}";

/** Returns the view as text, for programs that show only text. Text of others is indented. */
export function approvalText(view: ApprovalView): string {
  const { title, asker, risk, body, choices } = view;
  return [
    `${asker === undefined ? "Allow" : `${asker} asks: allow`} ${title}? (risk: ${risk})`,
    ...body.map(({ label, text, isQuoted }) => {
      if (!isQuoted) return `${label}: ${text}`;
      const quoted = text.replace(/^/gm, "    ");
      return label === "Input" || label === "Purpose" ? `${label}:\n${quoted}` : quoted;
    }),
    ...choices.flatMap(({ id, label, adds }) => (adds === undefined ? [] : [`"${id}": ${label} ${adds}`])),
    ...(choices.some(({ rules }) => rules.length > 0) ? [] : [onlyOnce]),
  ].join("\n");
}

export const onlyOnce = "It can only be allowed once.";

function titleOf({ tool, server, target, agent }: ShownRequest): string {
  const on = target === undefined ? "" : ` on ${named(target)}`;
  return `${toolOf({ tool, server })}${on}${agent === undefined ? "" : `, for ${named(agent)}`}`;
}

function toolOf({ tool, server }: Pick<ShownRequest, "tool" | "server">): string {
  return server === undefined ? named(tool) : `${named(tool)} of the MCP server ${named(server)}`;
}

function askerOf({ client }: ShownRequest): string | undefined {
  if (client?.kind !== "mcp" && client?.kind !== "acp") return undefined;
  const { name = client.kind === "mcp" ? "An MCP client" : "An editor", version = "" } = client;
  const asker = `${name} ${version}`.trim();
  return named(asker, /^[\w .()@/+-]{1,60}$/);
}

/** Quotes a name that could be read as a sentence of the question. */
function named(name: string, plain = /^[\w.:@/+-]+$/): string {
  return plain.test(name) ? name : showHiddenInLine(JSON.stringify(name));
}

function line(label: ViewPart["label"], text: string, isDetail = false): ViewPart {
  return { label, text: showHiddenInLine(text), isQuoted: false, marks: [], isDetail };
}

function quote(label: ViewPart["label"], text: string, isDetail = false): ViewPart {
  const { text: shown } = truncateText(
    printed(text),
    limits,
    ({ chars }) => `[… ${chars} characters not shown …]`,
  );
  return { label, text: shown, isQuoted: true, marks: [], isDetail };
}

const limits = { maxChars: 40_000, maxLines: 400, keep: "both" } as const;

function printed(text: string): string {
  return showHidden(text).replaceAll("\r\n", "\n").replace(/\n$/, "");
}

/** Shows how the definition of another server's tool has changed since the user allowed it. */
function definitionOf({ definitionChange }: ShownRequest): readonly ViewPart[] {
  return definitionChange ? [quote("Definition", `Changed definition:\n${definitionChange}`)] : [];
}

/** A command is never cut, because what the user approves is what is shown. */
function commands({ accesses, parts }: ShownRequest): readonly ViewPart[] {
  return commandsIn(accesses).map((command) => {
    const all = parts.flatMap(({ part }) => (part.in?.command === command ? spanOf(part.in) : []));
    const isWhole = all.some(({ start, end }) => start === 0 && end === command.length);
    const spans = isWhole ? [] : all;
    // Escapes are longer than what they stand for.
    const at = new Map<number, number>();
    let text = "";
    const ends = [...new Set([0, ...spans.flatMap(({ start, end }) => [start, end]), command.length])];
    for (const [index, end] of ends.sort((one, other) => one - other).entries()) {
      text += showHidden(command.slice(ends[index - 1] ?? 0, end));
      at.set(end, text.length);
    }
    const marks = spans.map(({ start, end }) => ({ start: at.get(start)!, end: at.get(end)! }));
    return { label: "Command", text, isQuoted: true, marks, isDetail: false };
  });
}

/** Returns the place of a part in its command; none for a part that only the shell knows. */
function spanOf({ command, span }: CommandSegment): readonly Span[] {
  return span.start >= 0 && span.start < span.end && span.end <= command.length ? [span] : [];
}

function commandsIn(accesses: readonly ToolAccess[]): readonly string[] {
  return accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
}

/** Returns the arguments that nothing else shows. The limits of a command's time and output are left out. */
function inputOf({ input, accesses, preview }: ShownRequest): readonly ViewPart[] {
  if (preview !== undefined) return [];
  const shown = new Set<unknown>(commandsIn(accesses));
  const isCommand = shown.size > 0;
  const { description } = (input ?? {}) as { readonly description?: unknown };
  const purpose = isCommand && typeof description === "string" ? description : undefined;
  const fields = Object.entries(input ?? {}).filter(
    ([name, value]) =>
      value !== undefined &&
      !shown.has(value) &&
      !(isCommand && (value === purpose || (typeof value === "number" && /^max_|_ms$/.test(name)))),
  );
  const rest = Object.fromEntries(fields);
  const brief = JSON.stringify(rest, bigintAsText);
  const text = brief.length <= briefChars ? brief : JSON.stringify(rest, bigintAsText, 2);
  return [
    ...(fields.length === 0 ? [] : [quote("Input", text)]),
    ...(purpose === undefined ? [] : [quote("Purpose", purpose, true)]),
  ];
}

const briefChars = 100;

function previewOf({ preview }: ShownRequest): readonly ViewPart[] {
  if (preview === undefined) return [];
  return [quote(/^(---|Binary file) /m.test(preview) ? "Changes" : "What", preview)];
}

function facts(request: ShownRequest): readonly ViewPart[] {
  const { accesses, sandbox, unconfined, hosts, noSandbox } = request;
  const [why = "", ...others] = reasonsOf(request);
  const effects = accesses.flatMap((access) => {
    if (access.kind === "execute") return [];
    return [access.kind === "network" ? `connect to ${access.host}` : `${access.kind} ${access.path}`];
  });
  const more = effects.length > maxEffects ? [`and ${effects.length - maxEffects} more`] : [];
  const would = [...effects.slice(0, maxEffects), ...more].join(", ");
  const network = hosts.includes("*")
    ? "can connect to every host that no rule denies"
    : hosts.length === 0
      ? "asks before it connects"
      : `can connect to ${hosts.join(", ")}, and asks before others`;
  const isFree = unconfined || sandbox === "none";
  const free = `${unconfined ? "outside the sandbox, by your rules" : "without a sandbox"}: it can access everything you can`;
  return [
    ...(would === "" ? [] : [line("Would", would, request.preview !== undefined)]),
    line("Why", why),
    ...others.map((reason) => line("Why", reason, true)),
    ...(commandsIn(accesses).length === 0
      ? []
      : [line("Runs", isFree ? free : `in the sandbox (${sandbox}${weaker(sandbox)}); it ${network}`)]),
    ...(noSandbox === undefined ? [] : [line("Runs", `No sandbox works here: ${noSandbox}`, true)]),
  ];
}

function weaker(sandbox: ShownRequest["sandbox"]): string {
  return sandbox === "landlock" ? ", weaker than bwrap: it can read secrets in the workspace" : "";
}

const maxEffects = 10;

/** Returns why approval is needed: the reasons of all parts that ask, with their rules. */
function reasonsOf({ parts, reason, rule, source }: ShownRequest): readonly string[] {
  const asking = parts.filter(({ verdict }) => verdict === "ask");
  const reasons = asking.map((part) =>
    part.rule === undefined ? part.reason : `${part.reason} (${part.rule.text}, ${formatOrigin(part.rule)})`,
  );
  if (new Set(reasons).size === 1) return reasons.slice(0, 1);
  const ofParts = asking.map(({ part }, at) => {
    const [span] = part.in === undefined ? [] : spanOf(part.in);
    const segment = span && part.in?.command.slice(span.start, span.end).slice(0, maxSegment);
    return segment === undefined ? reasons[at]! : `${segment}: ${reasons[at]}`;
  });
  if (ofParts.length > 0) return [...new Set(ofParts)];
  return [rule.startsWith(source) ? reason : `${reason} (${rule}, ${source})`];
}

const maxSegment = 100;

function choicesOf({ grants, widths, tool, server, target }: ShownRequest): readonly ApprovalChoice[] {
  const offered = grants.length === 0 ? [] : (widths ?? [{ rules: grants, words: grants.join("; ") }]);
  const where = target === undefined ? "In this folder" : `On ${named(target)}`;
  const choices = offered.flatMap(({ rules, words }, width): ApprovalChoice[] => {
    const shared = { adds: showHiddenInLine(words), rules: rules.map(showHiddenInLine) };
    const id = (["always", "always 2", "always 3"] as const)[width]!;
    return [
      ...(width > 0
        ? []
        : [
            {
              id: "session",
              label: `Until this session ends, ${toolOf({ tool, server })} may`,
              ...shared,
            } as const,
          ]),
      { id, label: `${where} from now on, ${toolOf({ tool, server })} may`, ...shared },
    ];
  });
  return [{ id: "once", label: "Allow once", rules: [] }, ...choices, { id: "no", label: "Deny", rules: [] }];
}
