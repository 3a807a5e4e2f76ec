# Relays connections between the programs of a network namespace and Toolcrib, over one channel; relay-channel.ts describes
# the frames. It is run by relay-starter.pl, which has opened $channel.
# Arguments: the port to listen on (0: none), variables to set as NAME=VALUE, `--`, and the command that the process then
# becomes. The relay stays behind as a process without a parent inside, and ends when the channel is closed.
use strict;
# These are the numbers of Linux, because loading Socket, Fcntl and Errno would take longer than all the rest.
my ($INET, $INET6, $STREAM, $SOCKET, $ERROR, $LINGER, $TCP, $NODELAY) = (2, 10, 1, 1, 4, 13, 6, 1);
my ($GETFL, $SETFL, $NONBLOCK, %AGAIN) = (3, 4, 2048, map { $_ => 1 } 4, 11, 115);
our $channel;
my $port = shift @ARGV;
delete $ENV{PERL_BADLANG};
while (($_ = shift @ARGV) ne "--") { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value }
my $listener;
if ($port) {
  socket($listener, $INET, $STREAM, 0) or die "socket: $!\n";
  bind($listener, loopback($INET, $port)) or die "bind: $!\n";
  listen($listener, 4096) or die "listen: $!\n";
}
defined(my $between = fork) or die "fork: $!\n";
if ($between) {
  waitpid($between, 0);
  close $channel;
  close $listener if $listener;
  exec { $ARGV[0] } @ARGV;
  die "$ARGV[0]: $!\n";
}
exit if fork;

$0 = "toolcrib relay";
$SIG{PIPE} = "IGNORE";
setpgrp(0, 0);
chdir "/";
open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null");
my ($channel_number, $listener_number) = (fileno $channel, $listener ? fileno $listener : -1);
opendir(my $open, "/proc/self/fd");
my @inherited = grep { /^\d+$/ && $_ > 2 && $_ != $channel_number && $_ != $listener_number } readdir $open;
closedir $open;
for my $number (@inherited) { open(my $handle, "<&=", $number); close $handle }

my ($OPEN, $DATA, $END, $RESET, $CREDIT, $OPENED, $LISTENING) = 1 .. 7;
my ($window, $most, $in, $out, $reads, $writes, $next) = (262144, 1024, "", "", "", "", 1);
my (%by_id, %by_number, $is_full);

for my $handle (grep { $_ } $channel, $listener) { unblock($handle) }
while (1) {
  flush_channel();
  # While the channel is behind, programs wait; reading from the channel never waits.
  my $is_behind = length $out > 1048576;
  my ($r, $w) = ($is_behind ? "" : $reads, $writes);
  vec($r, $channel_number, 1) = 1;
  vec($w, $channel_number, 1) = 1 if length $out;
  vec($r, $listener_number, 1) = 1 if $listener && !$is_behind && !$is_full && keys %by_id < $most;
  next if select($r, $w, undef, undef) < 0;
  receive() if vec($r, $channel_number, 1);
  accept_programs() if $listener && vec($r, $listener_number, 1);
  for my $number (keys %by_number) {
    my $one = $by_number{$number} or next;
    write_to($one) if vec($w, $number, 1);
    read_from($one) if vec($r, $number, 1) && !$one->{gone};
  }
}

sub unblock { fcntl($_[0], $SETFL, fcntl($_[0], $GETFL, 0) | $NONBLOCK) }
sub again { $AGAIN{$! + 0} }
sub loopback {
  my ($family, $port) = @_;
  return $family == $INET ? pack("S n C4 x8", $INET, $port, 127, 0, 0, 1) : pack("S n x4 x15 C x4", $INET6, $port, 1);
}

sub frame { my ($id, $type, $content) = @_; $out .= pack("NN", $id, $type << 24 | length $content) . $content }

sub flush_channel {
  while (length $out) {
    my $sent = syswrite($channel, $out, 262144);
    if (!defined $sent) { again() ? return : exit }
    substr($out, 0, $sent, "");
  }
}

sub receive {
  my $got = sysread($channel, $in, 262144, length $in);
  exit if defined $got ? !$got : !again();
  my $at = 0;
  while (length($in) - $at >= 8) {
    my ($id, $word) = unpack("NN", substr($in, $at, 8));
    my $size = $word & 0xffffff;
    last if length($in) - $at - 8 < $size;
    handle_frame($id, $word >> 24, substr($in, $at + 8, $size));
    $at += 8 + $size;
  }
  substr($in, 0, $at, "");
}

sub handle_frame {
  my ($id, $type, $content) = @_;
  return frame($id, $LISTENING, pack("n*", listening())) if $type == $LISTENING;
  return reach($id, unpack("n", $content), $INET) if $type == $OPEN;
  my $one = $by_id{$id} or return;
  if ($type == $DATA) { $one->{out} .= $content; write_to($one) if !$one->{connecting} }
  elsif ($type == $END) { $one->{ends} = 1; write_to($one) if !$one->{connecting} }
  elsif ($type == $CREDIT) { $one->{credit} += unpack("N", $content); watch($one) }
  elsif ($type == $RESET) { setsockopt($one->{handle}, $SOCKET, $LINGER, pack("ii", 1, 0)); forget($one) }
}

sub accept_programs {
  while (keys %by_id < $most) {
    # Without a free descriptor, the connection waits until another is closed.
    accept(my $handle, $listener) or return $is_full = keys %by_id && !again();
    my $one = hold($next, $handle);
    $next += 2;
    frame($one->{id}, $OPEN, "");
    watch($one);
  }
}

sub reach {
  my ($id, $port, $family) = @_;
  socket(my $handle, $family, $STREAM, 0) or return frame($id, $RESET, "");
  my $one = hold($id, $handle);
  @$one{"connecting", "port", "family"} = (1, $port, $family);
  vec($writes, $one->{number}, 1) = 1;
  connect($handle, loopback($family, $port)) || again() or retry($one);
}

sub retry {
  my $one = shift;
  forget($one);
  $one->{family} == $INET ? reach($one->{id}, $one->{port}, $INET6) : frame($one->{id}, $RESET, "");
}

sub hold {
  my ($id, $handle) = @_;
  unblock($handle);
  setsockopt($handle, $TCP, $NODELAY, 1);
  my $number = fileno $handle;
  return $by_id{$id} = $by_number{$number} =
    { id => $id, handle => $handle, number => $number, out => "", credit => $window, written => 0 };
}

sub watch { my $one = shift; vec($reads, $one->{number}, 1) = $one->{credit} > 0 && !$one->{connecting} && !$one->{read} ? 1 : 0 }

sub forget {
  my $one = shift;
  return if $one->{gone}++;
  vec($reads, $one->{number}, 1) = vec($writes, $one->{number}, 1) = 0;
  delete $by_id{$one->{id}};
  delete $by_number{$one->{number}};
  close $one->{handle};
  $is_full = 0;
}

sub lose { my $one = shift; forget($one); frame($one->{id}, $RESET, "") }

sub read_from {
  my $one = shift;
  my $got = sysread($one->{handle}, my $content, $one->{credit} < 65536 ? $one->{credit} : 65536);
  return again() || lose($one) if !defined $got;
  if ($got) { $one->{credit} -= $got; frame($one->{id}, $DATA, $content) }
  else { $one->{read} = 1; frame($one->{id}, $END, "") }
  watch($one);
  forget($one) if $one->{read} && $one->{wrote};
}

sub write_to {
  my $one = shift;
  return settle($one) if $one->{connecting};
  while (length $one->{out}) {
    my $sent = syswrite($one->{handle}, $one->{out});
    if (!defined $sent) { return again() ? vec($writes, $one->{number}, 1) = 1 : lose($one) }
    substr($one->{out}, 0, $sent, "");
    if (($one->{written} += $sent) >= $window / 4) { frame($one->{id}, $CREDIT, pack("N", $one->{written})); $one->{written} = 0 }
  }
  vec($writes, $one->{number}, 1) = 0;
  if ($one->{ends} && !$one->{wrote}) { $one->{wrote} = 1; shutdown($one->{handle}, 1) }
  forget($one) if $one->{read} && $one->{wrote};
}

sub settle {
  my $one = shift;
  if (getpeername $one->{handle}) { $one->{connecting} = 0; frame($one->{id}, $OPENED, ""); watch($one); return write_to($one) }
  retry($one) if unpack("i", getsockopt($one->{handle}, $SOCKET, $ERROR));
}

sub listening {
  my %ports;
  for my $table ("/proc/self/net/tcp", "/proc/self/net/tcp6") {
    open(my $lines, "<", $table) or next;
    while (<$lines>) { $ports{hex $1} = 1 if /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:0000 0A / }
  }
  delete $ports{$port};
  return sort { $a <=> $b } keys %ports;
}
