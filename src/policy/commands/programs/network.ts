import { type Word, wordAt } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { connects, each, interpretOptions, runs, scans } from "./rows.ts";

export const networkPrograms: Record<string, ProgramRule> = {
  curl: interpretCurl,
  dig: connects("* f=read k=read"),
  ...each("ftp host nslookup telnet traceroute whois", connects("*")),
  nc: connects("* e=command c=command"),
  ncat: connects("* e=run c=run --exec=run --sh-exec=run --lua-exec=run o=write --output=write"),
  netcat: connects("* e=run c=run"),
  rsync: scans(
    "* e=run --rsh=run --rsync-path=run --daemon!run --config=run --filter=text --exclude=text --include=text --exclude-from=read --include-from=read --files-from=read --log-file=write --write-batch=write --read-batch=read --delete!delete --delete-before!delete --delete-after!delete --delete-during!delete --delete-excluded!delete --delete-delay!delete --delete-missing-args!delete --backup-dir=write --partial-dir=write --temp-dir=write --compare-dest=read --copy-dest=read --link-dest=read --remove-source-files!delete --password-file=read f=text B=text T=write",
    ({ operands }, report) => interpretCopy(operands, report),
  ),
  scp: scans(
    "3 4 6 A B C O p q R r s T v c=text i=read J=text l=text o=run P=text D=run S=run F=run X=text",
    ({ operands }, report) => {
      interpretCopy(operands, report);
      report.has("network", "scp connects to another machine");
    },
  ),
  sftp: connects("* b=read S!run o!run F!run D!run"),
  ssh: interpretSsh,
  socat: runs("can run programs"),
  wget: interpretWget,
};

function interpretCurl(words: readonly Word[], report: CommandReport) {
  const list =
    "* o=write O!write J!write D=write c=write b=text T=read K=run d=text F=text H=text X=text A=text e=text u=text x=network m=text w=text E=read r=text C=text z=text --output=write --output-dir=write --remote-name!write --remote-name-all!write --dump-header=write --cookie-jar=write --trace=write --trace-ascii=write --stderr=write --etag-save=write --hsts=write --alt-svc=write --libcurl=write --config=run --engine=run --upload-file=read --cacert=read --cert=read --key=read --netrc-file=read --data=text --data-raw=text --data-binary=text --data-urlencode=text --form=text --json=text --header=text --request=text --user-agent=text --user=text --noproxy=text --proxy=network --preproxy=network --socks4=network --socks4a=network --socks5=network --socks5-hostname=network --proxy1.0=network --doh-url=network --connect-to=network --dns-servers=network --data-ascii=text --form-string=text --variable=text --cookie=text --max-time=text --connect-timeout=text --write-out=text --url=network --retry=text --resolve=network --unix-socket=network --abstract-unix-socket=network";
  const { options, operands } = interpretOptions(list, words, report);
  for (const { name, value } of options) {
    const [, file] = /[@<]"?([^;"]+)/.exec(value?.value ?? "") ?? [];
    if (value !== undefined && file !== undefined) report.reads(wordAt(value, [file]));
    if (value !== undefined && /^(?:-T|--upload-file)$/.test(name) && /[[\]{}]/.test(value.value ?? "["))
      report.reads(wordAt(value, [{ unknown: "glob", text: value.text, splits: false }]));
    if (value !== undefined && /^(?:-b|--cookie)$/.test(name) && !(value.value ?? "").includes("="))
      report.reads(value);
  }
  const uploads = options.some(({ name }) => /^(?:-T|--upload-file)$/.test(name));
  for (const address of operands) interpretAddress(address, report, uploads);
  if (operands.length === 0) report.has("network", "curl connects to the network");
}

function interpretAddress(address: Word, report: CommandReport, uploads = false): void {
  const [, file] = /^file:(?:\/\/[^/]*)?(.*)/i.exec(address.value ?? "") ?? [];
  if (file === undefined) return void report.connects(address);
  // curl's escapes and patterns can spell a path in many ways.
  const target = wordAt(address, [
    /[%[\]{}]/.test(file) ? { unknown: "glob", text: file, splits: false } : file,
  ]);
  if (uploads) report.writes(target);
  else report.reads(target);
}

function interpretWget(words: readonly Word[], report: CommandReport) {
  const list =
    "* O=write o=write a=write P=write i=read e=run --output-document=write --output-file=write --append-output=write --directory-prefix=write --input-file=read --execute=run --config=run --use-askpass=run --post-file=read --body-file=read --save-cookies=write --load-cookies=read --warc-file=write --header=text --post-data=text --user-agent=text U=text t=text T=text";
  const { options, operands } = interpretOptions(list, words, report);
  for (const address of operands) interpretAddress(address, report);
  if (operands.length === 0) report.has("network", "wget connects to the network");
  const toFile = options.some(({ name }) => /^(?:-O|--output-document)$/.test(name));
  if (!toFile) report.has("write", "wget writes what it fetches");
}

function interpretSsh(words: readonly Word[], report: CommandReport) {
  const list =
    "4 6 A a C f G g K k M N n q s T t V v X x Y y B=text b=text c=text D=text e=text I=run i=read J=text L=text l=text m=text O=text o=text p=text Q=text R=text S=text W=text w=text E=write F=run";
  const { options, operands } = interpretOptions(list, words, report, "first");
  for (const { name, value, word } of options)
    if (name === "-o" && !plainSshOption.test(value?.value ?? ""))
      report.has("execute", `ssh -o ${value?.value ?? value?.text} may run a program`, word);
  const [host, ...remote] = operands;
  if (host !== undefined) report.connects(host);
  report.has(
    "execute",
    remote.length > 0 ? "runs commands on another machine" : "opens a shell on another machine",
  );
}

const plainSshOption =
  /^(?:BatchMode|ConnectTimeout|StrictHostKeyChecking|UserKnownHostsFile|Port|User|LogLevel|ServerAliveInterval|ServerAliveCountMax|IdentitiesOnly|RequestTTY|Compression|AddressFamily)[= ]/i;

/** Interprets a copy. Operands with a colon are on other machines. */
function interpretCopy(operands: readonly Word[], report: CommandReport): void {
  operands.forEach((target, at) => {
    if (/^[^/]*:/.test(target.value ?? ":")) report.connects(target);
    else if (at === operands.length - 1 && at > 0) report.writes(target);
    else report.reads(target);
  });
}
