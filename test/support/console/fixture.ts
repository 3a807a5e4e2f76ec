/** Made-up data of a busy machine, in the messages of the console's server: for the page alone, without an engine. */
import type {
  CallDetail,
  CallSummary,
  FileDiff,
  FleetOverview,
  HealthReport,
  HeldBackEntry,
  Overview,
  PendingQuestion,
  RulesReport,
  RunDetail,
  RunSummary,
  SessionDetail,
  SessionSummary,
} from "../../../src/console/api.ts";

const now = Date.now();
const minute = 60_000;
/** A name that turns the text around it, and markup. */
export const hostileName = "src/\u202eevil<img src=x onerror=alert(1)>.ts";

const clients = {
  claude: { kind: "mcp", name: "claude-code", version: "3.1.0" },
  agent: { kind: "chat", name: null, version: "0.1.0" },
  cli: { kind: "cli", name: null, version: "0.1.0" },
} as const;

const changed: FileDiff[] = [
  {
    path: "src/server/login.ts",
    kind: "changed",
    movedFrom: null,
    note: null,
    hunks: [
      {
        number: 1,
        oldStart: 12,
        newStart: 12,
        lines: [
          {
            kind: " ",
            text: "export function login(code: string) {",
            spans: [
              [0, 6, "keyword"],
              [7, 15, "keyword"],
              [16, 21, "function"],
              [28, 34, "type"],
            ],
          },
          { kind: "-", text: "  return codes.has(code);", spans: [[2, 8, "keyword"]] },
          { kind: "+", text: "  // A code counts once.", spans: [[2, 24, "comment"]] },
          {
            kind: "+",
            text: "  return codes.delete(code);",
            spans: [
              [2, 8, "keyword"],
              [15, 21, "function"],
            ],
          },
          { kind: " ", text: "}" },
        ],
      },
      {
        number: 2,
        oldStart: 40,
        newStart: 41,
        lines: [
          { kind: " ", text: "const limits = {" },
          { kind: "-", text: '  body: "1mb",', spans: [[8, 13, "string"]] },
          {
            kind: "+",
            text: '  body: "64kb", \u200b// a zero-width space hides here',
            spans: [[8, 14, "string"]],
          },
          { kind: " ", text: "};" },
        ],
      },
    ],
  },
  {
    path: hostileName,
    kind: "created",
    movedFrom: null,
    note: null,
    hunks: [
      {
        number: 1,
        oldStart: 0,
        newStart: 1,
        lines: [{ kind: "+", text: "<script>alert(document.cookie)</script>" }],
      },
    ],
  },
  { path: "assets/logo.png", kind: "removed", movedFrom: null, note: "Binary file, 12 kB", hunks: [] },
];

const titles: readonly (readonly [string, string, string])[] = [
  ["file.read", "src/server/login.ts", "ok"],
  ["search.grep", "codes\\.has", "ok"],
  ["edit.replace", "src/server/login.ts", "ok"],
  ["shell.run", "npm test -- --reporter=dot", "failed"],
  ["shell.run", "git push --force origin main", "denied"],
  ["file.write", hostileName, "ok"],
  ["web.fetch", "https://example.com/docs", "ok"],
  ["code.symbols", "src/server", "ok"],
];

export function callAt(sequence: number): CallSummary {
  const [tool, title, state] = titles[sequence % titles.length]!;
  const files = tool.startsWith("edit")
    ? { created: 1, changed: 1, removed: 1 }
    : { created: 0, changed: 0, removed: 0 };
  return {
    workspace: sequence % 5 === 0 ? "w-other" : "w-main",
    callId: `call-${sequence}`,
    sequence,
    session: sequence % 3 === 0 ? "s-claude" : "s-agent",
    client: sequence % 3 === 0 ? clients.claude : sequence % 7 === 0 ? clients.cli : clients.agent,
    target: "local",
    tool,
    title,
    parent: null,
    startedAt: now - (100_000 - sequence) * 7_000,
    durationMs: (sequence * 37) % 4_000,
    state,
    message:
      state === "failed"
        ? "The command exited with 1"
        : state === "denied"
          ? "Denied by rule: deny run git push --force"
          : null,
    verdict: state === "denied" ? "deny" : tool === "shell.run" ? "ask" : "allow",
    files,
    undoable: tool.startsWith("edit") ? (sequence % 16 === 2 ? "undone" : "whole") : null,
    heldBack: state === "failed" ? heldEntries.length : 0,
  };
}

const heldEntries: readonly HeldBackEntry[] = [
  {
    workspace: "w-main",
    id: "k7m2qp",
    path: ".envrc",
    heldAt: now - 30_000,
    isAllowed: false,
    rule: "allow write .envrc",
  },
  {
    workspace: "w-main",
    id: "zz34ab",
    path: `${hostileName}/.vscode/tasks.json`,
    heldAt: now - 40_000,
    isAllowed: true,
    rule: "allow write .vscode/**",
  },
];

export const latestCall = 99_999;

export function detailOf(id: string): CallDetail {
  const call = callAt(Number(id.split("-")[1]));
  const isEdit = call.tool.startsWith("edit");
  return {
    ...call,
    input: call.tool === "shell.run" ? { command: call.title, timeout_ms: 60_000 } : { path: call.title },
    accesses:
      call.tool === "shell.run"
        ? [{ kind: "execute", command: call.title }]
        : [{ kind: "read", path: call.title }],
    decision: {
      verdict: call.verdict ?? "allow",
      rule: "ask run *",
      source: "rules:12",
      reason: "Commands that are not read-only need approval.",
      ...(call.verdict === "ask" && { answer: "once" as const }),
    },
    sandbox: call.tool === "shell.run" ? "bwrap" : null,
    notCovered: call.tool === "shell.run" ? ["Files outside the workspace that the command wrote."] : [],
    heldEntries: call.heldBack > 0 ? heldEntries : [],
    hint: call.state === "denied" ? "Ask the user to run it." : null,
    changed: isEdit ? changed : [],
    made: [],
    output:
      call.tool === "shell.run"
        ? {
            handle: "out-1",
            text: "\u001b[1m RUN \u001b[22m v5.1.0\n \u001b[32m✓\u001b[39m src/login.test.ts \u001b[2m(12 tests)\u001b[22m 84ms\n \u001b[31m✕ refuses a code twice\u001b[39m\n   \u001b[38;5;196mexpected true to be false\u001b[0m\n\u001b]8;;https://evil.example\u0007a link\u001b]8;;\u0007 <b>not bold</b> \u202eturned\u202c\n\n \u001b[41m FAIL \u001b[49m 1 of 12\n",
            offset: 0,
            bytes: 4_200_000,
            next: 65_536,
          }
        : null,
    undoneBy: call.undoable === "undone" ? "call-99990" : null,
    undid: [],
  };
}

const publish = "npm ci && npm run build && npm publish --access public";
const plain = { isQuoted: false, marks: [], isDetail: false };
const exact = {
  adds: "run exactly: npm publish --access public",
  rules: ["allow run npm publish --access public by shell.run"],
};

export const question: PendingQuestion = {
  id: "q-1",
  workspace: "w-main",
  session: "s-claude",
  client: clients.claude,
  agent: null,
  target: "local",
  askedAt: now - minute,
  tool: "shell.run",
  title: publish,
  reason: "This command publishes a package.",
  waiting: 2,
  view: {
    title: "shell.run",
    asker: "claude-code 3.1.0",
    risk: "network",
    body: [
      { ...plain, label: "Command", text: publish, isQuoted: true, marks: [{ start: 27, end: 54 }] },
      {
        ...plain,
        label: "Input",
        text: '{"env":{"NODE_OPTIONS":"--require ./hook.js"}}',
        isQuoted: true,
      },
      { ...plain, label: "Why", text: "This command publishes a package. (ask run npm publish, built-in)" },
      { ...plain, label: "Runs", text: "in the sandbox (bwrap); it can connect to registry.example.com" },
    ],
    choices: [
      { id: "once", label: "Allow once", rules: [] },
      { id: "session", label: "Until this session ends, shell.run may", ...exact },
      { id: "always", label: "In this folder from now on, shell.run may", ...exact },
      {
        id: "always 2",
        label: "In this folder from now on, shell.run may",
        adds: "run npm publish with any further arguments",
        rules: ["allow run npm publish ** by shell.run"],
      },
      { id: "no", label: "Deny", rules: [] },
    ],
  },
  files: [],
  saved: [2, 5],
  shown: "h1",
  isAnswered: false,
};

const editQuestion: PendingQuestion = {
  ...question,
  id: "q-2",
  client: clients.agent,
  session: "s-agent",
  agent: "reviewer",
  tool: "edit.replace",
  title: "src/server/login.ts",
  reason: "The mode paranoid asks before every change.",
  waiting: 1,
  view: {
    title: "edit.replace, for reviewer",
    risk: "write",
    body: [
      { ...plain, label: "Changes", text: "", isQuoted: true },
      { ...plain, label: "Why", text: "The mode paranoid asks before every change." },
    ],
    choices: [
      { id: "once", label: "Allow once", rules: [] },
      { id: "no", label: "Deny", rules: [] },
    ],
  },
  files: changed.slice(0, 1),
};

const session: SessionSummary = {
  workspace: "w-main",
  session: "s-agent",
  client: clients.agent,
  openedAt: now - 50 * minute,
  lastAt: now - 3_000,
  state: "open",
  live: "processing",
  pid: 4242,
  calls: 128,
  title: "Fix the login so that a code counts only once",
  model: "claude-opus-5",
  cost: 1.84,
  turns: 3,
  parent: null,
  canSteer: true,
};

export const sessions: SessionSummary[] = [
  session,
  {
    ...session,
    session: "s-claude",
    client: clients.claude,
    title: null,
    live: null,
    model: null,
    cost: null,
    turns: 0,
    calls: 42,
    canSteer: false,
  },
  {
    ...session,
    session: "s-old",
    state: "closed",
    live: null,
    title: "Write the release notes",
    lastAt: now - 300 * minute,
    canSteer: false,
    workspace: "w-other",
  },
  {
    ...session,
    session: "s-died",
    state: "died",
    live: null,
    title: "Migrate the tests",
    openedAt: now - 950 * minute,
    lastAt: now - 900 * minute,
    canSteer: false,
  },
  {
    ...session,
    session: "s-fork",
    state: "closed",
    live: null,
    title: "Migrate the tests, in small steps",
    openedAt: now - 940 * minute,
    lastAt: now - 920 * minute,
    parent: "s-died",
    canSteer: false,
  },
];

export const sessionDetail: SessionDetail = {
  ...session,
  entries: [
    { type: "user", turn: 1, at: now - 50 * minute, text: "Fix the login so that a code counts only once." },
    {
      type: "reasoning",
      turn: 1,
      at: now - 49 * minute,
      text: "The code is checked with `has`, so it stays valid.",
    },
    {
      type: "call",
      turn: 1,
      at: now - 49 * minute,
      callId: "call-99992",
      tool: "file.read",
      title: "src/server/login.ts",
      state: "ok",
      agent: null,
    },
    {
      type: "call",
      turn: 1,
      at: now - 48 * minute,
      callId: "call-99993",
      tool: "search.grep",
      title: "codes\\.has",
      state: "ok",
      agent: null,
    },
    {
      type: "model",
      turn: 1,
      at: now - 47 * minute,
      text: "## Cause\nThe function `login` never **removes** the code.\n\n1. Delete the code.\n2. Add a test.\n\n```ts\nreturn codes.delete(code);\n```\nSee [the docs](https://evil.example) <script>alert(1)</script>.",
    },
    {
      type: "call",
      turn: 1,
      at: now - 46 * minute,
      callId: "call-99994",
      tool: "edit.replace",
      title: "src/server/login.ts",
      state: "ok",
      agent: null,
    },
    ...["npm test", "npm run types", "npm run lint", "git status"].map((title, index) => ({
      type: "call" as const,
      turn: 1,
      at: now - 45 * minute,
      callId: "call-99995",
      tool: "shell.run",
      title,
      state: index === 0 ? "failed" : "ok",
      agent: index === 1 ? "reviewer" : null,
    })),
    { type: "notice", turn: 2, at: now - 40 * minute, text: "The conversation was compacted." },
    { type: "user", turn: 2, at: now - 30 * minute, text: "Also limit the body to 64 kB." },
    {
      type: "model",
      turn: 2,
      at: now - 29 * minute,
      text: "The limit is in place. One test still fails; I will look at it next.",
    },
  ],
  plan: [
    { text: "Read the login code", state: "done" },
    { text: "Delete the code after its first use", state: "active" },
    { text: "Add a test for the second use", state: "pending" },
  ],
  usage: Array.from({ length: 40 }, (_, index) => ({
    at: now - (50 - index) * minute,
    turn: 1 + (index > 20 ? 1 : 0),
    inputTokens: 12_000 + ((index * 7919) % 30_000),
    outputTokens: 200 + ((index * 131) % 2_000),
    cost: 1.84 * ((index + 1) / 40) ** 1.3,
  })),
  agents: [
    {
      id: "a1",
      task: "Review the change for security.\nName every input that reaches the login.",
      state: "running",
      agents: [{ id: "a2", task: "Find every use of login", state: "completed", agents: [] }],
    },
  ],
};

export const overview: Overview = {
  version: "0.1.0",
  workspaces: [
    { id: "w-main", path: "/home/ada/projects/shop", exists: true, lastAt: now - 3_000, calls: 79_999 },
    {
      id: "w-other",
      path: "/home/ada/projects/release-notes",
      exists: true,
      lastAt: now - 300 * minute,
      calls: 20_000,
    },
    { id: "w-gone", path: "/tmp/try \u202eout", exists: false, lastAt: now - 9_000 * minute, calls: 3 },
  ],
  approvals: [question, editQuestion],
  sessions: sessions.slice(0, 2),
  running: [
    {
      ...callAt(99_995),
      callId: "call-99995",
      state: "running",
      durationMs: null,
      startedAt: now - 21_000,
      message: null,
    },
  ],
  heldBack: heldEntries.filter(({ isAllowed }) => !isAllowed),
};

export const rules: RulesReport = {
  mode: "cautious",
  sources: [
    {
      level: "user",
      name: "/home/ada/.config/toolcrib/rules",
      rules: [
        { line: 1, text: "allow run npm test", ignored: null },
        { line: 4, text: "deny run git push --force *", ignored: null },
      ],
    },
    {
      level: "project",
      name: "/home/ada/projects/shop/.toolcrib/rules",
      rules: [{ line: 2, text: "allow run make *", ignored: "the project is not trusted" }],
    },
    {
      level: "built-in",
      name: "built-in rules",
      rules: Array.from({ length: 20 }, (_, index) => ({
        line: index + 1,
        text: `deny write ~/.config/example-${index}/**`,
        ignored: null,
      })),
    },
  ],
  grants: [
    { line: 1, rules: ["allow run npm test"], grantedAt: now - 600 * minute, askedBy: "claude-code" },
    {
      line: 5,
      rules: ["allow connect registry.example.com", "allow run npm ci"],
      grantedAt: null,
      askedBy: null,
    },
  ],
};

export const health: HealthReport = {
  findings: [
    { about: "Sandbox", state: "ok", message: "bubblewrap confines commands.", hint: null },
    { about: "Node", state: "ok", message: "v24.21.0", hint: null },
    {
      about: "Model",
      state: "warning",
      message: "No model is configured.",
      hint: "Set ANTHROPIC_API_KEY, or run: toolcrib models",
    },
    { about: "Journal", state: "problem", message: "The disk is nearly full.", hint: "Run: toolcrib clean" },
  ],
  verdict: "1 problem, 1 warning",
  disk: [
    { name: "Journal", bytes: 42_000_000 },
    { name: "Old contents", bytes: 180_000_000 },
    { name: "Stored outputs", bytes: 12_000_000 },
    { name: "Code index", bytes: 900_000 },
  ],
  index: "1,204 files, up to date",
};

export const fleets: FleetOverview = {
  now: Date.UTC(2026, 10, 16, 12),
  fleets: [
    {
      name: "nightly",
      states: { waiting: 5_200, running: 16, parked: 24, ended: 4_760 },
      outcomes: { solved: 3_570, unsolved: 952, infrastructure: 119, budget: 0, cancelled: 119 },
      createdAt: Date.UTC(2026, 10, 16, 9),
      spent: 312.4,
      budget: 500,
      remainingMs: 12_400_000,
    },
    {
      name: hostileName,
      states: { waiting: 0, running: 0, parked: 0, ended: 3 },
      outcomes: { solved: 0, unsolved: 0, infrastructure: 0, budget: 3, cancelled: 0 },
      createdAt: Date.UTC(2026, 10, 15, 9),
      spent: 2,
      budget: 2,
      remainingMs: 0,
    },
  ],
  workers: [1, 2].map((number) => ({
    id: `worker_${number}`,
    host: `build-${number}.example.com`,
    pid: 4_000 + number,
    slots: 8,
    seenAt: Date.UTC(2026, 10, 16, 12) - number * 900,
    isDraining: number === 2,
  })),
  lanes: [
    { lane: "anthropic", inFlight: 14, pausedUntil: 0 },
    { lane: "openai", inFlight: 0, pausedUntil: Date.UTC(2026, 10, 16, 12) + 45_000 },
  ],
};

/** The runs of "nightly": every state and outcome, and one with a hostile name. */
export const runCount = 10_000;

export function runAt(index: number): RunSummary {
  const startedAt = Date.UTC(2026, 10, 16, 9) + index * 1_000;
  const shared = { id: `run_${index}`, task: `parser-${index}`, model: "anthropic/claude-sonnet-5" };
  const begun = { isCancelled: false, isSuperseded: false, deliveries: 1 + (index % 3), startedAt };
  if (index === 0)
    return {
      ...{ ...shared, ...begun, task: hostileName, state: "ended", outcome: "unsolved" },
      ...{ endedAt: startedAt + 90_000, reason: hostileText, cost: 0.42, workMs: 88_000 },
    };
  const open = { outcome: null, endedAt: null, reason: null, cost: null, workMs: null };
  if (index >= 4_800)
    return { ...shared, ...begun, ...open, deliveries: 0, startedAt: null, state: "waiting" };
  if (index % 200 === 5)
    return { ...shared, ...begun, ...open, state: "parked", reason: "anthropic: 429, too many requests." };
  if (index % 300 === 7) return { ...shared, ...begun, ...open, state: "running" };
  const outcome = index % 40 === 1 ? "infrastructure" : index % 5 === 3 ? "unsolved" : "solved";
  const reason = {
    infrastructure: "git clone failed: the host does not answer.",
    unsolved: "The check failed with exit code 1.",
    solved: "The check passed.",
  }[outcome];
  return {
    ...{ ...shared, ...begun, state: "ended", outcome, reason },
    ...{ endedAt: startedAt + 90_000, cost: 0.07 + (index % 9) / 100, workMs: 60_000 + index * 10 },
  };
}

const hostileText = '<script>alert("run")</script> \u202e reversed \u001b[31mred';

export function runDetailAt(index: number): RunDetail {
  const run = runAt(index);
  const hasEnded = run.state === "ended";
  return {
    ...run,
    prompt: "Fix the parser: numbers with an exponent are read as names.\n\nDo not change the tests.",
    repository: "https://git.example.com/parser.git",
    revision: "v1.4.0",
    worker: "worker_1",
    notBefore: Date.UTC(2026, 10, 16, 12, 5),
    answer: hasEnded ? `The scanner now accepts an exponent. ${index === 0 ? hostileText : ""}` : null,
    rounds: hasEnded ? 12 : null,
    calls: hasEnded ? 31 : null,
    tokens: hasEnded ? { input: 184_200, output: 6_410 } : null,
    check: hasEnded ? { exitCode: index === 0 ? 1 : 0, output: "12 tests passed\n" } : null,
    changed: hasEnded ? detailOf("call-99994").changed : [],
    patchNote: null,
    artifacts: hasEnded ? "/var/lib/fleet/artifacts/nightly/run_1/1" : null,
    downloads: hasEnded ? ["patch.diff", "session.html", "journal.sqlite"] : [],
    hasSession: hasEnded,
  };
}
