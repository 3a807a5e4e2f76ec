import { resolve } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { parseTarget } from "../../environment/remote/target.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { parseModelId } from "../../models/open-model.ts";
import { providerAccess } from "../../models/provider-access.ts";
import type { ModelSettings } from "../../models/settings.ts";
import { parseRules } from "../../policy/rules/parse-rules.ts";
import type { FleetSettings, RunCheck, RunSpec } from "../fleet.ts";
import {
  type FleetSource,
  isPathBelow,
  type Place,
  type Problem,
  type SourceTask,
  specError,
} from "./read-spec.ts";

/** Everything that a spec asks for, with all defaults filled in. */
export interface FleetPlan {
  readonly name: string;
  readonly settings: FleetSettings;
  readonly runs: readonly RunSpec[];
}

export interface ExpandOptions {
  /** The model of tasks that name none; undefined when none is configured. */
  readonly defaultModel?: string | undefined;
  readonly modelSettings?: ModelSettings | undefined;
}

/** Expands a spec into its runs. Pure, except for the files that the spec names. Throws `invalid-input`. */
export function expandRuns(source: FleetSource, options: ExpandOptions = {}): FleetPlan {
  const { fields, tasks, origin } = source;
  const problems: Problem[] = [];
  if (tasks.length === 0)
    problems.push({
      at: { origin, path: ["tasks"] },
      message: "tasks is empty",
      fix: "Add a task: - { name: task-1, prompt: … }",
    });
  const runs: RunSpec[] = [];
  const firstUse = new Map<string, Place>();
  for (const task of tasks) {
    const expand = new TaskExpansion(source, task, options, problems);
    const earlier = firstUse.get(task.fields.name);
    if (earlier === undefined) firstUse.set(task.fields.name, task.at);
    else
      problems.push({
        at: task.at,
        message: `the task ${task.fields.name} is also at ${earlier.origin.file}:${earlier.origin.lineOf(earlier.path)}`,
        fix: `Rename it, for example to ${task.fields.name}-2`,
      });
    runs.push(...expand.runs());
    if (problems.length > maxProblems) break;
  }
  for (const lane of Object.keys(fields.lanes ?? {}))
    checkProvider(lane, { origin, path: ["lanes", lane] }, options, problems);
  if (problems.length > 0) throw specError(problems);
  return { name: fields.name, settings: settingsOf(source), runs };
}

const maxProblems = 20;

function settingsOf({ fields }: FleetSource): FleetSettings {
  const lanes = Object.entries(fields.lanes ?? {}).map(
    ([name, { concurrency = null, tokensPerMinute = null }]) => [name, { concurrency, tokensPerMinute }],
  );
  return {
    budget: fields.budget ?? null,
    lanes: Object.fromEntries(lanes),
    deliveries: fields.deliveries ?? 5,
    parkedHours: fields.parkedHours ?? 24,
  };
}

/** The runs of one task: its own fields first, then those at the top of the spec. */
class TaskExpansion {
  readonly #source: FleetSource;
  readonly #task: SourceTask;
  readonly #options: ExpandOptions;
  readonly #problems: Problem[];

  constructor(source: FleetSource, task: SourceTask, options: ExpandOptions, problems: Problem[]) {
    this.#source = source;
    this.#task = task;
    this.#options = options;
    this.#problems = problems;
  }

  runs(): readonly RunSpec[] {
    const { fields } = this.#source;
    const { fields: own } = this.#task;
    const shared = this.#shared();
    const counts = Array.from({ length: fields.repetitions ?? 1 }, (_, index) => index + 1);
    return this.#models().flatMap(({ model, label }) =>
      counts.map((number) => {
        // A spec that lists models or repetitions can grow without renaming its runs.
        const words = [
          own.name,
          ...(label === undefined ? [] : [label]),
          ...(fields.repetitions === undefined ? [] : [number]),
        ];
        return { ...shared, task: words.join(" "), model };
      }),
    );
  }

  #shared(): Omit<RunSpec, "task" | "model"> {
    const { fields } = this.#source;
    const { fields: own } = this.#task;
    const prompt = this.#value("prompt");
    if (prompt === undefined)
      this.#report("prompt", "has no prompt", "Add prompt: … to the task, or at the top of the spec.");
    const limits = { ...fields.limits, ...own.limits };
    return {
      fleet: fields.name,
      reasoning: this.#value("reasoning") ?? null,
      prompt: prompt === undefined ? "" : this.#source.text(prompt, this.#place("prompt")),
      repository: this.#repository(),
      revision: this.#revision(),
      setup: this.#value("setup") ?? null,
      check: this.#check(),
      target: this.#target(),
      mode: this.#value("mode") ?? "cautious",
      rules: this.#rules(),
      limits: {
        rounds: limits.rounds ?? 100,
        minutes: limits.minutes ?? 30,
        dollars: limits.dollars ?? null,
      },
      keepWorkspace: this.#value("keepWorkspace") ?? "never",
      publish: this.#publish(),
      data: { ...fields.data, ...own.data },
    };
  }

  /** A task that sets a field to null has none, whatever the top of the spec says. */
  #value<Name extends keyof SourceTask["fields"] & keyof FleetSource["fields"]>(
    name: Name,
  ): SourceTask["fields"][Name] {
    const own = this.#task.fields[name];
    return own === undefined ? (this.#source.fields[name] as SourceTask["fields"][Name]) : own;
  }

  #place(...path: readonly PropertyKey[]): Place {
    const { at, fields } = this.#task;
    const isOwn = Object.hasOwn(fields, path[0] as string);
    return isOwn || !Object.hasOwn(this.#source.fields, path[0] as string)
      ? { origin: at.origin, path: [...at.path, ...path] }
      : { origin: this.#source.origin, path };
  }

  #report(field: string, message: string, fix: string, ...path: readonly PropertyKey[]): void {
    const at = this.#place(field, ...path);
    const isShared = at.origin === this.#source.origin && at.path[0] === field;
    const isKnown = this.#problems.some(
      (known) => known.at.origin === at.origin && known.message === message && isShared,
    );
    // A default that is wrong is wrong in every task.
    if (!isKnown)
      this.#problems.push({
        at,
        message: isShared ? message : `the task ${this.#task.fields.name}: ${message}`,
        fix,
      });
  }

  #models(): readonly { readonly model: string; readonly label: string | undefined }[] {
    const { fields } = this.#source;
    const own = this.#task.fields.model;
    if (own !== undefined || fields.models === undefined) {
      const id = own ?? fields.model ?? this.#options.defaultModel;
      if (id !== undefined) return [{ model: this.#model(id, "model"), label: undefined }];
      const message = "no model is configured";
      // It is missing in all tasks, for one reason.
      if (!this.#problems.some((known) => known.message === message))
        this.#problems.push({
          at: { origin: this.#source.origin, path: [] },
          message,
          fix: "Add model: provider/name at the top of the spec, or run: toolcrib models",
        });
      return [];
    }
    const taken = new Set<string>();
    return fields.models.map((id, index) => {
      const model = this.#model(id, "models", index);
      const name = model.slice(model.indexOf("/") + 1).replace(/\s+/g, "-");
      // A number alone would look like a repetition.
      const label = taken.has(name) || /^\d+$/.test(name) ? model.replace(/\s+/g, "-") : name;
      taken.add(name);
      return { model, label };
    });
  }

  #model(id: string, ...path: readonly [string, ...PropertyKey[]]): string {
    try {
      const { provider, name } = parseModelId(id);
      return `${providerAccess(provider, this.#options.modelSettings ?? {}, {}).name}/${name}`;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      this.#report(path[0], error.message, error.hint ?? "Use provider/name.", ...path.slice(1));
      return id;
    }
  }

  #repository(): string | null {
    const given = this.#value("repository") ?? null;
    if (given === null) return null;
    if (/^(?:\/|\.{1,2}(?:\/|$))/.test(given)) return resolve(this.#source.folder, given);
    if (/^(?:https?|ssh):\/\/[^/-]/.test(given)) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      if (url?.password || (url?.username && url.protocol !== "ssh:"))
        this.#report(
          "repository",
          "the repository contains a user name or password",
          "Let git of the worker find credentials, and remove them from the URL.",
        );
      return given;
    }
    if (/^[\w.-]+@[\w.-]+:[^-]/.test(given)) return given;
    this.#report(
      "repository",
      `"${printableLine(given)}" is not a URL or a path`,
      `Use https://…, git@host:path or a path such as ./${given.replace(/^[-/]+/, "")}`,
    );
    return given;
  }

  #revision(): string | null {
    const given = this.#value("revision") ?? null;
    if (given !== null && !/^(?!-)(?!.*\.\.)[^\s~^:?*[\\]+$/.test(given))
      this.#report(
        "revision",
        `"${printableLine(given)}" is not a branch, tag or commit`,
        "Use the name of a branch or tag, or a hash.",
      );
    return given;
  }

  #check(): RunCheck | null {
    const given = this.#value("check") ?? null;
    if (given === null) return null;
    if (typeof given === "string") return { command: given, files: {}, minutes: 10 };
    const files = Object.entries(given.files ?? {}).map(([path, content]) => {
      if (!isPathBelow(path) || /(?:^|\/)\.git(?:\/|$)/.test(path))
        this.#report(
          "check",
          `the check writes "${printableLine(path)}", which is not a path in the workspace`,
          "Use a relative path without .. and .git",
          "files",
          path,
        );
      return [path, this.#source.text(content, this.#place("check", "files", path))];
    });
    return { command: given.command, files: Object.fromEntries(files), minutes: given.minutes ?? 10 };
  }

  #target(): string {
    const given = this.#value("target") ?? "local";
    if (given === "local" || /^image:[\w][\w./:@-]*$/.test(given)) return given;
    try {
      if (given.split("/").includes(".."))
        throw new ToolError("invalid-input", `the target ${given} contains ..`, {
          hint: "Use an absolute folder, for example ssh:host:/srv/{run}",
        });
      parseTarget(given.replaceAll("{run}", "run"));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      this.#report("target", error.message, error.hint ?? "Use local.");
    }
    return given;
  }

  #rules(): readonly string[] {
    const { fields, origin } = this.#source;
    const { fields: own, at } = this.#task;
    const listed = (rules: readonly string[] | undefined, place: Place) =>
      (rules ?? []).map((rule, index) => ({
        rule,
        at: { origin: place.origin, path: [...place.path, "rules", index] },
      }));
    const all = [...listed(fields.rules, { origin, path: [] }), ...listed(own.rules, at)];
    for (const { rule, at: place } of all) {
      const problem = problemOfRule(rule);
      const isKnown =
        problem &&
        this.#problems.some(
          (known) =>
            known.message === problem.message &&
            known.at.origin.lineOf(known.at.path) === place.origin.lineOf(place.path),
        );
      if (problem && !isKnown) this.#problems.push({ at: place, ...problem });
    }
    return all.map(({ rule }) => rule);
  }

  #publish(): RunSpec["publish"] {
    const given = this.#value("publish") ?? null;
    if (given === null) return null;
    const example = given.branch.replaceAll("{task}", "task").replaceAll("{fleet}", "fleet");
    if (
      !/^(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)))[A-Za-z0-9_][^\s~^:?*[\\{}]*[^\s~^:?*[\\/.{}]$/.test(example)
    )
      this.#report(
        "publish",
        `"${printableLine(given.branch)}" is not the name of a branch`,
        "publish: { branch: 'fleet/{task}', message: '{task}' }",
        "branch",
      );
    return given;
  }
}

/** Rules of a spec can only tighten: allow, open, unconfined and settings are for the worker's own command line. */
function problemOfRule(rule: string): Omit<Problem, "at"> | undefined {
  try {
    const { rules, settings, examples, ignored } = parseRules({
      level: "session",
      name: "rules",
      text: rule,
      onlyTightens: true,
    });
    if (
      rules.length > 0 &&
      rules.every(({ effect }) => tightening.has(effect)) &&
      settings.length + examples.length + ignored.length === 0
    )
      return undefined;
    return {
      message: `a spec cannot loosen: ${printableLine(rule)}`,
      fix: `Remove it, and start the worker with: --rule ${shellQuote(rule)}`,
    };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return {
      message: error.message.replace(/^rules:\d+:\d+: /, ""),
      fix: error.hint ?? "See docs/policy.md",
    };
  }
}

const tightening: ReadonlySet<string> = new Set(["deny", "ask", "secret", "protected"]);

function checkProvider(
  name: string,
  at: Place,
  { modelSettings = {} }: ExpandOptions,
  problems: Problem[],
): void {
  try {
    providerAccess(name, modelSettings, {});
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    problems.push({ at, message: error.message, fix: error.hint ?? "Use the name of a provider." });
  }
}
