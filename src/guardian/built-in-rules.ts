import type { RuleSource } from "./policy.ts";

/** What holds before anybody has written a rule. `toolcrib policy show` prints it. */
export const builtInRules: RuleSource = {
  level: "built-in",
  name: "built-in",
  text: `# Secrets: no tool reads or writes these, in no mode. \`open PATH\` in a rule file of yours lifts one.
secret .env .env.* *.env .envrc.local
open   .env.example .env.sample .env.template .env.dist .env.defaults
secret *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.gpg
secret id_rsa* id_dsa* id_ecdsa* id_ed25519*
open   id_rsa*.pub id_dsa*.pub id_ecdsa*.pub id_ed25519*.pub
secret **/.ssh/** **/.aws/** **/.gnupg/** **/.azure/** **/.config/gcloud/** **/.config/gh/hosts.yml
secret **/.kube/config **/.docker/config.json **/.terraform.d/credentials* **/.cargo/credentials*
secret .netrc _netrc .pgpass .my.cnf .pypirc .npmrc.local .git-credentials .htpasswd .vault-token *.token
secret credentials credentials.{json,yml,yaml,toml,ini,csv,xml,db,properties,txt} *.credentials
secret service-account*.json secrets.{json,yml,yaml,toml,env} **/secrets/**

# System directories: no tool writes there, in no mode.
protected /etc/** /bin/** /sbin/** /usr/** /boot/** /proc/** /sys/** /dev/** /lib/** /lib32/** /lib64/** /libx32/**
protected /root/** /opt/** /srv/** /run/** /var/lib/** /var/run/** /var/spool/** /snap/**
protected /System/** /Library/** /Applications/** /private/etc/** /private/var/db/**

# What git runs by itself, and the rules of Toolcrib for this folder.
protected **/.git/hooks/** **/.git/config **/.git/config.worktree **/.git/info/** **/.git/commondir
protected **/.git/modules/**/hooks/** **/.git/modules/**/config **/.git/worktrees/**/config.worktree
protected **/.toolcrib/**

# What editors, agents and services run by themselves: a person looks first.
ask write  **/.git/**
ask delete **/.git **/.git/**
ask write  **/.vscode/** **/.idea/** **/.claude/** **/.codex/** **/.cursor/** **/.gemini/** **/.devcontainer/**
ask write  .mcp.json .envrc .pre-commit-config.yaml **/.github/workflows/** **/.husky/** .gitlab-ci.yml
`,
};
