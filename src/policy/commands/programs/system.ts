import type { Word } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import {
  connects,
  destroys,
  each,
  interpretOptions,
  prints,
  reads,
  readsAtFiles,
  runs,
  scans,
} from "./rows.ts";

const harmless = prints("*");

export const systemPrograms: Record<string, ProgramRule> = {
  ...each("apropos whatis", runs("starts a pager")),
  ...each(
    "arch cal expr factor free getconf getent groups hostid id last logname lsblk lscpu nproc pgrep pidof printenv pstree seq sleep stty sync tput tty uname uptime users vmstat w whereis which who whoami yes",
    harmless,
  ),
  ...each("at batch", runs("runs commands later")),
  crontab: (words, report) => {
    if (words.length === 1 && words[0]?.value === "-l") return;
    report.has("destructive", "crontab changes scheduled commands");
  },
  date: interpretDate,
  dircolors: reads("*"),
  dmesg: prints("H T w x k u l=text f=text d t --human --ctime --level=text --color=text"),
  ...each("halt poweroff shutdown", destroys("stops the machine")),
  hostname: scans(
    "a A d f i I s y --fqdn --short --ip-address --all-ip-addresses",
    ({ operands }, report) => {
      for (const word of operands)
        report.has("destructive", `hostname ${word.text} renames the machine`, word);
    },
  ),
  hostnamectl: runs("can rename the machine"),
  init: destroys("stops or restarts the machine"),
  ...each("killall pkill", destroys("ends processes")),
  ldd: runs("may run the program it is given"),
  lsof: prints("a b h i?text l n N P R t u=text p=text c=text U V X"),
  // A page with a slash in its name is a file.
  man: scans("k f w a # --where --whatis --apropos --path", ({ operands }, report) => {
    for (const page of operands) if ((page.value ?? "/").includes("/")) report.reads(page);
  }),
  nm: readsAtFiles(
    "a A B C D g n o p P r u S s t=text f=text --demangle --dynamic --extern-only --undefined-only --defined-only",
  ),
  ps: interpretProcesses,
  ...each("readelf size", readsAtFiles("*")),
  reboot: destroys("restarts the machine"),
  ss: prints("t u l n p a r s e m i o x w 4 6 H O --tcp --udp --listening --numeric --processes --all"),
  top: prints("b n=text d=text p=text u=text H i c o=text w"),
  ping: connects("* c=text i=text W=text w=text s=text"),
};

/** Interprets date, which sets the clock with `-s` or a bare operand. */
function interpretDate(words: readonly Word[], report: CommandReport) {
  const list =
    "u R I?text d=text r=read f=read s=text --date=text --utc --universal --iso-8601?text --rfc-3339=text --rfc-email --reference=read --file=read --debug --version --set=text";
  const { options, operands } = interpretOptions(list, words, report);
  for (const { name, word } of options)
    if (name === "-s" || name === "--set") report.has("destructive", `date ${name} sets the clock`, word);
  for (const word of operands)
    if (!(typeof word.parts[0] === "string" && word.parts[0].startsWith("+")))
      report.has("destructive", `date ${word.text} may set the clock`, word);
}

/** Interprets ps, which shows the environment of processes with `e`. */
function interpretProcesses(words: readonly Word[], report: CommandReport) {
  for (const word of words)
    if (/^[^-]*e|^-\w*E/.test(word.value ?? "e") && !/^\d|=/.test(word.value ?? ""))
      report.has("execute", "ps may show the environment of processes", word);
}
