import { describe, expect, it } from "vitest";
import { type ConfinedRun, explainConfinedFailure } from "./explain-confined-failure.ts";

const run: ConfinedRun = { command: "work", output: "", exitCode: 1, sandbox: "bwrap", hasNetwork: false };

const rule = (hosts: string) => [
  `The command ran without network. The rule \`allow connect ${hosts}\` lets it connect.`,
];
const anyHost = [
  "The command ran without network. A rule such as `allow connect HOST` lets commands connect to a host.",
];

describe("a command without network", () => {
  it.each([
    ["curl: (6) Could not resolve host: example.com", "example.com"],
    ["curl: (7) Failed to connect to 192.0.2.7 port 80 after 0 ms: Couldn't connect to server", "192.0.2.7"],
    [
      "fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com",
      "github.com",
    ],
    ["ssh: Could not resolve hostname github.com: Temporary failure in name resolution", "github.com"],
    [
      "npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/left-pad failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
      "registry.npmjs.org",
    ],
    ["Error: getaddrinfo ENOTFOUND api.example.com\n  errno: -3008", "api.example.com"],
    [
      "urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: / (Caused by NameResolutionError: Temporary failure in name resolution)",
      "api.example.com",
    ],
    [
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/x/\nERROR: No matching distribution found for x",
      "pypi.org files.pythonhosted.org",
    ],
    [
      "warning: spurious network error\nCaused by:\n  [6] Could not resolve hostname (Could not resolve host: index.crates.io)",
      "index.crates.io static.crates.io",
    ],
    [
      'go: example.com/m: Get "https://proxy.golang.org/example.com/m/@v/list": dial tcp: lookup proxy.golang.org: Temporary failure in name resolution',
      "proxy.golang.org sum.golang.org",
    ],
    ["wget: unable to resolve host address ‘example.com’", "example.com"],
    [
      "Could not transfer artifact a:b from/to central: java.net.UnknownHostException: repo.maven.apache.org",
      "repo.maven.apache.org",
    ],
    ["Failed to open TCP connection to rubygems.org:443", "rubygems.org index.rubygems.org"],
  ])("gets the rule that allows the connection: %s", (output, hosts) => {
    expect(explainConfinedFailure({ ...run, output })).toEqual(rule(hosts));
  });

  it.each([
    ["fatal: not a git repository (or any parent up to mount point /)", ""],
    ["Error: Cannot find module 'x'", "x"],
    ["ModuleNotFoundError: No module named 'x.y'", "x.y"],
    ["sh: 1: eslint: not found", "eslint"],
    ["bash: line 1: eslint: command not found", "eslint"],
    ["error: could not find `Cargo.toml` in `/w` or any parent directory", "Cargo.toml"],
    ["error TS6053: File '../../tsconfig.base.json' not found.", "../../tsconfig.base.json"],
  ])(
    "learns that a repository around the workspace is hidden if it has what is missing: %s",
    (output, name) => {
      const explain = (existing?: string) =>
        explainConfinedFailure({
          ...run,
          output,
          around: () => ({ directory: "/home/ada/all of it", has: (asked) => asked === existing }),
        });
      const hint =
        "Commands do not see the repository around the workspace, /home/ada/all of it. Start Toolcrib there, or add the rule `allow read '/home/ada/all of it'/**`, which shows it read-only.";
      expect([explain(name), explain(), explainConfinedFailure({ ...run, output })]).toEqual([
        [hint],
        name === "" ? [hint] : [],
        [],
      ]);
    },
  );

  it.each([
    "Host key verification failed.\nfatal: Could not read from remote repository.",
    "git@example.com: Permission denied (publickey,password).",
  ])("learns that the keys of the user are hidden: %s", (output) => {
    expect(explainConfinedFailure({ ...run, output, hasNetwork: true })).toEqual([
      "Commands do not see the user's ssh keys, known hosts and agent. A rule such as `unconfined run git push **` runs a command outside the sandbox.",
    ]);
  });

  it.each([
    ["curl: (7) Failed to connect to localhost port 3000: Connection refused", "localhost"],
    ["ssh: connect to host localhost port 22: Connection refused", "localhost"],
    ["connect ECONNREFUSED 127.0.0.1:5432", "127.0.0.1"],
  ])("is told that no server of the session listens, also with a network: %s", (output, host) => {
    const inSession = [
      `No server of this session listens there. The rule \`allow connect ${host}\` lets commands connect to servers of this machine by HTTP and ssh.`,
    ];
    expect([
      explainConfinedFailure({ ...run, output }),
      explainConfinedFailure({ ...run, output, hasNetwork: true }),
      explainConfinedFailure({ ...run, output, sandbox: "landlock" }),
    ]).toEqual([inSession, inSession, rule(host)]);
  });

  it.each([
    "OSError: [Errno 101] Network is unreachable",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    "connect ENETUNREACH",
  ])("gets a general rule when no host is named: %s", (output) => {
    expect(explainConfinedFailure({ ...run, output })).toEqual(anyHost);
  });

  it("is detected by the exit code of a silent program, with the host from its URL", () => {
    expect([
      explainConfinedFailure({ ...run, command: "curl -s https://me:pass@example.com/a", exitCode: 6 }),
      explainConfinedFailure({ ...run, command: "wget -q http://example.com", exitCode: 4 }),
      explainConfinedFailure({ ...run, command: "make", exitCode: 6 }),
    ]).toEqual([rule("example.com"), rule("example.com"), []]);
  });

  it("is detected in a pipe that succeeded, but not in output that only mentions such failures", () => {
    const output = "curl: (6) Could not resolve host: example.com\n";
    expect([
      explainConfinedFailure({ ...run, output, exitCode: 0 }),
      explainConfinedFailure({ ...run, output: `src/a.ts:3: // ${output}`, exitCode: 0 }),
    ]).toEqual([rule("example.com"), []]);
  });

  it("gets at most one rule, and only for valid hosts", () => {
    const names = Array.from({ length: 20 }, (_, index) => `getaddrinfo ENOTFOUND h${index}.example.com`);
    expect(explainConfinedFailure({ ...run, output: names.join("\n") })).toEqual(
      rule([0, 1, 2, 3, 4, 5].map((index) => `h${index}.example.com`).join(" ")),
    );
    expect(explainConfinedFailure({ ...run, output: "getaddrinfo ENOTFOUND `;rm -rf`" })).toEqual(anyHost);
  });
});

it("gets nothing when there is network, no sandbox, or another failure", () => {
  const output = "curl: (6) Could not resolve host: example.com";
  expect([
    explainConfinedFailure({ ...run, output, hasNetwork: true }),
    explainConfinedFailure({ ...run, output, sandbox: "none" }),
    explainConfinedFailure({ ...run, output: "2 tests failed\n" }),
    explainConfinedFailure({ ...run, output: "cat: /etc/shadow: Permission denied" }),
  ]).toEqual([[], [], [], []]);
});

it.each([
  "bash: line 1: /tmp/a: Permission denied",
  "fatal: could not create work tree dir '/tmp/a': Permission denied",
  "Error: EACCES: permission denied, open '/tmp/a'",
  "java.nio.file.AccessDeniedException: /tmp/x1",
])("names the temporary directory when /tmp is closed: %s", (output) => {
  const remark = ["Write temporary files to $TMPDIR: without bubblewrap commands cannot use /tmp."];
  expect(explainConfinedFailure({ ...run, output, sandbox: "landlock" })).toEqual(remark);
  expect(explainConfinedFailure({ ...run, output })).toEqual([]);
});

it.each([
  [
    "landlock",
    "Error: listen EACCES: permission denied 127.0.0.1",
    "Without bubblewrap a command cannot listen",
  ],
  ["bwrap", "Error: listen EPERM: operation not permitted ./s.sock", "The sandbox blocks Unix sockets"],
  [
    "bwrap",
    "fatal: cannot copy '/usr/share/git-core/templates/description' to '/w/.git/description': Permission denied",
    "Run `git init` or `git clone` first",
  ],
  [
    "bwrap",
    "rm: cannot remove 'wt/.git': Device or resource busy",
    "A command cannot move or delete protected or hidden files",
  ],
  [
    "bwrap",
    "error: could not write config file /w/.git/config: Device or resource busy",
    "Commands cannot change the settings of a repository",
  ],
] as const)("explains other sandbox restrictions: %s, %s", (sandbox, output, beginning) => {
  expect(explainConfinedFailure({ ...run, output, sandbox })).toEqual([
    expect.stringMatching(new RegExp(`^${beginning}`)),
  ]);
});

it("names the rule for a variable that the command or its output mentions, with any sandbox", () => {
  const withheld = ["GH_TOKEN", "DATABASE_URL", "ID"];
  const output = "KeyError: 'DATABASE_URL'\nMY_GH_TOKEN and ID are something else\n";
  const note = [
    "Commands do not get DATABASE_URL from the environment. The rule `pass DATABASE_URL` passes it on.",
  ];
  expect([
    explainConfinedFailure({ ...run, withheld, output }),
    explainConfinedFailure({ ...run, withheld, output, sandbox: "none" }),
    explainConfinedFailure({ ...run, withheld, output, exitCode: 0 }),
    explainConfinedFailure({ ...run, withheld, command: 'test -n "$GH_TOKEN" -a -n "$DATABASE_URL"' }),
  ]).toEqual([
    note,
    note,
    [],
    [
      "Commands do not get GH_TOKEN DATABASE_URL from the environment. The rule `pass GH_TOKEN DATABASE_URL` passes them on.",
    ],
  ]);
});

it.each([
  "npm error EROFS: read-only file system, mkdir '/home/me/lib/node_modules'",
  "error: failed to create directory `/home/me/lib/x`\n\nCaused by:\n  Read-only file system (os error 30)",
  "pyenv: cannot rehash: /home/me/lib isn't writable",
  "Could not transfer artifact a:b:pom:1 from/to central (https://m/): /home/me/lib/a/b-1.pom.part.lock (No such file or directory) -> [Help 1]",
])("names the rule for a path that is read-only inside: %s", (output) => {
  const folderToWrite = (path: string) => (path.startsWith("/home/me/lib") ? "~/lib" : undefined);
  expect(explainConfinedFailure({ ...run, output, folderToWrite })).toEqual([
    "~/lib is read-only for commands. The rule `allow write ~/lib/**` lets them write there.",
  ]);
  expect(explainConfinedFailure({ ...run, output, folderToWrite: () => undefined })).toEqual([]);
  expect(explainConfinedFailure({ ...run, output, folderToWrite: () => "~/my lib" })).toEqual([
    "~/my lib is read-only for commands. The rule `allow write ~/'my lib'/**` lets them write there.",
  ]);
});

it("explains to root that files of other users are out of reach", () => {
  const isOfOther = (path: string) => path === "data/other file";
  const lines = [
    "cat: 'data/other file': Permission denied",
    "chmod: changing permissions of 'data/other file': Operation not permitted",
    "Error: EACCES: permission denied, open 'data/other file'",
    "bash: line 1: data/other file: Permission denied",
  ];
  for (const output of lines)
    expect(explainConfinedFailure({ ...run, output, isOfOther })).toEqual([
      expect.stringMatching(/^data\/other file belongs to another user, /),
    ]);
  expect(explainConfinedFailure({ ...run, output: "cat: own: Permission denied", isOfOther })).toEqual([]);
});

it.each([
  "strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted",
  "warning: Could not trace the inferior process.\nwarning: ptrace: Operation not permitted",
  "Error:\nNo permission to enable task-clock event.\n",
  "ping: socktype: SOCK_RAW\nping: socket: Operation not permitted",
  "    _socket.socket.__init__(self, family, type, proto, fileno)\nPermissionError: [Errno 1] Operation not permitted",
])("explains what every program is refused with one hint: %s", (output) => {
  for (const sandbox of ["bwrap", "landlock"] as const)
    expect(explainConfinedFailure({ ...run, output, sandbox })).toEqual([
      "The sandbox refuses tracing (ptrace), performance counters and raw sockets. A rule such as `unconfined run COMMAND` runs a command outside the sandbox.",
    ]);
});

it.each([
  ["chown: changing ownership of 'f': Operation not permitted", "In the sandbox, files cannot be given"],
  [
    "tar: x: Cannot change ownership to uid 5, gid 5: Invalid argument",
    "In the sandbox, files cannot be given",
  ],
  ["chmod: changing permissions of 'd': Operation not permitted", "In the sandbox, files cannot get setuid"],
])("explains refused owners and modes: %s", (output, beginning) => {
  expect(explainConfinedFailure({ ...run, output })).toEqual([
    expect.stringMatching(new RegExp(`^${beginning}`)),
  ]);
});

it("takes time linear in the output", () => {
  for (const piece of [
    "/tmp/ ",
    "bind ",
    "connection.py ",
    "failed to connect to ",
    "permission denied ",
    "a.sock ",
    "ptrace ",
    "ownership of ",
    "socket.socket.__init__ ",
    "read-only file system /a ",
  ])
    explainConfinedFailure({ ...run, sandbox: "landlock", output: piece.repeat(200_000) });
});

it("says how to write where the workspace is read-only because the command usually only reads", () => {
  const explain = (output: string, readsOnly?: boolean) =>
    explainConfinedFailure({ ...run, command: "uniq a b", output, readsOnly });
  const refused = "uniq: b: Read-only file system\n";
  const hint = [
    "Programs that usually only read run with a read-only workspace. Write the result with `> FILE`: then the workspace is writable.",
  ];
  expect([
    explain(refused, true),
    explain("uniq: b: Permission denied\n", true),
    explain(refused),
    explain("uniq: no\n", true),
  ]).toEqual([hint, hint, [], []]);
});
