import { terminalVariable } from "../../system/terminal.ts";
import type { Architecture } from "../seccomp/system-calls.ts";
import type { LandlockRules } from "./landlock-rules.ts";

/** Everything the launcher does before it becomes the program. */
export interface LaunchPlan {
  readonly architecture: Architecture;
  readonly rules: LandlockRules;
  /** Gives the program a terminal that it may open, and no other: as descriptors, which a variable names. */
  readonly terminal: boolean;
  readonly seccomp: Uint8Array;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * For `perl -e`, with nothing but what perl-base brings. It reads the plan from descriptor 3 and gives up every power. A
 * child of it confines itself and becomes the program: "." in the descriptor says that it is about to, and whatever
 * follows says why it could not. The launcher itself stays outside, out of the program's reach, until that has ended, and
 * then ends as that did. The environment comes with the plan, because perl heeds some variables.
 */
export const launcher = `
open(my $channel, "+<&=", 3) or exit 126;
fcntl($channel, 2, 1) or exit 126;
sub fail { syswrite($channel, "$_[0]: $!"); exit 126 }
sub take { my $got = ""; while (length $got < $_[0]) { sysread($channel, $got, $_[0] - length $got, length $got) or exit 126 } $got }
my @plan = unpack "(N/a*)*", take(unpack "N", take(4));
my ($prctl, $capset, $openat, $close, $setrlimit, $onlyPath) = map { $_ + 0 } splice @plan, 0, 6;
my ($size, $fs, $net, $scoped, $terminal) = map { $_ + 0 } splice @plan, 0, 5;
my ($filter, $directory, $file) = splice @plan, 0, 3;
sub list { splice @plan, 0, shift @plan }
my @paths = list(); my @ports = list(); my @variables = list(); my @words = list();

# Whatever else was inherited by mistake.
syscall(436, 4, 0xffffffff, 0) == 0 or fail("close_range");
syscall($prctl, 38, 1, 0, 0, 0) == 0 or fail("no_new_privs");
syscall($prctl, 47, 4, 0, 0, 0);
for my $power (0 .. 63) { syscall($prctl, 24, $power, 0, 0, 0) == 0 or last }
my ($header, $powers) = (pack("Ll", 0x20080522, 0), "\\0" x 24);
syscall($capset, $header, $powers) == 0 or fail("capset");
chdir $directory or fail("chdir $directory");

# Whoever loses its parent becomes our child: of a program that has cleared its variables nothing else tells whose it is.
syscall($prctl, 36, 1, 0, 0, 0) == 0 or fail("child_subreaper");
my $child = fork;
defined $child or fail("fork");
attend($child) if $child;

my ($master, $slave);
if ($terminal) {
  # As in <asm-generic/ioctls.h>: TIOCSPTLCK, TIOCGPTN. O_RDWR and O_NOCTTY.
  sysopen($master, "/dev/ptmx", 0x102) or fail("/dev/ptmx");
  my ($unlocked, $number) = (pack("i", 0)) x 2;
  ioctl($master, 0x40045431, $unlocked) && ioctl($master, 0x80045430, $number) or fail("terminal");
  my $name = "/dev/pts/" . unpack("i", $number);
  sysopen($slave, $name, 0x102) or fail($name);
  fcntl($_, 2, 0) for $master, $slave;
  push @paths, $terminal, $name;
}

my $attributes = pack "Q3", $fs, $net, $scoped;
my $ruleset = syscall(444, $attributes, $size, 0);
$ruleset >= 0 or fail("landlock_create_ruleset");
while (my ($rights, $path) = splice @paths, 0, 2) {
  my $opened = syscall($openat, -100, $path, $onlyPath, 0);
  # O_PATH, O_CLOEXEC, O_NOFOLLOW: paths are real. What is not there, or not for us, needs no rule.
  next if $opened < 0;
  my $rule = pack "Ql", $rights, $opened;
  if (syscall(445, $ruleset, 1, $rule, 0) != 0) {
    # A file has no use for the rights of directories.
    $rule = pack "Ql", $rights & 0xc007, $opened;
    syscall(445, $ruleset, 1, $rule, 0) == 0 or fail("landlock_add_rule $path");
  }
  syscall($close, $opened);
}
while (my ($rights, $port) = splice @ports, 0, 2) {
  my $rule = pack "QQ", $rights, $port;
  syscall(445, $ruleset, 2, $rule, 0) == 0 or fail("landlock_add_rule port $port");
}
syscall(446, $ruleset, 0) == 0 or fail("landlock_restrict_self");
syscall($close, $ruleset);
my $program = pack "Sx6P", length($filter) / 8, $filter;
syscall($prctl, 22, 2, $program, 0, 0) == 0 or fail("seccomp");

%ENV = @variables;
$ENV{${terminalVariable}} = join ",", fileno $master, fileno $slave if $terminal;
syswrite($channel, ".") == 1 or exit 126;
exec { $file } $file, @words;
fail("exec");

sub attend {
  my ($child) = @_;
  close $channel;
  my @passed = qw(HUP INT QUIT TERM);
  # They are for the program, which may take its time.
  @SIG{@passed} = ("IGNORE") x @passed;
  # Where Toolcrib is killed nobody else is left to end it. PR_SET_PDEATHSIG.
  $SIG{USR1} = sub { clear(\\&children); exit 137 };
  syscall($prctl, 1, 10, 0, 0, 0);
  while ((my $ended = wait) != $child) { exit 126 if $ended == -1 }
  my ($code, $signal) = ($? >> 8, $? & 127);
  clear(\\&strays);
  exit $code unless $signal;
  my $none = pack "QQ", 0, 0;
  syscall($setrlimit, 4, $none);
  delete @SIG{@passed};
  kill $signal, $$;
  exit 128 + $signal;
}

# Those that the ended leave behind become our children, too.
sub clear {
  my ($found) = @_;
  for (1 .. 1000) {
    my @found = $found->() or last;
    kill "KILL", @found;
    select undef, undef, undef, 0.002;
    1 while waitpid(-1, 1) > 0;
  }
}

# Children of ours without the mark. Those that have it are left to who gave it.
sub strays {
  my $mark = "TOOLCRIB_RUN=$ENV{TOOLCRIB_RUN}\\0";
  grep { index(content("/proc/$_/environ"), $mark) < 0 } children();
}

sub children {
  return if waitpid(-1, 1) == -1;
  opendir my $processes, "/proc" or return;
  grep { content("/proc/$_/stat") =~ /.*\\) (\\S) (\\d+) /s && $2 == $$ && $1 ne "Z" } grep { /^\\d+$/ } readdir $processes;
}

sub content { local $/; open my $file, "<", $_[0] or return ""; my $text = <$file>; defined $text ? $text : "" }
`;

/** The plan as the launcher reads it: strings with their lengths in front, lists with their counts. */
export function encodePlan(plan: LaunchPlan): Uint8Array {
  const { architecture, rules, terminal, seccomp, cwd, env, file, args } = plan;
  const strings: (string | Uint8Array)[] = [
    ...(architecture === "x64" ? [157, 126, 257, 3, 160, 0x2a0000] : [167, 91, 56, 57, 164, 0x288000]).map(
      String,
    ),
    ...[rules.attributeBytes, rules.handledFiles, rules.handledNetwork, rules.scoped].map(String),
    String(terminal ? rules.deviceRights : 0),
    ...[seccomp, cwd, file],
    ...list(rules.paths.flatMap(({ rights, path }) => [String(rights), path])),
    ...list(rules.ports.flatMap(({ rights, port }) => [String(rights), String(port)])),
    ...list(Object.entries(env).flat()),
    ...list(args),
  ];
  const parts = strings.flatMap((string) => {
    const bytes = Buffer.from(string);
    return [length(bytes), bytes];
  });
  const body = Buffer.concat(parts);
  return Buffer.concat([length(body), body]);
}

function list(strings: readonly string[]): readonly string[] {
  return [String(strings.length), ...strings];
}

function length(bytes: Uint8Array): Uint8Array {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(bytes.length);
  return field;
}
