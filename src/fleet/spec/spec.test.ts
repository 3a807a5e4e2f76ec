import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { rounds } from "../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { ToolError } from "../../contract/error.ts";
import { runId } from "../run-id.ts";
import { type ExpandOptions, expandRuns, type FleetPlan } from "./expand-runs.ts";
import { readSpec } from "./read-spec.ts";
import { fleetJsonSchema } from "./spec-schema.ts";

const model = "anthropic/claude-sonnet-5-5";

/** What runs of one task have in common, whatever their model: its name, and the number of the repetition. */
function caseOf({ task }: { readonly task: string }): string {
  const [name, ...rest] = task.split(" ");
  return `${name} ${rest.find((word) => /^\d+$/.test(word)) ?? 1}`;
}

/** Expands a spec that stands in a folder with these files. */
function plan(
  spec: string | object,
  { files = {}, ...options }: ExpandOptions & { readonly files?: Record<string, string> } = {},
): FleetPlan {
  const folder = temporaryFolder();
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), content);
    }
    const path = join(folder.path, "fleet.yaml");
    writeFileSync(path, typeof spec === "string" ? spec : stringify(spec));
    return expandRuns(readSpec(path), { defaultModel: model, ...options });
  } finally {
    void folder[Symbol.asyncDispose]();
  }
}

/** Returns the message of the error, with file names instead of paths, and its hint. */
function refusal(...given: Parameters<typeof plan>): readonly [string, string | undefined] {
  try {
    plan(...given);
  } catch (error) {
    if (error instanceof ToolError)
      return [error.message.replace(/\/[^\n]*?\/(?=fleet\.yaml)/g, ""), error.hint];
    throw error;
  }
  throw new Error("The spec was accepted");
}

const tasksOf = ({ runs }: FleetPlan) => runs.map(({ task }) => task);

describe("a spec", () => {
  it("is refused while it is expanded when it has too many runs", { tags: "slow" }, () => {
    const numbers = Array.from({ length: 3_000 }, (_, index) => index);
    const repositories = numbers.map((number) => `https://host/${number}`);
    const prompts = numbers.map((number) => ({ name: `p${number}`, prompt: "p" }));
    const many = ["fleet.yaml:2: has more than 200000 runs", "Split it into several fleets."];
    // All nine million would need more time and memory than the test has.
    expect(refusal({ name: "x", tasks: { repositories, prompts } })).toEqual(many);
    const tasks = [{ name: "a", prompt: "p" }];
    const models = numbers.map((number) => `ollama/${number}`);
    expect(refusal({ name: "x", tasks, models, repetitions: 1000 })).toEqual(many);
  });

  it("cannot read a file outside its folder through a link", async () => {
    await using folder = temporaryFolder();
    mkdirSync(join(folder.path, "spec"));
    writeFileSync(join(folder.path, "key"), "secret");
    symlinkSync("../key", join(folder.path, "spec/prompt.md"));
    const path = join(folder.path, "spec/fleet.yaml");
    writeFileSync(path, "{ name: x, tasks: [{ name: a, prompt: { file: prompt.md } }] }");
    const expand = () => expandRuns(readSpec(path), { defaultModel: model });
    expect(expand).toThrow('"prompt.md" is not below the folder of the spec');
  });

  it("fills in all defaults", () => {
    expect(plan("name: small\ntasks:\n  - { name: one, prompt: Do it }\n")).toEqual({
      name: "small",
      settings: { budget: null, lanes: {}, deliveries: 5, parkedHours: 24 },
      runs: [
        {
          ...{ fleet: "small", task: "one", model, reasoning: null, prompt: "Do it" },
          ...{ repository: null, revision: null, setup: null, check: null, target: "local" },
          ...{ mode: "cautious", rules: [], limits: { rounds: 100, minutes: 30, dollars: null } },
          ...{ keepWorkspace: "never", publish: null, data: {} },
        },
      ],
    });
  });

  it("overrides defaults by task, merges limits and data, and adds rules", () => {
    const [one, two] = plan(
      `
name: overrides
model: openai/gpt-6.1-sol
prompt: { file: prompts/fix.md }
setup: npm ci
check: npm test
limits: { rounds: 20, dollars: 1 }
rules: ["deny connect **"]
data: { suite: a }
lanes: { openai: { concurrency: 4 } }
budget: 10
tasks:
  - name: one
    check: { command: npm run verify, minutes: 3, files: { test/hidden.js: { file: hidden.js }, note: text } }
    limits: { rounds: 5 }
    rules: ["ask run git **"]
    data: { instance_id: x-1 }
  - { name: two, setup: null, check: null, model: "claude-opus-5", prompt: Own, mode: safe }
`,
      { files: { "prompts/fix.md": "Fix it.\n", "hidden.js": "assert(1)\n" } },
    ).runs;
    expect(one).toMatchObject({
      ...{ model: "openai/gpt-6.1-sol", prompt: "Fix it.\n", setup: "npm ci" },
      check: {
        ...{ command: "npm run verify", minutes: 3 },
        files: { "test/hidden.js": "assert(1)\n", note: "text" },
      },
      limits: { rounds: 5, minutes: 30, dollars: 1 },
      rules: ["deny connect **", "ask run git **"],
      data: { suite: "a", instance_id: "x-1" },
    });
    expect(two).toMatchObject({
      ...{ model: "anthropic/claude-opus-5", prompt: "Own" },
      setup: null,
      check: null,
      mode: "safe",
    });
  });

  it("reads tasks from a file, one per line", () => {
    const lines = '{"name":"a","prompt":"A"}\n\n{"name":"b","prompt":"B","data":{"instance_id":7}}\n';
    const found = plan("name: f\ntasks: { file: tasks.jsonl }\n", { files: { "tasks.jsonl": lines } });
    expect(found.runs.map(({ task, prompt, data }) => [task, prompt, data])).toEqual([
      ["a", "A", {}],
      ["b", "B", { instance_id: 7 }],
    ]);
  });

  it("combines repositories, prompts, models and repetitions", () => {
    const found = plan(`
name: matrix
models: [anthropic/m, openai/n, openrouter/n, google/7]
repetitions: 2
tasks:
  repositories: [https://git.example/acme/api.git, { name: web, repository: "git@git.example:acme/site", revision: v2 }]
  prompts: [{ name: docs, prompt: Write }, { name: lint, prompt: Lint }]
`);
    expect(found.runs).toHaveLength(2 * 2 * 4 * 2);
    expect(tasksOf(found).slice(0, 9)).toEqual([
      ...["api/docs m 1", "api/docs m 2", "api/docs n 1", "api/docs n 2"],
      ...["api/docs openrouter/n 1", "api/docs openrouter/n 2", "api/docs google/7 1", "api/docs google/7 2"],
      "api/lint m 1",
    ]);
    expect(found.runs.at(-1)).toMatchObject({
      repository: "git@git.example:acme/site",
      revision: "v2",
      prompt: "Lint",
    });
    expect([...new Set(found.runs.map(caseOf))]).toHaveLength(2 * 2 * 2);
  });

  it("keeps the runs that it has when models and repetitions are added", () => {
    const grow = (models: string[], repetitions: number) =>
      plan({ name: "g", models, repetitions, tasks: [{ name: "a", prompt: "A" }] }).runs.map(runId);
    const before = grow(["openai/n"], 1);
    expect(grow(["openai/n", "anthropic/n"], 3)).toEqual(expect.arrayContaining(before));
  });

  it("takes local repositories relative to its own folder", () => {
    const [run] = plan("name: l\ntasks: [{ name: a, prompt: A, repository: ./code }]").runs;
    expect(run?.repository).toMatch(/^\/.*\/code$/);
  });
});

describe("a wrong spec is refused with its line and a fix:", () => {
  const task = "tasks: [{ name: a, prompt: A }]";
  it.each<[string, string, string, string]>([
    ["a missing field", "name: x\n", "fleet.yaml:1: tasks is missing", "Add tasks: …"],
    [
      "a missing prompt",
      "name: x\ntasks:\n  - name: a\n",
      "fleet.yaml:3: the task a: has no prompt",
      "Add prompt: … to the task, or at the top of the spec.",
    ],
    [
      "an unknown field",
      `name: x\n${task}\nbugdet: 3\n`,
      "fleet.yaml:3: unknown field bugdet",
      "Write budget: instead of bugdet:",
    ],
    [
      "an unknown field of a task",
      "name: x\ntasks:\n  - name: a\n    promt: b\n",
      "fleet.yaml:4: unknown field tasks[0].promt",
      "Write prompt: instead of promt:",
    ],
    [
      "a wrong type",
      `name: x\nbudget: lots\n${task}\n`,
      "fleet.yaml:2: budget must be a number",
      "Write budget: 10",
    ],
    [
      "a wrong number",
      `name: x\nlimits:\n  rounds: 0\n${task}\n`,
      "fleet.yaml:3: limits.rounds must be more than 0",
      "Write rounds: 1",
    ],
    [
      "a duplicate name",
      "name: x\ntasks:\n  - { name: a, prompt: A }\n  - { name: a, prompt: B }\n",
      "fleet.yaml:4: the task a is also at fleet.yaml:3",
      "Rename it, for example to a-2",
    ],
    [
      "a name with a space",
      "name: x\ntasks:\n  - { name: a b, prompt: A }\n",
      "fleet.yaml:3: tasks[0].name must be letters, digits and . _ - / : @ +, without spaces",
      "Write name: task-1",
    ],
    [
      "an unknown provider",
      `name: x\nmodel: opnai/gpt\n${task}\n`,
      'fleet.yaml:2: Unknown provider "opnai"; known: anthropic, openai, openai-chat, google, openrouter, ollama',
      "Did you mean openai?",
    ],
    [
      "an unknown lane",
      `name: x\nlanes:\n  claud: {}\n${task}\n`,
      'fleet.yaml:3: Unknown provider "claud"; known: anthropic, openai, openai-chat, google, openrouter, ollama',
      "Did you mean anthropic?",
    ],
    [
      "a rule that allows",
      `name: x\nrules:\n  - deny run rm **\n  - allow run npm test\n${task}\n`,
      "fleet.yaml:4: a spec cannot loosen: allow run npm test",
      "Remove it, and start the worker with: --rule 'allow run npm test'",
    ],
    [
      "a rule that is none",
      `name: x\nrules: [forbid run rm]\n${task}\n`,
      "fleet.yaml:2: ",
      "Begin the rule with",
    ],
    [
      "a check file outside",
      "name: x\ncheck:\n  command: test\n  files:\n    ../evil: x\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:5: the check writes "../evil", which is not a path in the workspace',
      "Use a relative path without .. and .git",
    ],
    [
      "a check file of git",
      "name: x\ncheck: { command: test, files: { .git/hooks/x: y } }\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:2: the check writes ".git/hooks/x", which is not a path in the workspace',
      "Use a relative path without .. and .git",
    ],
    [
      "tasks from elsewhere",
      "name: x\ntasks:\n  file: ../tasks.jsonl\n",
      'fleet.yaml:3: "../tasks.jsonl" is not below the folder of the spec',
      "Copy the file next to the spec, and name it without / and .. at the beginning.",
    ],
    [
      "an option as a repository",
      "name: x\nrepository: --upload-pack=evil\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:2: "--upload-pack=evil" is not a URL or a path',
      "Use https://…, git@host:path or a path such as ./upload-pack=evil",
    ],
    [
      "a password in a URL",
      "name: x\nrepository: https://me:secret@git.example/a\ntasks: [{ name: a, prompt: A }]\n",
      "fleet.yaml:2: the repository contains a user name or password",
      "Let git of the worker find credentials, and remove them from the URL.",
    ],
    [
      "a helper program as a repository",
      "name: x\nrepository: ext::sh -c id\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:2: "ext::sh -c id" is not a URL or a path',
      "Use https://…, git@host:path or a path such as ./ext::sh -c id",
    ],
    [
      "an option as a revision",
      "name: x\nrevision: -x\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:2: "-x" is not a branch, tag or commit',
      "Use the name of a branch or tag, or a hash.",
    ],
    [
      "an unknown target",
      "name: x\ntarget: shh:host\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:2: "shh:host" is not a target: "shh:host" does not begin with a known kind',
      "Use ssh:host",
    ],
    [
      "a branch that git refuses",
      "name: x\npublish: { branch: 'a..b', message: m }\ntasks: [{ name: a, prompt: A }]\n",
      'fleet.yaml:2: "a..b" is not the name of a branch',
      "publish: { branch: 'fleet/{task}', message: '{task}' }",
    ],
    [
      "a duplicate key",
      `name: x\nname: y\n${task}\n`,
      "fleet.yaml:2: is not valid YAML: Map keys must be unique",
      "Remove one of the two fields.",
    ],
    [
      "a tab",
      "name: x\ntasks:\n\t- { name: a, prompt: A }\n",
      "fleet.yaml:3: is not valid YAML: Tabs are not allowed as indentation",
      "Indent with spaces instead of tabs.",
    ],
    [
      "a text with a colon",
      "name: x\ntasks:\n  - name: a\n    prompt: Fix: the parser\n",
      "fleet.yaml:4: is not valid YAML: Nested mappings are not allowed in compact mappings",
      'Quote texts that contain : # or !, for example prompt: "Fix: the parser"',
    ],
    [
      "too long a time",
      `name: x\nlimits: { minutes: 2000 }\n${task}\n`,
      "fleet.yaml:2: limits.minutes must be at most 1440",
      "Write minutes: 1440",
    ],
    [
      "an unknown mode",
      `name: x\nmode: paraniod\n${task}\n`,
      'fleet.yaml:2: mode must be one of safe, cautious, paranoid, yolo, not "paraniod"',
      "Write mode: paranoid",
    ],
    [
      "a custom tag",
      `name: !!js/function x\n${task}\n`,
      "fleet.yaml:1: is not valid YAML: Unresolved tag",
      "Remove the tag",
    ],
    [
      "no tasks",
      "name: x\ntasks: []\n",
      "fleet.yaml:2: tasks is empty",
      "Add a task: - { name: task-1, prompt: … }",
    ],
    ["a settings rule", `name: x\nrules: ["variable HOME"]\n${task}\n`, "fleet.yaml:2: ", ""],
    [
      "two lines as a rule",
      `name: x\nrules: ["deny run a\\nallow run b"]\n${task}\n`,
      "fleet.yaml:2: rules[0] must be one line without control characters",
      "Write rules:",
    ],
  ])("%s", (_name, spec, message, fix) => {
    const [foundMessage, foundFix] = refusal(spec);
    expect([foundMessage.slice(0, message.length), foundFix?.slice(0, fix.length)]).toEqual([message, fix]);
  });

  it("a wrong line of a file of tasks", () => {
    const files = { "tasks.jsonl": '{"name":"a","prompt":"A"}\n{"name":"b","rounds":1}\n' };
    expect(refusal("name: f\ntasks: { file: tasks.jsonl }\n", { files })[0]).toBe(
      "tasks.jsonl:2: unknown field rounds",
    );
  });

  it("aliases that make a small file large", () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(`*${of}`).join(", ")}]\n`;
    const bomb = `a: &a [x, x]\n${["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "ij", "jk", "kl", "lm"].map(([of, name]) => level(name!, of!)).join("")}`;
    expect(refusal(`${bomb}name: x\ntasks: []\n`)[0]).toBe("fleet.yaml:1: has too many aliases");
  });

  it("no model", () => {
    expect(
      refusal("name: x\nprompt: A\ntasks: [{ name: a }, { name: b }]\n", { defaultModel: undefined })[0],
    ).toBe("fleet.yaml:1: no model is configured");
  });
});

const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/);
const spec = fc.record({
  name,
  models: fc.uniqueArray(fc.constantFrom("openai/a", "anthropic/a", "google/b", "ollama/qwen3:8b"), {
    minLength: 1,
  }),
  repetitions: fc.integer({ min: 1, max: 3 }),
  tasks: fc.uniqueArray(
    fc.record({
      name,
      prompt: fc.string({ minLength: 1 }),
      revision: fc.option(fc.constantFrom("main", "v1.2")),
    }),
    {
      minLength: 1,
      maxLength: 4,
      selector: (task) => task.name,
    },
  ),
});

describe("any spec", () => {
  it("gives every combination one run with its own id, which pairs with the other models", () => {
    fc.assert(
      fc.property(spec, (given) => {
        const { runs } = plan(given);
        const cases = given.tasks.length * given.repetitions;
        expect(runs).toHaveLength(cases * given.models.length);
        expect(new Set(runs.map(runId)).size).toBe(runs.length);
        expect(new Set(runs.map(({ task }) => task)).size).toBe(runs.length);
        for (const id of new Set(given.models))
          expect(new Set(runs.filter((run) => run.model === id).map(caseOf)).size).toBe(cases);
      }),
      { numRuns: rounds(8) },
    );
  });

  it("gives the same ids in any order of fields and in any style of YAML", () => {
    fc.assert(
      fc.property(spec, (given) => {
        const turned = Object.fromEntries(Object.entries(given).toReversed());
        const ids = plan(given).runs.map(runId);
        expect(plan(JSON.stringify(turned)).runs.map(runId)).toEqual(ids);
      }),
      { numRuns: rounds(8) },
    );
  });

  it("is read or refused, never a crash", { tags: "slow" }, () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .tuple(
          spec,
          fc.constantFrom("rules", "check", "data", "limits", "target", "lanes", "tasks", "publish"),
          fc.jsonValue(),
        )
        .map(([given, key, value]) => stringify({ ...given, [key]: value })),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(plan(text).runs.length).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
          expect(error.hint).toBeTruthy();
          expect(error.message).toMatch(/fleet\.yaml/);
        }
      }),
      { numRuns: rounds(25) },
    );
  });
});

it("has a JSON Schema that is published", () => {
  const published = readFileSync(join(import.meta.dirname, "../../../docs/fleet.schema.json"), "utf8");
  // To update it: node src/cli/main.ts fleet submit --schema > docs/fleet.schema.json
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(fleetJsonSchema())));
});
