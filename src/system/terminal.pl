# Opens a terminal, runs the command (the arguments) in a session that the terminal controls, and copies input and output
# without ever waiting for one of them alone. Ends as the command ended, after reading the output that is left in the
# terminal; processes that keep the terminal open longer are not waited for. ioctl numbers are those of Linux: TIOCSPTLCK,
# TIOCGPTN, TIOCSWINSZ, TIOCSCTTY.
use strict; use POSIX ();
my ($master, $slave);
# launcher.pl has opened the terminal where the sandbox forbids it: the descriptors of both ends.
if (my $made = delete $ENV{TOOLCRIB_TERMINAL}) {
  my @ends = split /,/, $made;
  open($master, "+<&=", $ends[0]) && open($slave, "+<&=", $ends[1]) or die "No terminal: $!\n";
} else {
  sysopen($master, "/dev/ptmx", POSIX::O_RDWR() | POSIX::O_NOCTTY()) or die "No terminal: $!\n";
  my ($unlocked, $number) = (pack("i", 0)) x 2;
  ioctl($master, 0x40045431, $unlocked) or die "No terminal: $!\n";
  ioctl($master, 0x80045430, $number) or die "No terminal: $!\n";
  my $name = "/dev/pts/" . unpack("i", $number);
  sysopen($slave, $name, POSIX::O_RDWR() | POSIX::O_NOCTTY()) or die "No terminal: $name: $!\n";
}
my $size = pack("S4", 40, 120, 0, 0);
ioctl($slave, 0x5414, $size);
defined(my $child = fork) or die "No process: $!\n";
if (!$child) {
  close $master;
  POSIX::setsid();
  ioctl($slave, 0x540E, 0);
  POSIX::dup2(fileno($slave), $_) for 0 .. 2;
  POSIX::close(fileno($slave)) if fileno($slave) > 2;
  exec { $ARGV[0] } @ARGV or do { print STDERR "$ARGV[0]: $!\n"; POSIX::_exit(127) };
}
close $slave;
$SIG{CHLD} = sub {};
$SIG{$_} = "IGNORE" for my @heard = qw(HUP INT QUIT TERM TTOU);
fcntl($master, 4, fcntl($master, 3, 0) | POSIX::O_NONBLOCK());
my ($typed, $mayType, $status) = ("", 1, undef);
for (;;) {
  my ($read, $write) = ("", "");
  vec($read, fileno($master), 1) = 1;
  vec($read, 0, 1) = 1 if $mayType && length($typed) < 65536;
  vec($write, fileno($master), 1) = 1 if length $typed;
  my $hasEnded = defined $status;
  my $isReady = select($read, $write, undef, $hasEnded ? 0.02 : 0.25) > 0;
  if ($isReady && vec($read, fileno($master), 1)) {
    my $count = sysread($master, my $said, 65536);
    if ($count) { tell_all($said) } elsif ($hasEnded) { last } else { select(undef, undef, undef, 0.02) }
  }
  elsif ($hasEnded) { last }
  if ($isReady && $mayType && vec($read, 0, 1)) {
    if (sysread(STDIN, my $given, 65536)) { $typed .= $given } else { $mayType = 0; $typed .= "\x04" }
  }
  if ($isReady && vec($write, fileno($master), 1)) {
    my $count = syswrite($master, $typed);
    substr($typed, 0, $count, "") if defined $count;
  }
  $status = $? if !$hasEnded && waitpid($child, POSIX::WNOHANG()) == $child;
}
if (my $signal = $status & 127) { $SIG{$_} = "DEFAULT" for @heard; kill $signal, $$; sleep 1 }
exit($status >> 8);

sub tell_all {
  my ($said) = @_;
  while (length $said) {
    my $count = syswrite(STDOUT, $said);
    if (defined $count) { substr($said, 0, $count, "") } elsif (!$!{EINTR}) { return }
  }
}
