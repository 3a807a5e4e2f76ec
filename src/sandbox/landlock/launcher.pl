# Confines a program with Landlock and seccomp, runs it, and ends as it ended. System calls are numbers, because
# perl-base has no module for them. It is run by `perl -e`, with a channel as descriptor 3:
#   - It reads the plan (see encodePlan in launcher.ts) from the channel and gives up every capability. The environment of
#     the program is part of the plan, because perl itself obeys some variables.
#   - A child confines itself and becomes the program. It writes "." to the channel just before that, and an error message
#     if something fails, before or after the ".".
#   - The launcher itself stays unconfined until the program has ended. The program cannot reach it.
use strict;

open(my $channel, "+<&=", 3) or exit 126;
fcntl($channel, 2, 1) or exit 126; # F_SETFD, FD_CLOEXEC
sub fail { syswrite($channel, "$_[0]: $!"); exit 126 }
sub take { my $got = ""; while (length $got < $_[0]) { sysread($channel, $got, $_[0] - length $got, length $got) or exit 126 } $got }

my @plan = unpack "(N/a*)*", take(unpack "N", take(4));
# The numbers differ between architectures; the other system calls below have the same number everywhere.
my ($prctl, $capset, $openat, $close, $setrlimit, $onlyPath) = map { $_ + 0 } splice @plan, 0, 6;
my ($size, $fs, $net, $scoped, $terminal) = map { $_ + 0 } splice @plan, 0, 5;
my ($filter, $directory, $file) = splice @plan, 0, 3;
sub list { splice @plan, 0, shift @plan }
my @paths = list(); my @ports = list(); my @variables = list(); my @words = list();

# This closes all descriptors that were inherited by mistake.
syscall(436, 4, 0xffffffff, 0) == 0 or fail("close_range");
syscall($prctl, 38, 1, 0, 0, 0) == 0 or fail("no_new_privs");
syscall($prctl, 47, 4, 0, 0, 0); # PR_CAP_AMBIENT_CLEAR_ALL
for my $capability (0 .. 63) { syscall($prctl, 24, $capability, 0, 0, 0) == 0 or last } # PR_CAPBSET_DROP
my ($header, $capabilities) = (pack("Ll", 0x20080522, 0), "\0" x 24);
syscall($capset, $header, $capabilities) == 0 or fail("capset");
chdir $directory or fail("chdir $directory");

# Processes that lose their parent become children of the launcher. That is the only way to find those of a program that
# has cleared its environment.
syscall($prctl, 36, 1, 0, 0, 0) == 0 or fail("child_subreaper");
my $child = fork;
defined $child or fail("fork");
await_program($child) if $child;

my ($master, $slave);
if ($terminal) {
  # The numbers are TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>; 0x102 is O_RDWR and O_NOCTTY.
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
  # A path that is missing or closed to the user needs no rule. Links are not followed, because the paths are real.
  next if $opened < 0;
  my $rule = pack "Ql", $rights, $opened;
  if (syscall(445, $ruleset, 1, $rule, 0) != 0) {
    # The kernel refuses the rights of directories for a file.
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
# terminal.pl uses this terminal instead of opening one, which it may not do here.
$ENV{TOOLCRIB_TERMINAL} = join ",", fileno $master, fileno $slave if $terminal;
syswrite($channel, ".") == 1 or exit 126;
exec { $file } $file, @words or fail("exec");

sub await_program {
  my ($child) = @_;
  close $channel;
  my @passed = qw(HUP INT QUIT TERM);
  # These signals are for the program, which may take its time.
  @SIG{@passed} = ("IGNORE") x @passed;
  # When Toolcrib is killed, the kernel sends SIGUSR1 (PR_SET_PDEATHSIG), and the launcher ends the program.
  $SIG{USR1} = sub { clear(\&children); exit 137 };
  syscall($prctl, 1, 10, 0, 0, 0);
  while ((my $ended = wait) != $child) { exit 126 if $ended == -1 }
  my ($code, $signal) = ($? >> 8, $? & 127);
  clear(\&strays);
  exit $code unless $signal;
  # The launcher ends by the same signal, without a core dump (RLIMIT_CORE).
  my $none = pack "QQ", 0, 0;
  syscall($setrlimit, 4, $none);
  delete @SIG{@passed};
  kill $signal, $$;
  exit 128 + $signal;
}

# Kills processes until none are left, because the children of a killed process become children of the launcher. A program
# may start itself again all the time, so the launcher does not pause: it must be faster once. Without any child, no
# descendant is left either. A list of children that change meanwhile may be incomplete, so one empty list proves nothing.
sub clear {
  my ($found) = @_;
  my ($end, $rounds, $empty) = (time + 10, 0, 0);
  while ($empty < 50 && time < $end && waitpid(-1, 1) != -1) {
    my @found = $found->();
    $empty = @found ? 0 : $empty + 1;
    kill "KILL", @found if @found;
    1 while waitpid(-1, 1) > 0;
    # A killed process may take a moment to end.
    select undef, undef, undef, 0.002 if ++$rounds % 100 == 0;
  }
}

# Returns the children without the mark of this run. Toolcrib itself ends those that have it.
sub strays {
  my $mark = "TOOLCRIB_RUN=$ENV{TOOLCRIB_RUN}\0";
  grep { index(content("/proc/$_/environ"), $mark) < 0 } children();
}

sub children {
  # Kernels without this file make it necessary to look at all processes, which takes long.
  return split " ", content("/proc/$$/task/$$/children") if -e "/proc/$$/task/$$/children";
  opendir my $processes, "/proc" or return;
  grep { content("/proc/$_/stat") =~ /.*\) (\S) (\d+) /s && $2 == $$ && $1 ne "Z" } grep { /^\d+$/ } readdir $processes;
}

sub content { local $/; open my $file, "<", $_[0] or return ""; my $text = <$file>; defined $text ? $text : "" }
