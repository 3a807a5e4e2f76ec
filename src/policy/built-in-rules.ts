import type { RuleSource } from "./policy.ts";

/** What holds before anybody has written a rule. `toolcrib policy show` prints it. */
export const builtInRules: RuleSource = {
  level: "built-in",
  name: "built-in",
  text: `# Secrets: no tool reads or writes these, in no mode. \`open PATH\` in your own rules lifts one.
secret .env .env.* *.env
open   .env.example .env.sample .env.template .env.dist .env.defaults
secret *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk
secret id_rsa* id_dsa* id_ecdsa* id_ed25519*
open   id_rsa*.pub id_dsa*.pub id_ecdsa*.pub id_ed25519*.pub
secret **/.ssh/** **/.aws/** **/.gnupg/** **/.azure/** **/.config/gcloud/** **/.config/gh/**
secret **/.kube/config **/.docker/config.json **/.terraform.d/credentials* **/.cargo/credentials*
secret .netrc _netrc .pgpass .pypirc .git-credentials .htpasswd .vault-token *.token
secret credentials *.credentials credentials.{json,yml,yaml,toml,ini,csv,xml,db,properties,txt}
open   **/credentials/**
secret service-account*.json secrets.{json,yml,yaml,toml} **/secrets/**
secret ~/.npmrc ~/.bash_history ~/.zsh_history ~/.python_history ~/.node_repl_history ~/.psql_history ~/.mysql_history
secret /etc/shadow /etc/gshadow /proc/*/environ /proc/*/task/*/environ /proc/*/mem /proc/kcore /proc/kmsg

# System directories: no tool writes there, in no mode. A workspace in one of them stays writable.
protected /etc/** /bin/** /sbin/** /usr/** /boot/** /proc/** /sys/** /dev/** /lib/** /lib32/** /lib64/** /libx32/**
protected /run/** /snap/** /var/lib/** /var/run/** /var/spool/**
protected /System/** /Library/** /Applications/** /private/etc/** /private/var/db/**
open      /dev/null /dev/zero /dev/full /dev/tty /dev/stdin /dev/stdout /dev/stderr /dev/fd/* /dev/shm /dev/shm/**

# What shells and git run by themselves, and Toolcrib's rules for this folder.
protected ~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin
protected ~/.inputrc ~/.config/fish/** ~/.gitconfig ~/.config/git/** ~/.curlrc ~/.wgetrc ~/.gdbinit ~/.config/systemd/**
protected **/.git/hooks/** **/.git/config **/.git/config.worktree **/.git/info/** **/.git/commondir
protected **/.git/modules/**/hooks/** **/.git/modules/**/config **/.git/worktrees/**/config.worktree
protected **/.toolcrib/**

# What editors, agents and services run by themselves: a person looks first.
ask write .git .mcp.json .envrc .pre-commit-config.yaml .gitlab-ci.yml **/.github/workflows/** **/.husky/**
ask write **/.vscode/** **/.idea/** **/.claude/** **/.codex/** **/.cursor/** **/.gemini/** **/.devcontainer/**

# Trust is a person's to give.
deny run toolcrib policy trust
deny run toolcrib mcp trust
deny run toolcrib mcp install
deny run toolcrib approve
`,
};
