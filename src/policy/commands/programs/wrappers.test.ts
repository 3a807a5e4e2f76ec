import { expect, it } from "vitest";
import { outline } from "../../../../test/support/commands/outline.ts";

const cases: readonly (readonly [name: string, command: string, lines: readonly string[]])[] = [
  [
    "bash -c",
    "bash -c 'ls; rm x'",
    ["read: bash -c ls; rm x", "read: ls [bash -c]", "destructive: rm x [bash -c] (deletes x; delete <x>)"],
  ],
  ["sh -ec", 'sh -ec "rm x"', ["read: sh -ec rm x", "destructive: rm x [sh -c] (deletes x; delete <x>)"]],
  [
    "a login shell",
    "bash -lc ls",
    ["execute: bash -lc ls (bash -lc runs the profile)", "read: ls [bash -c]"],
  ],
  [
    "bash -c with an expansion",
    'bash -c "$x"',
    [
      'execute: bash -c «"$x"» (bash "$x" may run anything)',
      'not understood: a word of bash that is not understood: "$x"',
    ],
  ],
  [
    "bash -O",
    "bash -O extglob -c ls",
    [
      "read: bash -O extglob -c ls",
      "read: ls [bash -c]",
      "not understood: bash reads its commands differently: extglob",
    ],
  ],
  [
    "bash with a file",
    "bash build.sh",
    ["execute: bash build.sh (runs the commands in build.sh; read <build.sh>)"],
  ],
  [
    "bash with standard input",
    "bash",
    [
      "execute: bash (bash runs the commands in its input)",
      "not understood: bash runs the commands in its input: bash",
    ],
  ],
  [
    "bash with a here-string",
    "bash <<< 'rm x'",
    ["read: bash", "destructive: rm x [bash <<] (deletes x; delete <x>)"],
  ],
  [
    "bash with a here-document",
    "bash <<'E'\nrm x\nE",
    ["read: bash", "destructive: rm x [bash <<] (deletes x; delete <x>)"],
  ],
  [
    "bash with a here-document and a file",
    "bash <<E <f\nls\nE",
    [
      "execute: bash (bash runs the commands in its input; read <f>)",
      "not understood: bash runs the commands in its input: bash <<E <f",
    ],
  ],
  [
    "bash -s",
    "bash -s a < f",
    [
      "execute: bash -s a (bash runs the commands in its input; read <f>)",
      "not understood: bash runs the commands in its input: bash -s a < f",
    ],
  ],
  [
    "bash --rcfile",
    "bash --rcfile f -i",
    [
      "execute: bash --rcfile f -i (bash --rcfile may run anything)",
      "not understood: a word of bash that is not understood: --rcfile",
    ],
  ],
  [
    "a shell in a shell",
    "sh -c \"sh -c 'rm x'\"",
    [
      "read: sh -c sh -c 'rm x'",
      "read: sh -c rm x [sh -c]",
      "destructive: rm x [sh -c, sh -c] (deletes x; delete <x>)",
    ],
  ],
  ["zsh", "zsh -c ls", ["execute: zsh -c ls (zsh runs commands in another shell language)"]],
  [
    "sh, which is not bash",
    "sh -c \"echo \\$'a\\' ; rm x #'\"",
    [
      "read: sh -c echo $'a\\' ; rm x #'",
      "read: echo a' ; rm x # [sh -c]",
      "not understood: commands that shells may read differently: \"echo \\$'a\\' ; rm x #'\"",
    ],
  ],
  [
    "bash with an unknown option",
    "bash -i -c ls",
    [
      "execute: bash -i -c ls (bash -i may run anything)",
      "not understood: a word of bash that is not understood: -i",
    ],
  ],
  ["env -C", "env -C sub cat a", ["read: env -C sub cat a (read <sub>)", "read: cat a [env] @? (read <a>)"]],
  [
    "env",
    "env -i A=1 PATH=/x ls",
    [
      "read: env -i A=1 PATH=/x ls",
      "execute: ls [env] (A is passed to it, and may change what it does; PATH was changed, and decides what it runs)",
    ],
  ],
  [
    "env with an unknown option",
    "env --weird ls",
    [
      "execute: env --weird ls (env --weird is not known to be harmless)",
      "not understood: the start of the command inside env, because of --weird: --weird",
    ],
  ],
  ["env -S", "env -S 'rm x'", ["read: env -S rm x", "destructive: rm x [env -S] (deletes x; delete <x>)"]],
  [
    "env -S, attached",
    "env '-Srm x'",
    ["read: env -Srm x", "destructive: rm x [env -S] (deletes x; delete <x>)"],
  ],
  [
    "env -S with quotes",
    "env -S 'rm \"x\"'",
    ['read: env -S rm "x"', "not understood: a command in env -S that has more than plain words: -S"],
  ],
  [
    "env with an expansion",
    "env $x ls",
    [
      "execute: env «$x» ls ($x may become an option of env)",
      "not understood: the start of the command inside env, because of $x: $x",
    ],
  ],
  [
    "xargs with options",
    "xargs -0 -n 1 -P4 rm",
    ["read: xargs -0 -n 1 -P4 rm", "destructive: rm «(input)» [xargs] (deletes (input); delete <(input)>)"],
  ],
  [
    "xargs -I",
    "xargs -I {} cp {} /tmp",
    [
      "read: xargs -I {} cp {} /tmp",
      "write: cp «{}» /tmp [xargs] ({} may become an option of cp; writes /tmp; read <{}>; write </tmp>)",
    ],
  ],
  [
    "xargs with a shell",
    "xargs sh -c 'rm \"$1\"' _",
    [
      'read: xargs sh -c rm "$1" _',
      'read: sh -c rm "$1" _ «(input)» [xargs]',
      'destructive: rm «"$1"» [xargs, sh -c] (deletes "$1"; delete <"$1">)',
    ],
  ],
  ["xargs without a command", "xargs", ["read: xargs"]],
  [
    "xargs that appends options",
    "xargs rg foo",
    [
      "read: xargs rg foo",
      "execute: rg foo «(input)» [xargs] ((input) may become an option of rg; read what is visible below <(input)>)",
    ],
  ],
  [
    "xargs --arg-file",
    "xargs -a list cat",
    ["read: xargs -a list cat (read <list>)", "read: cat «(input)» [xargs] (read <(input)>)"],
  ],
  [
    "find -execdir",
    "find . -execdir sh -c 'rm x' \\;",
    [
      "read: find . -execdir sh -c rm x ; (look at <.>)",
      "read: sh -c rm x [find -execdir] @?",
      "destructive: rm x [find -execdir, sh -c] @? (deletes x; delete <x>)",
    ],
  ],
  [
    "find -ok",
    "find . -ok rm {} +",
    ["read: find . -ok rm {} + (look at <.>)", "destructive: rm «{}» [find -ok] (deletes {}; delete <{}>)"],
  ],
  [
    "find -exec twice",
    "find . -exec cat {} + -exec rm {} \\;",
    [
      "read: find . -exec cat {} + -exec rm {} ; (look at <.>)",
      "read: cat «{}» [find -exec] (read <{}>)",
      "destructive: rm «{}» [find -exec] (deletes {}; delete <{}>)",
    ],
  ],
  [
    "find -exec without an end",
    "find . -exec rm",
    [
      "read: find . -exec rm (look at <.>)",
      "destructive: rm [find -exec] (rm deletes)",
      "not understood: find -exec without an end: -exec",
    ],
  ],
  ["nice", "nice -n 5 rm x", ["read: nice -n 5 rm x", "destructive: rm x [nice] (deletes x; delete <x>)"]],
  [
    "nice with a number",
    "nice -10 rm x",
    ["read: nice -10 rm x", "destructive: rm x [nice] (deletes x; delete <x>)"],
  ],
  [
    "nohup",
    "nohup rm x",
    ["write: nohup rm x (nohup may write nohup.out)", "destructive: rm x [nohup] (deletes x; delete <x>)"],
  ],
  [
    "timeout",
    "timeout -k 5 10s rm x",
    ["read: timeout -k 5 10s rm x", "destructive: rm x [timeout] (deletes x; delete <x>)"],
  ],
  [
    "timeout with an expansion",
    "timeout $t rm x",
    [
      "execute: timeout «$t» rm x ($t may become an option of timeout)",
      "not understood: the start of the command inside timeout, because of $t: $t",
    ],
  ],
  [
    "stdbuf",
    "stdbuf -oL rm x",
    ["read: stdbuf -oL rm x", "destructive: rm x [stdbuf] (deletes x; delete <x>)"],
  ],
  [
    "setsid",
    "setsid -f rm x",
    ["read: setsid -f rm x", "destructive: rm x [setsid] (deletes x; delete <x>)"],
  ],
  [
    "ionice",
    "ionice -c2 -n7 rm x",
    ["read: ionice -c2 -n7 rm x", "destructive: rm x [ionice] (deletes x; delete <x>)"],
  ],
  ["chrt", "chrt -r 5 rm x", ["read: chrt -r 5 rm x", "destructive: rm x [chrt] (deletes x; delete <x>)"]],
  [
    "taskset",
    "taskset 1 rm x",
    ["read: taskset 1 rm x", "destructive: rm x [taskset] (deletes x; delete <x>)"],
  ],
  [
    "flock",
    "flock lock rm x",
    [
      "write: flock lock rm x (writes lock; write <lock>)",
      "destructive: rm x [flock] (deletes x; delete <x>)",
    ],
  ],
  [
    "flock -c",
    "flock lock -c 'rm x'",
    [
      "write: flock lock -c rm x (writes lock; write <lock>)",
      "destructive: rm x [flock -c] (deletes x; delete <x>)",
    ],
  ],
  [
    "sudo",
    "sudo -u root rm x",
    [
      "execute: sudo -u root rm x (sudo acts as another user)",
      "destructive: rm x [sudo] (deletes x; delete <x>)",
    ],
  ],
  [
    "sudo with variables",
    "sudo LD_PRELOAD=x ls",
    [
      "execute: sudo LD_PRELOAD=x ls (sudo acts as another user)",
      "execute: ls [sudo] (LD_PRELOAD was changed, and decides what it runs)",
    ],
  ],
  ["sudo -s", "sudo -s", ["execute: sudo -s (sudo acts as another user; sudo -s runs a program)"]],
  [
    "doas",
    "doas rm x",
    ["execute: doas rm x (doas acts as another user)", "destructive: rm x [doas] (deletes x; delete <x>)"],
  ],
  ["su", "su -c 'rm x'", ["execute: su -c rm x (su acts as another user)"]],
  [
    "time, the program",
    "command time -o f rm x",
    [
      "read: command time -o f rm x",
      "write: time -o f rm x [command] (time -o writes a file; write <f>)",
      "destructive: rm x [command, time] (deletes x; delete <x>)",
    ],
  ],
  ["time, the keyword", "time -p rm x", ["destructive: rm x (deletes x; delete <x>)"]],
  [
    "watch",
    "watch -n 1 rm x",
    ["read: watch -n 1 rm x", "destructive: rm x [watch] (deletes x; delete <x>)"],
  ],
  [
    "watch with quotes",
    "watch 'rm x; ls'",
    ["read: watch rm x; ls", "destructive: rm x [watch] (deletes x; delete <x>)", "read: ls [watch]"],
  ],
  [
    "parallel",
    "parallel rm ::: a b",
    [
      "execute: parallel rm ::: a b (parallel builds commands from its input)",
      "destructive: rm [parallel] (rm deletes)",
    ],
  ],
  [
    "parallel without a command",
    "parallel < list",
    [
      "execute: parallel (parallel builds commands from its input; read <list>)",
      "not understood: parallel runs commands from its input: parallel < list",
    ],
  ],
  [
    "strace",
    "strace -f -o log rm x",
    [
      "write: strace -f -o log rm x (strace -o writes a file; write <log>)",
      "destructive: rm x [strace] (deletes x; delete <x>)",
    ],
  ],
  [
    "script -c",
    "script -c 'rm x' log",
    [
      "write: script -c rm x log (writes log; write <log>)",
      "destructive: rm x [script -c] (deletes x; delete <x>)",
    ],
  ],
  ["busybox", "busybox rm x", ["read: busybox rm x", "destructive: rm x [busybox] (deletes x; delete <x>)"]],
  ["chroot", "chroot evil ls", ["execute: chroot evil ls (chroot runs the programs of another root)"]],
  [
    "unshare",
    "unshare -n rm x",
    ["read: unshare -n rm x", "destructive: rm x [unshare] (deletes x; delete <x>)"],
  ],
  ["command", "command rm x", ["read: command rm x", "destructive: rm x [command] (deletes x; delete <x>)"]],
  ["command -v", "command -v rm", ["read: command -v rm"]],
  [
    "builtin",
    "builtin eval 'rm x'",
    [
      "read: builtin eval rm x",
      "read: eval rm x [builtin]",
      "destructive: rm x [builtin, eval] (deletes x; delete <x>)",
    ],
  ],
  ["exec", "exec -a ls rm x", ["read: exec -a ls rm x", "destructive: rm x [exec] (deletes x; delete <x>)"]],
  ["eval", "eval rm x", ["read: eval rm x", "destructive: rm x [eval] (deletes x; delete <x>)"]],
  [
    "eval of a quoted text",
    "eval 'rm x; ls'",
    ["read: eval rm x; ls", "destructive: rm x [eval] (deletes x; delete <x>)", "read: ls [eval]"],
  ],
  [
    "eval of an expansion",
    'eval "$x"',
    ['read: eval «"$x"»', 'not understood: the commands for eval are known only at run time: "$x"'],
  ],
  [
    "eval twice",
    "eval 'eval \"rm x\"'",
    [
      'read: eval eval "rm x"',
      "read: eval rm x [eval]",
      "destructive: rm x [eval, eval] (deletes x; delete <x>)",
    ],
  ],
  ["coproc", "coproc rm x", ["destructive: rm x (deletes x; delete <x>)"]],
  ["jobs -x", "jobs -x rm x", ["read: jobs -x rm x", "destructive: rm x [jobs -x] (deletes x; delete <x>)"]],
  [
    "trap",
    "trap 'rm x' EXIT INT",
    ["read: trap rm x EXIT INT", "destructive: rm x [trap] (deletes x; delete <x>)"],
  ],
  [
    "trap of an expansion",
    'trap "$x" EXIT',
    ['read: trap «"$x"» EXIT', 'not understood: the commands for trap are known only at run time: "$x"'],
  ],
  ["trap -", "trap - EXIT", ["read: trap - EXIT"]],
  [
    "ssh",
    "ssh host rm x",
    ["network: ssh host rm x (connects to host; runs commands on another machine; network <host>)"],
  ],
  ["npx", "npx evil", ["execute: npx evil (npx fetches and runs a package)"]],
  ["npm exec", "npm exec evil", ["execute: npm exec evil (npm installs packages, which run scripts)"]],
  [
    "many wrappers",
    "sudo env nice timeout 5 xargs rm",
    [
      "execute: sudo env nice timeout 5 xargs rm (sudo acts as another user)",
      "read: env nice timeout 5 xargs rm [sudo]",
      "read: nice timeout 5 xargs rm [sudo, env]",
      "read: timeout 5 xargs rm [sudo, env, nice]",
      "read: xargs rm [sudo, env, nice, timeout]",
      "destructive: rm «(input)» [sudo, env, nice, timeout, xargs] (deletes (input); delete <(input)>)",
    ],
  ],
];

it.each(cases)("finds the command inside: %s", (_name, command, lines) => {
  expect(outline(command)).toEqual(lines);
});
