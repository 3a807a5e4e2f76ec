import type { RuleSource } from "./policy.ts";

/**
 * The rules of every workspace. `toolcrib policy show` prints them. Entries that a command creates at protected paths
 * are held back, at the top of the workspace and of repositories.
 */
export const builtInRules: RuleSource = {
  level: "built-in",
  name: "built-in",
  text: `# Secrets: no tool reads or writes these in any mode. To allow one, add \`open PATH\` to your own rules.
secret .env .env.* .env-* .env_* *.env *.tfvars *.tfvars.json
open   .env{.,-,_}{example,sample,template,dist,defaults} .env{.,-,_}*.{example,sample,template,dist,defaults}
open   {example,sample,template,dist,defaults}.env *.{example,sample,template,dist,defaults}.env
# A *.pem file with only certificates and public keys is not secret.
secret *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk
# The keystore for debugging, which is public, and the file in which Xcode finds node.
open   debug.keystore {.,_}xcode.env
secret id_rsa* id_dsa* id_ecdsa* id_ed25519*
open   id_rsa*.pub id_dsa*.pub id_ecdsa*.pub id_ed25519*.pub
secret **/.ssh/** **/.aws/** **/.gnupg/** **/.azure/** **/.config/gcloud/** **/.config/gh/**
secret **/.kube/config **/.docker/config.json **/.terraform.d/credentials* **/.cargo/credentials*
secret .netrc _netrc .pgpass .pypirc .git-credentials .htpasswd .vault-token *.token
secret credentials *.credentials credentials.{json,yml,yaml,toml,ini,csv,xml,db,properties,txt}
open   **/credentials/**
secret service-account*.json secrets.{json,yml,yaml,toml} **/secrets/**
# Source code about secrets, what compilers make of it, its documentation, and templates of Helm.
open   **/secrets/**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx,vue,svelte,hbs,html,css,scss,go,rs,py,pyi,rb,erb,php,java,kt,kts}
open   **/secrets/**/*.{scala,swift,c,h,cc,cpp,hpp,cs,fs,ex,exs,clj,dart,lua,tmpl,pyc,pyd,so,class} **/secrets/**/README{,.*}
open   **/templates/secrets.{yml,yaml} **/templates/secrets/*.{yml,yaml}
secret ~/.npmrc ~/.bash_history ~/.zsh_history ~/.python_history ~/.node_repl_history ~/.psql_history ~/.mysql_history
secret /etc/shadow /etc/gshadow /proc/*/environ /proc/*/task/*/environ /proc/*/mem /proc/kcore /proc/kmsg

# System directories: no tool writes there in any mode. A workspace in one of them stays writable.
protected /etc/** /bin/** /sbin/** /usr/** /boot/** /proc/** /sys/** /lib/** /lib32/** /lib64/** /libx32/**
protected /dev/[!s]*/** /dev/s[!h]*/** /run/** /snap/** /var/lib/** /var/run/** /var/spool/**
protected /System/** /Library/** /Applications/** /private/etc/** /private/var/db/**
open      /dev/null /dev/zero /dev/full /dev/tty /dev/stdin /dev/stdout /dev/stderr /dev/fd/*

# Files that shells and git run by themselves, and the Toolcrib rules of this folder.
protected ~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin
protected ~/.inputrc ~/.config/fish/** ~/.gitconfig ~/.config/git/** ~/.curlrc ~/.wgetrc ~/.gdbinit ~/.config/systemd/**
protected **/.git/hooks/** **/.git/config **/.git/config.worktree **/.git/info/** **/.git/commondir
protected **/.git/modules/**/hooks/** **/.git/modules/**/{config,config.worktree,commondir} **/.git/modules/**/info/**
protected **/.git/worktrees/**/{config.worktree,commondir,gitdir}
protected **/.toolcrib/**

# Files that editors, agents and services run by themselves: ask first.
ask write .git **/.git/**/git-rebase-todo .envrc .pre-commit-config.yaml **/.husky/** {,.}lefthook.*
ask write .mcp.json .github/mcp.json **/.agents/** **/.claude/** **/.codex/** **/.cursor/** **/.gemini/** **/.opencode/** opencode.json opencode.jsonc
ask write **/.windsurf/** **/.roo/** **/.kiro/** **/.continue/** **/.clinerules/** **/.amazonq/** **/.qwen/** **/.junie/**
ask write **/.kilocode/** **/.trae/** **/.factory/** **/.augment/** **/.amp/** **/.openhands/** **/.qoder/** .aider.conf*
ask write crush.json .crush.json
ask write **/.vscode/** *.code-workspace **/.idea/** **/.zed/** **/.devcontainer/** .devcontainer.json **/.cargo/config*
ask write .gitpod.yml {,.}mise*.toml {,.}lefthook-local.* **/.hg/hgrc* **/{.venv,venv}/bin/activate*
ask write **/.github/workflows/** **/.github/hooks/** .gitlab-ci.yml **/.circleci/**

# In a home folder: files that shells and desktops run by themselves, and programs that would shadow others.
ask write ~/.bash_aliases ~/.zlogout ~/.kshrc ~/.cshrc ~/.tcshrc ~/.login ~/.logout ~/.xprofile ~/.xinitrc ~/.xsession ~/.xsessionrc
ask write ~/.pam_environment ~/.vimrc ~/.exrc ~/.emacs ~/.tmux.conf ~/bin/** ~/.local/bin/** ~/.oh-my-zsh/** ~/.vim/** ~/.emacs.d/**
ask write ~/.config/{autostart,environment.d,zsh,nushell,direnv,mise,nvim,tmux}/** ~/.local/share/applications/** ~/Library/Launch*/**

# Only the user can trust and approve.
deny run toolcrib policy trust
deny run toolcrib mcp trust
deny run toolcrib mcp install
deny run toolcrib config trust
deny run toolcrib config set
deny run toolcrib config unset
deny run toolcrib config edit
deny run toolcrib approve
deny run toolcrib quarantine allow
`,
};

/** For dialects whose commands get the variables of an allow-list. */
export const allowListRules: RuleSource = { level: "built-in", name: "built-in", text: "variables core" };

/** Further rules for workspaces with extra roots, which may contain the user's home and the system. */
export const extraRootRules: RuleSource = {
  level: "built-in",
  name: "built-in",
  text: `# Passwords, keys and mail of the system.
secret /etc/shadow* /etc/gshadow* /etc/master.passwd /etc/security/opasswd* /etc/krb5.keytab /etc/ssh/*_key
secret /etc/ssl/private/** /etc/wireguard/** /etc/openvpn/** /etc/ppp/*-secrets /etc/ipsec.secrets /etc/sudoers*
secret /etc/NetworkManager/system-connections/** /etc/wpa_supplicant/** /etc/kubernetes/** /etc/rancher/**
secret /run/secrets/** /run/credentials/** /var/run/secrets/** /var/mail/** /var/spool/{mail,cron}/** /var/lib/{docker,sss}/**
secret /proc/keys /proc/*/auxv /proc/*/task/*/auxv /dev/{mem,kmem,port} /dev/{sd,hd,vd,xvd,nvme,dm-}* /dev/{mapper,input}/**

# Credentials and histories of agents.
secret ~/.claude.json* ~/.claude/{.credentials.json*,history.jsonl,projects/**} ~/.codex/{auth.json*,history.jsonl,sessions/**}
secret ~/.gemini/{oauth_creds,google_accounts}.json ~/.gemini/tmp/** ~/.config/{openai,anthropic,github-copilot}/**
secret ~/.local/share/opencode/** ~/.cursor/mcp.json ~/.codeium/** ~/.continue/** ~/.cache/huggingface/*token* ~/.huggingface/**

# Browsers, mail and chat.
secret ~/.{mozilla,thunderbird,librewolf,waterfox,zen}/** ~/.config/{chromium,google-chrome*,BraveSoftware,microsoft-edge*}/**
secret ~/.config/{opera*,vivaldi*,Slack,Signal,discord,Element,teams*,weechat,hexchat}/** ~/.var/app/** ~/snap/**
secret ~/.{mail,mutt,weechat,irssi,purple}/** ~/{Mail,Maildir,mail}/** ~/mbox ~/.config/{mutt,neomutt,evolution,msmtp}/**
secret ~/.{muttrc,mbsyncrc,offlineimaprc,msmtprc,fetchmailrc,authinfo} ~/.local/share/{TelegramDesktop,evolution,signal-cli}/**
secret ~/Library/{Keychains,Cookies,Mail,Messages,Safari,Accounts,Containers}/** ~/Library/Application?Support/** /Library/Keychains/**

# Keyrings, password stores, wallets and screens.
secret ~/.local/share/{keyrings,kwalletd,gopass,pki}/** ~/.{password-store,pki,op,putty,vnc}/** ~/.gnome2/keyrings/**
secret ~/.config/{op,Bitwarden*,1Password,keepassxc,gopass,sops,age,remmina,filezilla,solana,Exodus}/**
secret ~/.{bitcoin,litecoin,monero,ethereum,electrum}/** ~/.{Xauthority,ICEauthority}

# Credentials of programs and clouds.
secret ~/.config/{glab-cli,rclone,netlify,composer,doctl,heroku,configstore,stripe,hcloud,ngrok,scw,argocd,helm}/**
secret ~/.config/{hub,linode-cli,containers/auth.json,pip/pip.conf,pypoetry/auth.toml,sentry/**,goa-1.0/**,NuGet/**}
secret ~/.{docker/config.json*,kube/**,oci/**,bluemix/**,aliyun/**,fly/**,vercel/**,netlify/**,heroku/**,terraformrc}
secret ~/.{s3cfg,boto,passwd-s3fs,my.cnf,mylogin.cnf,pg_service.conf,databrickscfg,sentryclirc,condarc,smbcredentials,hgrc}
secret ~/.m2/settings*.xml ~/.gradle/gradle.properties ~/.yarnrc* ~/.gem/credentials ~/.bundle/config ~/.nuget/NuGet/** ~/.pip/**
secret ~/.{composer/auth.json,snowsql/**,dbt/**,kaggle/**,ngrok2/**,subversion/auth/**,jupyter/**,ivy2/.credentials}
secret ~/.local/share/{com.vercel.cli,jupyter}/** ~/.pub-cache/credentials.json

# Histories.
secret ~/.*_history ~/.*-history ~/.{lesshst,viminfo,histfile,zhistory,dbshell} ~/.local/share/{fish,atuin,nvim/shada}/**
secret ~/.local/state/{nvim/shada,bash,zsh}/** ~/.{zsh,bash}_sessions/** ~/.local/share/recently-used.xbel*

# Files that run by themselves or shadow programs: they would run outside every sandbox.
protected ~/.bash_* ~/.zsh* ~/.zlogout ~/.{kshrc,cshrc,tcshrc,login,logout} ~/.oh-my-zsh/** ~/.config/{zsh,nushell,direnv,mise}/**
protected ~/.{xprofile,xinitrc,xsession*,xsessionrc,Xresources,pam_environment} ~/.config/{autostart,environment.d}/**
protected ~/.config/{i3,sway,hypr,awesome,bspwm,openbox,kitty,alacritty,wezterm,tmux}/** ~/.{tmux.conf,screenrc,tmux/**}
protected ~/{bin,.bin}/** ~/.local/{bin,lib}/** ~/.local/share/{applications,systemd,dbus-1,nvim,mise,pipx}/** ~/go/bin/**
protected ~/.{cargo,rustup,nvm,fnm,volta,asdf,bun,deno,pyenv,rbenv,rvm,sdkman,jenv,nix-profile,ghcup,opam,npm-global}/**
protected ~/.{vimrc,gvimrc,exrc,emacs,nanorc} ~/.{vim,emacs.d,doom.d}/** ~/.config/{nvim,vim,emacs,doom,helix,kak,micro,zed}/**
protected ~/.config/{Code*,VSCodium,Cursor,Windsurf,JetBrains}/** ~/.{vscode,cursor}-server/** ~/.config/{opencode,goose,crush,Claude}/** ~/.{cline,copilot,junie,lmstudio}/**
protected ~/.{pythonrc*,pdbrc*,irbrc,pryrc,Rprofile,ghci,psqlrc,sqliterc,lldbinit*,gemrc,npmrc,mailcap,procmailrc,forward,rhosts}
protected ~/.{claude,codex,gemini,cursor,vscode,ipython,gradle,m2}/** ~/.config/mimeapps.list ~/Library/{LaunchAgents,Services,Scripts}/**

# Toolcrib shells.
secret **/toolcrib-shells.*/**
`,
};
