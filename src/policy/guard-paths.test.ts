import { expect, it } from "vitest";
import { policyOf, rules, testContext } from "../../test/support/policy/decide.ts";
import { builtInRules, extraRootRules } from "./built-in-rules.ts";
import { guardPaths } from "./guard-paths.ts";
import { compilePolicy } from "./rules/compile-policy.ts";

const inside = (path: string) => (path.startsWith("/") ? path : `${testContext.workspace}/${path}`);

/** Which of these can be neither read nor written, which can only be read, and which both. */
function sort(paths: readonly string[], guard = guardPaths(policyOf([]))): Record<string, string[]> {
  const sorted: Record<string, string[]> = { secret: [], protected: [], open: [] };
  for (const path of paths) {
    const kind = guard("read", inside(path)) ? "secret" : guard("write", inside(path)) ? "protected" : "open";
    sorted[kind]!.push(path);
  }
  return sorted;
}

const secret =
  `.env sub/.env .env.local .env.production prod.env .ENV .Env.Local server.pem a/b/tls.key x.p12 x.pfx x.jks
  x.keystore app/release.keystore my-debug.keystore xcode.env vault.kdbx id_rsa id_rsa.bak id_ed25519 id_ecdsa_sk .ssh/config /home/ada/.ssh/known_hosts .aws/credentials
  .gnupg/x .kube/config .docker/config.json .netrc .pypirc .git-credentials .vault-token ci.token credentials credentials.json
  config/credentials.yml app.credentials service-account.json service-account-prod.json secrets/a/b secrets.yml secrets.json
  .env-prod .env_backup .env.test example.env.prod.env src/secrets/vault.json secrets/db_password secrets/prod.yaml secrets/a.go.bak templates/secrets.json prod.tfvars a/x.auto.tfvars.json .terraform.d/credentials.tfrc.json /home/ada/.local/state/toolcrib/journal.sqlite /proc/self/environ .env/x /dev/shm/w/.env`.split(
    /\s+/,
  );
const guarded =
  `/etc/passwd /usr/bin/x /bin/sh /boot/x /proc/x /sys/x /dev/sda /dev/mapper/x /dev/snd/x /dev/block/8:0 /lib/x /lib64/x /System/x /Library/x
  .git/hooks/pre-commit .git/hooks .GIT/HOOKS/x .git/config sub/.git/config .git/info/exclude .git/modules/a/b/hooks/x
  .git/modules/a/config .git .toolcrib/rules .toolcrib .ssh`.split(/\s+/);
const open =
  `.env.example .env.sample .env.template .env.dist .env.defaults .env-example .env_sample environment.ts env id_rsa.pub id_ed25519_work.pub
  monkey.ts key keys.ts pem.ts credentials.ts credentials/index.ts token.ts tokens/a.ts secrets.ts secret.ts src/a.ts
  .env.test.example .env.appStore.example .env-prod.sample example.env web/prod.example.env src/secrets/vault.go
  ui/secrets/list/edit.ts lib/secrets/__pycache__/api.pyc secrets/README.md chart/templates/secrets.yaml chart/templates/secrets/s3.yaml
  android/app/debug.keystore ios/.xcode.env template/ios/_xcode.env
  .git/HEAD .git/refs/heads/x .gitignore .github/workflows/ci.yml .vscode/settings.json .mcp.json /tmp/x /home/ada/other
  /dev/null /dev/stdout /dev/fd/3 /dev/shm/x /home/ada/.local/state/other`.split(/\s+/);

it("protects secrets from reading and files that others run from writing, and allows the rest", () => {
  expect(sort([...secret, ...guarded, ...open])).toEqual({ secret, protected: guarded, open });
});

it("protects secrets and autostart files in a home and system directory that tools can access", () => {
  const atHome = (names: string) => names.split(/\s+/).map((name) => `/home/ada/${name}`);
  const secrets = [
    ..."/etc/shadow- /etc/gshadow- /etc/security/opasswd /etc/ssh/ssh_host_rsa_key /run/secrets/x /proc/keys".split(
      " ",
    ),
    ..."/proc/self/auxv /var/mail/ada /dev/sda /tmp/toolcrib-shells.7.abc/windows/tmux.conf /var/tmp/toolcrib-shells.7.abc/1/x".split(
      " ",
    ),
    ...atHome(`.claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .config/openai/auth.json
      .local/share/opencode/auth.json .config/github-copilot/apps.json .cursor/mcp.json .config/chromium/Default/Cookies
      .config/Slack/Cookies .mozilla/firefox/x/key4.db .thunderbird/x/logins.json .local/share/keyrings/login.keyring
      .password-store/x.gpg Library/Keychains/login.keychain-db .config/op/config .config/rclone/rclone.conf .config/hub
      .config/glab-cli/config.yml .config/filezilla/sitemanager.xml .my.cnf .s3cfg .boto .fly/config.yml .m2/settings.xml
      .gradle/gradle.properties .yarnrc.yml .nuget/NuGet/NuGet.Config .Xauthority .sqlite_history .lesshst .viminfo
      .bitcoin/wallet.dat Maildir/new/1 .netrc .config/gh/hosts.yml .aws/config`),
    "/home/ada/Library/Application Support/Google/Chrome/Default/Login Data",
  ];
  const started =
    atHome(`.bash_aliases .xprofile .config/autostart/x.desktop .config/environment.d/x.conf .local/bin/git
    .cargo/env .cargo/bin/cargo .nvm/nvm.sh .pyenv/shims/python .vimrc .config/nvim/init.lua .emacs .tmux.conf .pythonrc
    .local/lib/python3.11/site-packages/x.pth .local/share/applications/x.desktop .config/Code/User/settings.json .claude/settings.json`);
  const others = [
    ..."/tmp/notes.txt /opt/x a.txt bin/x .vimrc".split(" "),
    ...atHome(`notes.txt other/package.json other/.vimrc .config/app/settings.toml .local/share/app/x`),
  ];
  const guard = guardPaths(compilePolicy([builtInRules, extraRootRules], testContext));
  const sorted = sort([...secrets, ...started, ...others], guard);
  expect(sorted).toEqual({ secret: secrets, protected: started, open: others });
});

it("treats editor backups of a secret as secret, unless a rule opens them", () => {
  const copies =
    `.env~ #.env# .env.swp .env.bak .ENV~ prod.env~ .prod.env.swp #server.pem# server.pem~ .server.pem.swo tls.key.orig
    .netrc~ .netrc.swp .netrc.~2~ credentials.json.bak sub/secrets.yml~ .id_rsa.swp #id_rsa# config/tokens/a`.split(
      /\s+/,
    );
  const others =
    `a.ts~ #a.ts# .a.ts.swp README.md.bak id_rsa.pub credentials.ts~ ~ # .swp .bak fixtures/.env~`.split(" ");
  const guard = guardPaths(policyOf([rules("secret config/tokens/**\nopen fixtures/.env~")]));
  expect(sort([...copies, ...others], guard)).toEqual({ secret: copies, protected: [], open: others });
  expect(guard("read", inside(".env~"))).toEqual({
    reason: "is secret and cannot be read",
    rule: "secret .env (built-in)",
  });
});

it("names the reason and the rule", () => {
  const guard = guardPaths(
    policyOf([rules('deny write migrations because "applied ones never change"\ndeny read *.log')]),
  );
  expect([
    guard("read", inside(".env")),
    guard("write", "/etc/hosts"),
    guard("write", inside("migrations/1.sql")),
    guard("read", inside("a.log")),
    guard("write", inside("a.log")),
  ]).toEqual([
    { reason: "is secret and cannot be read", rule: "secret .env (built-in)" },
    { reason: "is protected and cannot be written", rule: "protected /etc/** (built-in)" },
    {
      reason: "must not be written: applied ones never change",
      rule: 'deny write migrations because "applied ones never change" (rules:1)',
    },
    { reason: "must not be read", rule: "deny read *.log (rules:2)" },
    undefined,
  ]);
});

it("ignores case and Unicode form in names, as file systems do", () => {
  const spellings = [".ｅｎｖ", ".e\u200bnv", ".e\u00adnv", ".ENV", "\u2024env", "secrets/ﬁle", ".ſſh/x"];
  expect(sort(spellings).secret).toEqual(spellings);
});

it("lets a stronger or more specific line open what another closed", () => {
  const sources = [
    rules("secret fixtures/**\nopen fixtures/keys/*.pem fixtures/.env\nopen *.key"),
    rules("open secrets/public/**\nsecret secrets/public/x", "project"),
  ];
  const paths = [
    "fixtures/a",
    "fixtures/.env",
    "fixtures/keys/a.pem",
    "other.pem",
    "a.key",
    "secrets/public/a",
    "secrets/public/x",
    "secrets/b",
  ];
  expect(sort(paths, guardPaths(policyOf(sources)))).toEqual({
    secret: ["fixtures/a", "other.pem", "secrets/public/x", "secrets/b"],
    protected: [],
    open: ["fixtures/.env", "fixtures/keys/a.pem", "a.key", "secrets/public/a"],
  });
});

it("lets no rule open Toolcrib's own files, also inside the workspace", () => {
  const own = [`${testContext.workspace}/.state`];
  const policy = compilePolicy([builtInRules, rules("open .state/** **/.state")], { ...testContext, own });
  expect(sort([".state/journal", ".state", ".STATE/x", ".stated"], guardPaths(policy))).toEqual({
    secret: [".state/journal", ".state", ".STATE/x"],
    protected: [],
    open: [".stated"],
  });
  const guard = guardPaths(policy);
  expect([".state/journal", ".env"].map((path) => guard("read", inside(path))?.isFinal)).toEqual([
    true,
    undefined,
  ]);
});

it("keeps a workspace writable inside a system directory or below a secret name", () => {
  const writable = (workspace: string) => {
    const guard = guardPaths(compilePolicy([builtInRules], { ...testContext, workspace }));
    return ["a.ts", ".env", ".git/config", "../beside"].map(
      (path) => guard("write", `${workspace}/${path}`.replace(/\/\w+\/\.\./, ""))?.rule,
    );
  };
  expect(writable("/usr/src/app")).toEqual([
    undefined,
    "secret .env (built-in)",
    "protected **/.git/config (built-in)",
    "protected /usr/** (built-in)",
  ]);
  expect(writable("/home/ada/secrets/app")).toEqual([
    undefined,
    "secret .env (built-in)",
    "protected **/.git/config (built-in)",
    "secret **/secrets/** (built-in)",
  ]);
});

it("refuses to delete or move a directory that contains a refused path", () => {
  const guard = guardPaths(policyOf([rules("secret config/tokens/**")]));
  const refused = [".git", "sub/.git", ".git/hooks", "config", "config/tokens", ".aws"].map(
    (path) => guard("write", inside(path))?.rule,
  );
  expect(refused).toEqual([
    "protected **/.git/info/** (built-in)",
    "protected **/.git/info/** (built-in)",
    "protected **/.git/hooks/** (built-in)",
    "secret config/tokens/** (rules:1)",
    "secret config/tokens/** (rules:1)",
    "secret **/.aws/** (built-in)",
  ]);
});

it("allows reading Toolcrib's own programs and never writing them, regardless of rules", () => {
  const installed = inside("node_modules/toolcrib");
  const opening = rules("open **\nallow write **");
  const policy = compilePolicy([opening], { ...testContext, code: [installed] });
  const paths = [installed, `${installed}/dist/index.js`, inside("node_modules/other/index.js")];
  expect(sort(paths, guardPaths(policy))).toEqual({
    secret: [],
    protected: paths.slice(0, 2),
    open: paths.slice(2),
  });
});
